"""Rendered from plugin.yaml and suite.yaml: edit those files, not this one."""

PLUGIN = "ultraplan-local"
VERSION = "0.1.0"
OLDEST_CLIENT = "2.1.197"
COMMANDS = {"brief": "/ultraplan-local:ultrabrief-local", "research": "/ultraplan-local:ultraresearch-local", "plan": "/ultraplan-local:ultraplan-local", "execute": "/ultraplan-local:ultraexecute-local", "review": "/ultraplan-local:ultrareview-local", "continue": "/ultraplan-local:ultracontinue"}
CARRIED = ("brief", "research", "plan", "execute", "review", "continue",)
READING = ("architecture", "check-command", "check-path", "continue", "doctor", "finding-id", "frontmatter", "guide", "plan show", "scan", "validate",)
