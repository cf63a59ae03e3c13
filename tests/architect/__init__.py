"""The plugin that prepares a decision about structure."""
