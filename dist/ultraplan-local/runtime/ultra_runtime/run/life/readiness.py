"""Say at the start of a run whether its result can be proved in a clean checkout."""

from __future__ import annotations

from ultra_runtime.checkout.ready import NotReady
from ultra_runtime.checkout.settings import OFF, REQUIRE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.files.git import Git

HEAD = "HEAD"


def readiness(git: Git, settings: Settings) -> list[str]:
    """Return what is missing for a clean checkout as notes; a project that requires the proof is refused."""
    if settings.proof == OFF:
        return []
    from ultra_runtime.checkout.trial import try_copy

    try:
        return try_copy(git, HEAD, settings)
    except NotReady as problem:
        if settings.proof == REQUIRE:
            raise
        return [f"the result cannot be proved in a clean checkout: {problem.reason}; {problem.remedy}"]
