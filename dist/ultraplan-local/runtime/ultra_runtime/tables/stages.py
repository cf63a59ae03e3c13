"""Rendered from plugin.yaml and contracts/*.yaml: edit those files, not this one."""

# Stage -> command, the artifact that it makes, the stage that follows.
STAGES = {
    "brief": ("/ultraplan-local:ultrabrief-local", "brief", "research",),
    "research": ("/ultraplan-local:ultraresearch-local", "research", "plan",),
    "plan": ("/ultraplan-local:ultraplan-local", "plan", "execute",),
    "execute": ("/ultraplan-local:ultraexecute-local", "progress", "review",),
    "review": ("/ultraplan-local:ultrareview-local", "review", "",),
    "continue": ("/ultraplan-local:ultracontinue", "", "",),
}
# Artifact -> its places in a project directory, the usual one first.
FILES = {
    "brief": ("brief.md",),
    "research": ("research/{topic}-{slug}.md",),
    "architecture": ("architecture/",),
    "plan": ("plan.md",),
    "progress": ("progress.json", "progress-session-{session}.json",),
    "review": ("review.md",),
    "session-state": (".session-state.local.json",),
    "session-spec": ("sessions/session-{session}.md", "sessions/session-{session}-recovery-{depth}.md",),
}
# Artifacts that a model writes, by `put`.
TEXTS = ("brief", "research", "plan", "review", "session-spec",)
