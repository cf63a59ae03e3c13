"""One line about unfinished work, shown when a session starts; read from files only, without git."""

from __future__ import annotations

from ultra_runtime.contract.stages import file_of, find_files, unfinished_line
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.project import Project
from ultra_runtime.run.state.session_state import KIND, has_state, is_unfinished
from ultra_runtime.standing.project_standing import OVER, ProjectStanding, find_projects
from ultra_runtime.tables.fields import progress_fields, session_state_fields
from ultra_runtime.text.timestamp import instant
from ultra_runtime.words import one_line


def line_of_projects(root: str) -> str:
    """Return the line about the newest project with an unfinished run; empty when there is none."""
    projects = find_projects(root)
    since = {project.shown: _unfinished_since(project) for project in projects}
    unfinished = [project for project in projects if since[project.shown]]
    unfinished.sort(key=lambda project: since[project.shown])
    while unfinished:
        newest = unfinished.pop()
        standing = ProjectStanding(newest)
        run, coming = standing.part(progress_fields.KIND), standing.coming
        if run is not None and run.has_begun and coming.stage != OVER:
            more = f" (and {len(unfinished)} more)" if unfinished else ""
            return unfinished_line(one_line(newest.shown) + more, coming)
    return ""


def _unfinished_since(project: Project) -> int:
    """Return when an unfinished run was last written, from one small file that its stage checks; 0 when there is none."""
    state = read_json(project.path(file_of(KIND))) if has_state(project.folder) else {}
    written = instant(str(state.get(session_state_fields.UPDATED_AT)))
    if written:
        return written if is_unfinished(state) else 0
    runs = [read_json(project.path(name)) for name in find_files(project.folder, progress_fields.KIND)]
    times = [
        instant(str(run.get(progress_fields.UPDATED_AT))) or 0
        for run in runs
        if run.get(progress_fields.STATUS) not in (None, progress_fields.STATUS_COMPLETED)
    ]
    return max(times, default=0)
