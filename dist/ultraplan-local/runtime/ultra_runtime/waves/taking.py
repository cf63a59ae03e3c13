"""Take what a worker on another machine has pushed: only the leased attempt's result counts, another's is kept and named."""

from __future__ import annotations

import os

from ultra_runtime.files.quick_write import make_folder, put
from ultra_runtime.waves.attempts import start_of
from ultra_runtime.waves.leasing import facts_of
from ultra_runtime.waves.recovery import recovery_text
from ultra_runtime.waves.session_tree import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_run import WaveRun

STRANGE = "its result does not descend from the commit that it was leased with"


def take_result(run: WaveRun, one: SessionStand, told: Mapping[str, Any]) -> dict[str, Any]:
    """Make the work of the leased attempt the session's branch and facts, and return how it ended."""
    end = {**told["end"], "spoken": told["spoken"], "machine": told.get("machine") or ""}
    tip, start = str(told["tip"]), start_of(run, one)
    if not run.git.is_ancestor(start, tip):
        keep_ghost(run, one.number, one.attempt, tip, {})
        return {**end, "why": STRANGE}
    set_branch(run, one, tip)
    slug = run.slugs_of(one)[-1]
    facts: dict[str, str | None] = dict.fromkeys(run.git.refs(slug))
    facts.update(facts_of(told["refs"]))
    if told["refs"]:
        facts["plan"] = _plan_blob(run, one)
    run.git.set_refs(slug, facts)
    if told.get("rest"):
        keep(run, one.number, one.attempt, str(told["rest"]))
    show_progress(one, told)
    return end


def set_branch(run: WaveRun, one: SessionStand, tip: str) -> None:
    """Let the branch of a session be a commit; what only the branch had before is kept."""
    ref = f"refs/heads/{run.branch_of(one.number)}"
    old = run.git.ref(ref)
    if old and old != tip and not run.git.is_ancestor(old, tip):
        keep(run, one.number, max(1, one.attempt - 1), old)
    run.git.ask("update-ref", ref, tip)


def keep_ghost(run: WaveRun, session: int, attempt: int, commit: str, told: Mapping[str, Any]) -> None:
    """Keep what an attempt pushed that nobody leased any more."""
    keep(run, session, attempt, str(told.get("rest") or told.get("tip") or commit))


def show_progress(one: SessionStand, told: Mapping[str, Any]) -> None:
    """Write the progress of a run elsewhere to where that of a run here would be."""
    for path, text in (told.get("progress") or {}).items():
        place = os.path.normpath(os.path.join(one.lease["tree"], path))
        if place.startswith(os.path.join(one.lease["tree"], "")):
            make_folder(os.path.dirname(place))
            put(place, str(text).encode("utf-8", "surrogateescape"))


def _plan_blob(run: WaveRun, one: SessionStand) -> str:
    if not one.depth:
        return str(run.state.begin["blob"])
    text = recovery_text(run, one).encode("utf-8", "surrogateescape")
    return run.git.ask("hash-object", "-w", "--stdin", given=text).decode().strip()
