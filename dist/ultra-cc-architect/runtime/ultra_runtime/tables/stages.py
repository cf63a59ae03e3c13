"""Rendered from plugin.yaml and contracts/*.yaml: edit those files, not this one."""

# Stage -> command, the artifact that it makes, the stage that follows.
STAGES = {
    "architect": ("/ultra-cc-architect:ultra-cc-architect-local", "overview", "",),
}
# Artifact -> its places in a project directory, the usual one first.
FILES = {
    "overview": ("architecture/overview.md",),
    "gaps": ("architecture/gaps.md",),
}
# Artifacts that a model writes, by `put`.
TEXTS = ("overview", "gaps",)
