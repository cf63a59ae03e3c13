"""Rendered from plugin.yaml and suite.yaml: edit those files, not this one."""

PLUGIN = "ultraplan-local"
VERSION = "0.1.0"
OLDEST_CLIENT = "2.1.197"
READING = ("architecture", "check-command", "check-path", "continue", "doctor", "finding-id", "frontmatter", "guide", "plan show", "scan", "validate",)
