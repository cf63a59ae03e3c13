"""Rendered from contracts and settings: what the runtime knows."""

LAUNCHER = "ultra"
PROJECTS = ".claude/projects"
RECORDS = ()
VERBS = {}
