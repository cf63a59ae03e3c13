"""Rendered from plugin.yaml, suite.yaml and the headers of agents/*.md.j2: edit those files, not this one."""

PLUGIN = "ultraplan-local"
BRANCHES = "ultraplan"
VERSION = "0.1.0"
OLDEST_CLIENT = "2.1.197"
READING = ("architecture", "check-command", "check-path", "completion", "continue", "doctor", "finding-id", "frontmatter", "guide", "plan show", "scan", "validate",)
PROGRAMS = {"gemini-bridge": ("gemini -p 'QUESTION'", "gemini --version",), "local-history": ("git log ...", "git show ...", "git blame ...", "git diff ...",)}
GRANTED = {}
