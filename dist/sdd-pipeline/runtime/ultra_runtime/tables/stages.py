"""Rendered from plugin.yaml and contracts/*.yaml: edit those files, not this one."""

# Stage -> command, the artifact that it makes, the stage that follows.
STAGES = {
    "sdd": ("/sdd-pipeline:sdd", "", "",),
    "init": ("/sdd-pipeline:sdd-init", "", "",),
    "resume": ("/sdd-pipeline:sdd-resume", "", "",),
    "status": ("/sdd-pipeline:sdd-status", "", "",),
}
# Artifact -> its places in a project directory, the usual one first.
FILES = {
    "plan": ("plan.md",),
    "progress": ("progress.json", "progress-session-{session}.json",),
    "session-state": (".session-state.local.json",),
    "requirement": ("Requirement.md",),
    "work-plan": ("PLAN.md",),
    "task": ("TASK-{topic}.md",),
    "task-progress": ("TASK-{topic}_progress.md",),
    "task-result": ("TASK-{topic}_result.md",),
    "work-progress": ("PROGRESS.md",),
}
# Artifacts that a model writes, by `put`.
TEXTS = ("plan",)
