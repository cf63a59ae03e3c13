"""Pin the sessions of a plan to what is around it: settings, git's conversions, included files, dependencies."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.surroundings import changed_names, look_around
from ultra_runtime.files.run_refs import AROUND
from ultra_runtime.run.state.around import keep_around
from ultra_runtime.run.tree.snapshot import list_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.waves.wave_run import WaveRun

ACCEPT = "--accept-settings-change"


def pin_around(run: WaveRun) -> dict[str, str]:
    """Pin a run to its surroundings as they are now, and return the entry for its journal."""
    run.read_settings()
    run.around = look_around(run.git, run.given, run.settings)
    blob = keep_around(run.git, run.around)
    run.update_ref(run.ref(AROUND), blob)
    return {AROUND: blob}


def pin_again(run: WaveRun, accepts: bool) -> dict[str, str]:
    """Refuse surroundings that changed since they were pinned, unless the user accepts them."""
    was = run.around
    if was is None:
        return pin_around(run)
    run.read_settings()
    names = changed_names(was, look_around(run.git, run.given, run.settings, was.carried))
    if not names:
        return {}
    if not accepts:
        error = f"changed since the waves began: {list_paths(names)}"
        raise RefusedError(error, f"ask the user; undo it, or add {ACCEPT} if it is wanted")
    return pin_around(run)
