"""One module per verb: its words joined by `_`, hyphens as `_`, and a final `_` after a Python keyword."""
