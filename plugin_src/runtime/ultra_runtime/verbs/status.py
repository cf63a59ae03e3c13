"""Show where a project stands, in a few lines, and which command comes next.

Without --project it shows the only project, or the one whose run uses this working tree, or else a list of all.
--html [FILE] writes one page that needs no network: of the project, or of all when there are several. Without FILE it
goes to the project's logs, with - to standard output. It only overwrites a page that it wrote before. --watch shows the
lines again after every change, until it is interrupted.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.contract.stages import command, stages
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.project_writes import make_subfolder
from ultra_runtime.files.root import current_folder, find_root
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.holder import find_lock
from ultra_runtime.run.life.new_audit import add_audit
from ultra_runtime.standing.project_standing import ProjectStanding, find_projects
from ultra_runtime.status.lines import data_of, lines_of, list_data, list_lines
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line

USAGE = "status [--project DIR] [--html [FILE]|--watch] [--json]"
FOR_PEOPLE = "look"

ENDINGS = (".html", ".htm")
LOOKED_AT = 4096
PAGE, STDOUT = "status.html", "-"
CLEAR = "\x1b[H\x1b[2J"
NAP = 1.0


def run(args: Args) -> Answer:
    """Answer with the state of the project, or with the list of projects."""
    if args.flag("--watch"):
        _watch(args)
    answer = _answer(args)
    target = args.get("--html")
    return answer if target is None else _page(args, target, answer)


def _chosen(args: Args) -> list[Project]:
    given = args.get("--project")
    return [find_project(given)] if given else _projects()


def _answer(args: Args) -> Answer:
    projects = _chosen(args)
    if len(projects) != 1:
        return _list(projects)
    standing = ProjectStanding(projects[0]).audit(add_audit)
    return Answer(data_of(standing), "\n".join(lines_of(standing)))


def _page(args: Args, target: str, answer: Answer) -> Answer:
    """Write the page of the projects and add its place to the answer."""
    from ultra_runtime.status.links import Links
    from ultra_runtime.status.page import page

    projects = _chosen(args)
    if not projects:
        raise RefusedError("there is no project here, so no page was written", f"start one: {_first_call()}")
    path = target or _usual_place(projects)
    if path != STDOUT:
        _refuse_target(path)
    folder = current_folder() if path == STDOUT else os.path.dirname(os.path.abspath(path))
    made = page([ProjectStanding(one).audit(add_audit) for one in projects], Links(folder))
    if path == STDOUT:
        return Answer({"ok": True, "html": made}, made)
    _write(path, made)
    return Answer({**answer.data, "html": path}, f"{answer.text}\nPage     {one_line(path, 500)}")


def _usual_place(projects: list[Project]) -> str:
    """Return where a page goes that nobody named a place for: git ignores the logs of a project."""
    if len(projects) > 1:
        raise RefusedError("there are several projects, so the page needs a name", "write --html FILE.html")
    make_subfolder(projects[0], LOGS)
    return (
        projects[0].show(LOGS, PAGE) if current_folder() == projects[0].root else projects[0].path(LOGS, PAGE)
    )


def _watch(args: Args) -> None:
    """Print the lines again after every change, until interrupted."""
    import sys
    import time

    from ultra_runtime.text.jsontext import write

    shown = ""
    while True:
        answer = _answer(args)
        text = write(answer.data) if args.flag("--json") else answer.text
        if text != shown:
            clear = CLEAR if sys.stdout.isatty() and not args.flag("--json") else ""
            sys.stdout.write(f"{clear}{text}\n" if args.flag("--json") else f"{clear}{text}\n\n")
            sys.stdout.flush()
            shown = text
        time.sleep(NAP)


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


def _write(target: str, made: str) -> None:
    from ultra_runtime.files.atomic import WriteError, write_file

    try:
        write_file(target, made.encode("utf-8"))
    except WriteError as problem:
        raise RefusedError(f"{one_line(target)}: {problem}", "name a file in an existing folder") from None
