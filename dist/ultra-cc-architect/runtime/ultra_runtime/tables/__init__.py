"""Rendered from contracts and settings: what the runtime knows."""

LAUNCHER = "architect"
