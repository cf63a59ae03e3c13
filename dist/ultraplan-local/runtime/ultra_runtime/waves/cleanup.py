"""Clean up after sessions: what is not merged is saved first, and only what the run made goes."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.worktree import remove_tree
from ultra_runtime.files.git import GitError
from ultra_runtime.run.state.wave_state import MERGED, PASSED, RUNNING
from ultra_runtime.waves.attempts import attempt_of, spent
from ultra_runtime.waves.branch_audit import proof_of
from ultra_runtime.waves.session_tree import drop_branch, drop_folder, keep, remove_tree_of, rescue
from ultra_runtime.waves.stream import read_stream
from ultra_runtime.waves.wave_proof import WHOLE
from ultra_runtime.waves.wave_run import MERGING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_engine import WaveEngine
    from ultra_runtime.waves.wave_run import WaveRun


def clean_up(run: WaveRun, engine: WaveEngine) -> list[str]:
    """Clean up after everything, and return what could not be cleaned; it stays as it is."""
    problems = clean_sessions(run, list(run.state.sessions.values()), engine)
    problems += engine.close()
    proof_of(run, WHOLE).stop()
    try:
        remove_tree_of(run, os.path.join(run.folder(), MERGING))
        drop_folder(run)
        if all(one.state == MERGED for one in run.state.sessions.values()):
            _drop_refs(run)
    except (RefusedError, GitError, OSError) as problem:
        problems.append(str(problem))
    return problems


def clean_sessions(run: WaveRun, sessions: list[SessionStand], engine: WaveEngine) -> list[str]:
    """Clean up after sessions, and return what could not be cleaned."""
    problems = []
    for one in sessions:
        if not one.cleaned:
            try:
                clean_session(run, one, engine)
            except (RefusedError, GitError, OSError) as problem:
                problems.append(f"session {one.number} is not cleaned up: {problem}")
    return problems


def clean_session(run: WaveRun, one: SessionStand, engine: WaveEngine) -> None:
    """End what runs, save what is not committed, then remove the working tree; a branch stays until it is merged."""
    run.note("clean", session=one.number)
    used: dict[str, float] = {}
    if one.lease.get("mark"):
        attempt = attempt_of(run, one)
        engine.end(attempt)
        if one.state == RUNNING:
            used["dollars"] = spent(one, read_stream(attempt.log))
    proof_of(run, f"session-{one.number}").stop()
    path = run.tree_of(one.number)
    rescue(run, path, one.number, one.attempt)
    _settle_branch(run, one)
    remove_tree_of(run, path)
    if one.state == MERGED or not _ahead(run, one):
        _drop_branch(run, one)
    _drop_temporary(one)
    run.note("cleaned", session=one.number, **used)


def _ahead(run: WaveRun, one: SessionStand) -> bool:
    """Tell whether the branch of a session has something that its base lacks."""
    tip = run.tip_of(one.number)
    return bool(tip) and not run.git.is_ancestor(tip, run.state.waves[one.wave].base)


def _settle_branch(run: WaveRun, one: SessionStand) -> None:
    """Also keep the commits of a session that is not merged under their own ref."""
    tip = run.tip_of(one.number)
    later = tip and tip != one.tip  # than the audit, whose commit was merged
    lost = one.state == MERGED and later and not run.git.is_ancestor(tip, one.merged)
    if lost or (one.state not in (MERGED, PASSED) and _ahead(run, one)):
        keep(run, one.number, one.attempt, tip)


def _drop_branch(run: WaveRun, one: SessionStand) -> None:
    tip = run.tip_of(one.number)
    if tip:
        drop_branch(run, one.number, tip)


def _drop_temporary(one: SessionStand) -> None:
    """Remove the session's folder for temporary files, if it is one."""
    folder = one.lease.get("temporary") or ""
    if (
        folder
        and os.path.isdir(folder)
        and not os.path.islink(folder)
        and os.lstat(folder).st_uid == os.getuid()
    ):
        remove_tree(folder)


def _drop_refs(run: WaveRun) -> None:
    """Forget the refs of waves that are on the user's branch."""
    said = run.git.ask("for-each-ref", "--format=%(refname)", f"{run.ref()}/").decode().split()
    if said:
        run.set_refs(dict.fromkeys(said, ""))
