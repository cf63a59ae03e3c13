"""Rendered from contracts and settings: what the runtime knows."""

LAUNCHER = "architect"
PROJECTS = ".claude/projects"
RECORDS = ()
VERBS = {}
