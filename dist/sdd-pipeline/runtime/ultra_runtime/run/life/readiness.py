"""Say at the start of a run whether its result can be proved in a clean checkout."""

from __future__ import annotations

from ultra_runtime.checkout.ready import NotReady
from ultra_runtime.checkout.settings import OFF, REQUIRE, requiring, settings_file, settings_of
from ultra_runtime.checkout.setup import late
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.tables.limits import FINISH_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.files.git import Git

HEAD = "HEAD"


def readiness(git: Git, settings: Settings, is_new: bool) -> tuple[Settings, list[str]]:
    """Return the settings to pin a run to, and what is missing for a clean checkout as notes.

    Where one can be made at the start, the proof is required at the end. A project that requires it anyway is refused.
    The setup of a project is tried when a run is new.
    """
    if settings.proof == OFF:
        return settings, [f"the result will not be proved: {fields.PROOF} is {OFF} in {settings_file()}"]
    from ultra_runtime.checkout.trial import try_copy

    try:
        notes = try_copy(git, HEAD, settings)
        notes += _try_setup(git, settings) if is_new and settings.setup else []
    except NotReady as problem:
        if settings.proof == REQUIRE:
            raise
        return settings, [
            f"the result cannot be proved in a clean checkout: {problem.reason}; {problem.remedy}"
        ]
    return requiring(settings), notes


def _try_setup(git: Git, settings: Settings) -> list[str]:
    """Run the setup in a copy of the present commit, for no longer than one call may take."""
    from ultra_runtime.checkout.copy import copy_folder, make_copy, remove_copy
    from ultra_runtime.run.state.environment import environment_in_copy

    folder, seconds = copy_folder(git), min(settings.setup_seconds, FINISH_SECONDS)
    short = settings_of({**settings.given, fields.SETUP_SECONDS: seconds})
    try:
        make_copy(git, git.head(), folder, short, environment_in_copy(git.root, folder))
    except NotReady as problem:
        if seconds == settings.setup_seconds or not problem.reason.endswith(late(seconds)):
            raise
        return [
            f"{problem.reason}, the most that one call may take: whether it works is known only at the end of the run"
        ]
    finally:
        remove_copy(git, folder)
    return []
