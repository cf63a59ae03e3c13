"""Read shell text into a syntax tree."""
