"""Show where a project stands, in a few lines, and which command comes next.

Without --project it shows the only project, or the one whose run uses this working tree, or else a list of all.
--html FILE writes one page that needs no network; it only overwrites a page that it wrote before.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.contract.stages import command, stages
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.root import current_folder, find_root
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.holder import find_lock
from ultra_runtime.run.life.new_audit import add_audit
from ultra_runtime.standing.project_standing import ProjectStanding, find_projects
from ultra_runtime.status.lines import data_of, lines_of, list_data, list_lines
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line

USAGE = "status [--project DIR] [--html FILE] [--json]"
FOR_PEOPLE = "look"

ENDINGS = (".html", ".htm")
LOOKED_AT = 4096


def run(args: Args) -> Answer:
    """Answer with the state of the project, or with the list of projects."""
    target, given = args.get("--html"), args.get("--project")
    if target:
        _refuse_target(target)
    projects = [find_project(given)] if given else _projects()
    if len(projects) != 1:
        if target:
            raise _no_page(projects)
        return _list(projects)
    standing = ProjectStanding(projects[0]).audit(add_audit)
    data, lines = data_of(standing), lines_of(standing)
    if target:
        _write(target, standing)
        data["html"] = target
        lines.append(f"Page     {one_line(target, 500)}")
    return Answer(data, "\n".join(lines))


def _projects() -> list[Project]:
    """Return the project whose run uses this working tree, or else all projects."""
    root = find_root(current_folder())
    if root is None:
        return []
    projects = find_projects(root)
    if len(projects) < 2:
        return projects
    found = find_lock(root)
    held = [one for one in projects if found and found[2].get("project") == one.shown]
    return held or projects


def _no_page(projects: list[Project]) -> RefusedError:
    if projects:
        hint = f"name one with --project DIR; `{verb('status')}` lists them"
        return RefusedError("there are several projects, and a page shows one", hint)
    return RefusedError("there is no project here, so no page was written", f"start one: {_first_call()}")


def _first_call() -> str:
    return command(stages()[0].name) if stages() else f"{verb('project new')} SLUG"


def _list(projects: list[Project]) -> Answer:
    if not projects:
        begin = _first_call()
        return Answer({"ok": True, "projects": [], "next": begin}, f"No projects here. To start one: {begin}")
    standings = [ProjectStanding(project) for project in projects]
    more = f"{verb('status')} --project DIR"
    data = {"ok": True, "projects": list_data(standings), "next": f"{more} shows more"}
    return Answer(data, "\n".join([*list_lines(standings), "", f"`{more}` shows more."]))


def _refuse_target(target: str) -> None:
    """Refuse to replace any file but a page that this verb wrote."""
    from ultra_runtime.status.page import MARK

    hint = "name a new file that ends in .html"
    if not target.lower().endswith(ENDINGS):
        raise RefusedError(f"{one_line(target)} does not end in {' or '.join(ENDINGS)}", hint)
    if not os.path.lexists(target):
        return
    from ultra_runtime.files.regular_file import read_if_any

    if os.path.islink(target) or MARK.encode() not in read_if_any(target)[:LOOKED_AT]:
        raise RefusedError(f"{one_line(target)} exists and was not written by `{verb('status')}`", hint)


def _write(target: str, standing: ProjectStanding) -> None:
    from ultra_runtime.files.atomic import WriteError, write_file
    from ultra_runtime.status.page import page

    try:
        write_file(target, page(standing).encode("utf-8"))
    except WriteError as problem:
        raise RefusedError(f"{one_line(target)}: {problem}", "name a file in an existing folder") from None
