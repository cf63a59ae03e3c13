"""One line about what is unfinished here, for a session that begins; from the files alone, without git."""

from __future__ import annotations

import os

from ultra_runtime.contract.stages import find_files
from ultra_runtime.files.json_file import read_json
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.run_facts import holder_of
from ultra_runtime.run.life.standing import held_next
from ultra_runtime.run.state.lock import Owner
from ultra_runtime.run.state.session_state import read_state
from ultra_runtime.run.state.standing import read_standing
from ultra_runtime.run.state.statuses import COMPLETED
from ultra_runtime.standing.project_standing import OVER, ProjectStanding, find_projects
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.text.timestamp import instant
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.contract.stage_part import Next
    from ultra_runtime.files.project import Project


def line_of_lock(root: str, git_dir: str, lock: dict[str, Any], session: str) -> str:
    """Return the line about the run that holds the tree."""
    standing = read_standing(root, git_dir, lock)
    coming = held_next(holder_of(lock, session), standing)
    where = one_line(str(lock.get("project") or standing.plan))
    if coming.command:
        return _line(where, coming)
    owner = Owner.of(lock.get("owner"))
    return f"{_line(where, coming)} ({owner}). Leave this working tree to it; `{verb('status')}` shows how far it is"


def line_of_projects(root: str) -> str:
    """Return the line about the newest project whose run is unfinished, or nothing."""
    since = {project.shown: _unfinished_since(project) for project in find_projects(root)}
    unfinished = [project for project in find_projects(root) if since[project.shown]]
    unfinished.sort(key=lambda project: since[project.shown])
    while unfinished:
        newest = unfinished.pop()
        coming = ProjectStanding(newest).coming
        if coming.stage != OVER:
            more = f" (and {len(unfinished)} more)" if unfinished else ""
            return _line(one_line(newest.shown) + more, coming)
    return ""


def _line(where: str, coming: Next) -> str:
    go_on = f". To go on: {coming.command}" if coming.command else ""
    return f"Unfinished, {coming.stage} of {where}: {one_line(coming.reason, 200)}{go_on}"


def _unfinished_since(project: Project) -> int:
    """Return when an unfinished run was written last, by a look at one small file; 0 when there is none."""
    state = read_state(project.root, project.folder)
    if state is not None:
        return state.instant if state.unfinished else 0
    names = find_files(project.folder, progress_fields.KIND)
    runs = [read_json(os.path.join(project.folder, name)) for name in names]
    times = [
        instant(str(run.get(progress_fields.UPDATED_AT))) or 0
        for run in runs
        if run.get(progress_fields.STATUS) not in (None, COMPLETED)
    ]
    return max(times, default=0)
