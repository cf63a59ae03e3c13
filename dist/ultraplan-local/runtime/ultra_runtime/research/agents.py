"""Which agents research a question, by scope and effort."""

from __future__ import annotations

import os

from ultra_runtime.tables.agents import EXTERNAL_RESEARCHERS, LOCAL_RESEARCHERS, QUICK_RESEARCHERS
from ultra_runtime.tables.fields import brief_fields

LOCAL, EXTERNAL, BOTH = (
    brief_fields.TOPICS_SCOPE_LOCAL,
    brief_fields.TOPICS_SCOPE_EXTERNAL,
    brief_fields.TOPICS_SCOPE_BOTH,
)
AGENTS = {LOCAL: LOCAL_RESEARCHERS, EXTERNAL: EXTERNAL_RESEARCHERS}
SECOND_MODEL = "gemini"


def agents_for(scope: str, quick: bool) -> list[str]:
    """Return the agents of a scope, without the plugin prefix."""
    sides = (scope,) if scope in AGENTS else tuple(AGENTS)
    return [name for side in sides for name in AGENTS[side] if name in QUICK_RESEARCHERS or not quick]


def has_second_model() -> bool:
    """Return whether the program of the second model is on the PATH."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return any(os.access(os.path.join(folder, SECOND_MODEL), os.X_OK) for folder in folders if folder)
