"""One line about unfinished work, shown when a session starts; read from files only, without git."""

from __future__ import annotations

import os

from ultra_runtime.contract.stages import find_files
from ultra_runtime.files.json_file import read_json
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.owner import Owner
from ultra_runtime.run.state.session_state import read_state
from ultra_runtime.run.state.standing import read_standing
from ultra_runtime.standing.project_standing import OVER, ProjectStanding, find_projects
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.contract.stages import Next
    from ultra_runtime.files.project import Project


def line_of_lock(root: str, git_dir: str, lock: dict[str, Any], session: str) -> str:
    """Return the line about the run that uses this working tree."""
    from ultra_runtime.run.life.holder import held_next, holder_of

    standing = read_standing(root, git_dir, lock)
    coming = held_next(holder_of(lock, session), standing)
    where = one_line(str(lock.get("project") or standing.plan))
    if coming.command:
        return _line(where, coming)
    owner = Owner.of(lock.get("owner"))
    return f"{_line(where, coming)} ({owner}). Do not change this working tree; `{verb('status')}` shows its progress"


def line_of_projects(root: str) -> str:
    """Return the line about the newest project with an unfinished run; empty when there is none."""

    projects = find_projects(root)
    since = {project.shown: _unfinished_since(project) for project in projects}
    unfinished = [project for project in projects if since[project.shown]]
    unfinished.sort(key=lambda project: since[project.shown])
    while unfinished:
        newest = unfinished.pop()
        coming = ProjectStanding(newest).coming
        if coming.stage != OVER:
            more = f" (and {len(unfinished)} more)" if unfinished else ""
            return _line(one_line(newest.shown) + more, coming)
    return ""


def _line(where: str, coming: Next) -> str:
    more = f". To continue: {coming.command}" if coming.command else ""
    return f"Unfinished, {coming.stage} of {where}: {one_line(coming.reason, 200)}{more}"


def _unfinished_since(project: Project) -> int:
    """Return when an unfinished run was last written, from one small file; 0 when there is none."""
    from ultra_runtime.text.timestamp import instant

    state = read_state(project.root, project.folder)
    if state is not None:
        return state.instant if state.unfinished else 0
    names = find_files(project.folder, progress_fields.KIND)
    runs = [read_json(os.path.join(project.folder, name)) for name in names]
    times = [
        instant(str(run.get(progress_fields.UPDATED_AT))) or 0
        for run in runs
        if run.get(progress_fields.STATUS) not in (None, progress_fields.STATUS_COMPLETED)
    ]
    return max(times, default=0)
