"""Rendered from contracts and settings: what the runtime knows."""

LAUNCHER = "sdd"
PROJECTS = "works"
RECORDS = ("works",)
VERBS = {"run start": "work start", "run finish": "work finish", "run abort": "work abort", "run": "work", "step begin": "work next", "step": "task", "scan": "check-command", "project new": "work new"}
