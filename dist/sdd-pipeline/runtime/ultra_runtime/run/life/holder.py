"""Who holds a working tree for a run, and what comes next while somebody does; from small files alone, for hooks."""

from __future__ import annotations

import os

from ultra_runtime.contract.stages import Next, stage_that_makes, unfinished_line
from ultra_runtime.files.json_file import read_json
from ultra_runtime.guard.site import run_file
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.standing import read_standing
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.run.state.standing import Standing

LIVE, ELSEWHERE, GONE = "this session", "another session", "a session that is gone"


def find_lock(folder: str) -> tuple[str, str, dict[str, Any]] | None:
    """Return root, git dir and lock of the tree around a folder; a lock that was copied from another tree does not count."""
    try:
        found = run_file(folder)
    except OSError:
        found = None
    if found is None:
        return None
    root, git_dir, path = found
    lock = read_json(path)
    return (root, git_dir, lock) if os.path.realpath(str(lock.get("root"))) == root else None


def holder_of(lock: Mapping[str, Any], session: str = "") -> str:
    """Return who holds the tree: this session, another one, or one that is gone."""
    from ultra_runtime.run.state.owner import Owner, this_owner  # most trees are held by nobody

    owner = Owner.of(lock.get("owner"))
    if owner.is_same(this_owner()) or (session and owner.session == session):
        return LIVE
    return ELSEWHERE if owner.lives() else GONE


def held_next(holder: str, standing: Standing) -> Next:
    """Return what comes next while somebody holds the tree for a run."""
    stage = stage_that_makes(progress_fields.KIND)
    if holder == LIVE:
        return Next(stage, f"the run is in progress: {standing.words}", standing.next)
    if holder == ELSEWHERE:
        return Next(stage, f"the run is in progress in another session: {standing.words}")
    return Next(stage, f"the run was interrupted: {standing.words}", standing.resume)


def line_of_lock(root: str, git_dir: str, lock: dict[str, Any], session: str) -> str:
    """Return the line about the run that uses this working tree, for the start of a session."""
    from ultra_runtime.run.state.owner import Owner

    standing = read_standing(root, git_dir, lock)
    coming = held_next(holder_of(lock, session), standing)
    line = unfinished_line(one_line(str(lock.get("project") or standing.plan)), coming)
    if coming.command:
        return line
    owner = Owner.of(lock.get("owner"))
    return f"{line} ({owner}). Do not change this working tree; `{verb('status')}` shows its progress"
