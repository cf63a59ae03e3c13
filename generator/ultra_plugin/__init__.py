"""Render, check and package Claude Code plugins."""

__version__ = "0.1.0"
