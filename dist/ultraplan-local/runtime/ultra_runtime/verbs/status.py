"""Show where a project stands, in a few lines, and which command comes next.

Without --project it shows the only project, or the one whose run uses this working tree, or else a list of all.
--html FILE writes one page that needs no network; it only overwrites a page that it wrote before.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.root import current_folder, find_root
from ultra_runtime.rendered import names, verb
from ultra_runtime.status.lines import data_of, lines_of, list_data, list_lines
from ultra_runtime.status.project_facts import find_projects, gather
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.status.project_facts import ProjectFacts
    from ultra_runtime.usage import Args

USAGE = "status [--project DIR] [--html FILE] [--json]"

ENDINGS = (".html", ".htm")
LOOKED_AT = 4096


def run(args: Args) -> Answer:
    """Answer with the project, or with the list of projects."""
    target, given = args.get("--html"), args.get("--project")
    if target:
        _refuse_target(target)
    projects = [find_project(given)] if given else _projects()
    if len(projects) != 1:
        if target:
            error = "there are several projects" if projects else "there is no project here"
            raise RefusedError(error, f"name one with --project DIR; `{verb('status')}` lists them")
        return _list(projects)
    facts = gather(projects[0])
    data, lines = data_of(facts), lines_of(facts)
    if target:
        _write(target, facts)
        data["html"] = target
        lines.append(f"Page     {one_line(target, 500)}")
    return Answer(data, "\n".join(lines))


def _projects() -> list[Project]:
    """Return the project of the run that holds this tree, or else all of them."""
    root = find_root(current_folder())
    if root is None:
        return []
    projects = find_projects(root)
    if len(projects) < 2:
        return projects
    from ultra_runtime.guard.site import run_file
    from ultra_runtime.run.state.standing import read_json

    found = run_file(root)
    lock = read_json(found[2]) if found else {}
    held = [one for one in projects if lock.get("root") == root and lock.get("project") == one.shown]
    return held or projects


def _list(projects: list[Project]) -> Answer:
    if not projects:
        command = names().commands.get("brief", f"{verb('project new')} SLUG")
        return Answer({"ok": True, "projects": [], "next": command}, f"No projects here. To begin: {command}")
    facts = [gather(project, audited=False) for project in projects]
    data = {"ok": True, "projects": list_data(facts), "next": f"{verb('status')} --project DIR tells more"}
    return Answer(data, "\n".join([*list_lines(facts), "", f"`{verb('status')} --project DIR` tells more."]))


def _refuse_target(target: str) -> None:
    """Refuse to replace anything but a page of ours, wherever it lies."""
    from ultra_runtime.status.page import MARK

    hint = "name a new file that ends in .html"
    if not target.lower().endswith(ENDINGS):
        raise RefusedError(f"{one_line(target)} is not the name of a page", hint)
    if not os.path.lexists(target):
        return
    from ultra_runtime.files.regular_file import UnreadableError, read_regular

    try:
        is_ours = not os.path.islink(target) and MARK.encode() in read_regular(target)[:LOOKED_AT]
    except UnreadableError:
        is_ours = False
    if not is_ours:
        raise RefusedError(f"{one_line(target)} is there and was not written by `{verb('status')}`", hint)


def _write(target: str, facts: ProjectFacts) -> None:
    from ultra_runtime.files.atomic import WriteError, write_file
    from ultra_runtime.status.page import page

    try:
        write_file(target, page(facts).encode("utf-8"))
    except WriteError as problem:
        raise RefusedError(
            f"{one_line(target)}: {problem}", "name a file in a folder that is there"
        ) from None
