"""Rendered from contracts and settings: what the runtime knows."""

LAUNCHER = "sdd"
PROJECTS = "works"
RECORDS = ("works",)
VERBS = {"run start": "work start", "run finish": "work finish", "run abort": "work abort", "step begin": "work next", "step verify": "task verify", "step commit": "task commit", "step restore": "task restore", "step rescue": "task rescue", "status": "work status", "scan": "check-command", "project new": "work new"}
