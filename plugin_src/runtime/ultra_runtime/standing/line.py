"""One line about unfinished work, shown when a session starts; read from files only, without git."""

from __future__ import annotations

import os

from ultra_runtime.contract.stages import find_files, unfinished_line
from ultra_runtime.files.json_file import read_json
from ultra_runtime.run.state.session_state import read_state
from ultra_runtime.standing.project_standing import OVER, ProjectStanding, find_projects
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.project import Project


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
            return unfinished_line(one_line(newest.shown) + more, coming)
    return ""


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
