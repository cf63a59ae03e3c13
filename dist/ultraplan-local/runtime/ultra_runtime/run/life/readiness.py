"""Say at the start of a run whether its result can be proved in a clean checkout."""

from __future__ import annotations

from ultra_runtime.checkout.ready import NotReady
from ultra_runtime.checkout.settings import OFF, REQUIRE, requiring, settings_file
from ultra_runtime.tables.fields import settings_fields as fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.files.git import Git

HEAD = "HEAD"


def readiness(git: Git, settings: Settings) -> tuple[Settings, list[str]]:
    """Return the settings to pin a run to, and what is missing for a clean checkout as notes.

    Where one can be made at the start, the proof is required at the end. A project that requires it anyway is refused.
    """
    if settings.proof == OFF:
        return settings, [f"the result will not be proved: {fields.PROOF} is {OFF} in {settings_file()}"]
    from ultra_runtime.checkout.trial import try_copy

    try:
        notes = try_copy(git, HEAD, settings)
    except NotReady as problem:
        if settings.proof == REQUIRE:
            raise
        return settings, [
            f"the result cannot be proved in a clean checkout: {problem.reason}; {problem.remedy}"
        ]
    return requiring(settings), notes
