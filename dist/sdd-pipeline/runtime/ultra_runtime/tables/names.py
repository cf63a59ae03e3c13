"""Rendered from plugin.yaml, suite.yaml and the headers of agents/*.md.j2: edit those files, not this one."""

PLUGIN = "sdd-pipeline"
BRANCHES = "sdd-pipeline"
VERSION = "0.1.0"
OLDEST_CLIENT = "2.1.197"
READING = ("check-command", "check-path", "completion", "frontmatter", "guide", "validate",)
PROGRAMS = {"builder": ("git rm ...", "git mv ...",), "verifier": ("git diff ...", "git status",)}
GRANTED = {"builder": ("work dispatch", "task try", "task restore",), "committer": ("work dispatch", "task commit",), "planner": ("work dispatch",), "scheduler": ("work dispatch",), "specifier": ("work dispatch",), "verifier": ("work dispatch", "task verify", "task commit",)}
