"""Rendered from plugin.yaml, suite.yaml and the headers of agents/*.md.j2: edit those files, not this one."""

PLUGIN = "ultra-cc-architect"
BRANCHES = "ultra-cc-architect"
VERSION = "0.1.0"
OLDEST_CLIENT = "2.1.197"
READING = ("architecture check", "completion", "doctor", "frontmatter", "guide", "validate",)
PROGRAMS = {}
GRANTED = {}
