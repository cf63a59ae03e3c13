"""Create the folder of a new project, with its research folder and a .gitignore.

It is `.claude/projects/{date}-{slug}/` at the root of the repository; the date is today unless --date is given.
"""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import Answer, RefusedError, UsageError
from ultra_runtime.brief.interview import read_interview
from ultra_runtime.contract.forms import FORMS, is_slug
from ultra_runtime.doctor.billing import billing
from ultra_runtime.files.atomic import WriteError
from ultra_runtime.files.project import Project, make_subfolder
from ultra_runtime.files.root import PROJECTS, current_folder, find_root
from ultra_runtime.rendered import launcher, verb
from ultra_runtime.text.timestamp import is_date
from ultra_runtime.words import counted, listed, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.usage import Args

USAGE = "project new SLUG [--date YYYY-MM-DD] [--json]"


def run(args: Args) -> Answer:
    """Answer with the path of the directory, or say what is in the way."""
    slug = args.need("SLUG")
    date = args.get("--date") or time.strftime("%Y-%m-%d")
    if not is_slug(slug):
        raise _wrong(f"{one_line(slug)} is no slug: {FORMS['slug'][1]} is needed")
    if not is_date(date):
        raise _wrong(f"--date is {one_line(date)}, not a date such as 2026-01-31")
    project = Project(_root(), f"{date}-{slug}")
    there = _entries(project)
    if there:
        return _in_the_way(project, there)
    try:
        os.makedirs(project.folder, exist_ok=True)
        if os.path.realpath(project.folder) != project.folder:
            raise WriteError(f"{project.shown} leads out of the repository")
        make_subfolder(project, "research")
        project.ignore()
    except (OSError, WriteError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise RefusedError(f"{project.shown} cannot be made: {reason}", "see to it and call again") from None
    next_step = "hold the interview; the draft of the brief is put after it"
    data = {"ok": True, "path": project.shown, "billing": billing(), "next": next_step}
    return Answer(data, project.shown)


def _wrong(error: str) -> UsageError:
    return UsageError(error, f"usage: {verb(USAGE)}")


def _root() -> str:
    """Return the root of the repository, or this folder; the home's .claude/projects is the client's own."""
    here = os.path.realpath(current_folder())
    root = find_root(here) or here
    is_home = root == os.path.realpath(os.path.expanduser("~"))
    return here if is_home and not os.path.exists(os.path.join(root, ".git")) else root


def _entries(project: Project) -> list[str]:
    try:
        return sorted(os.listdir(project.folder))
    except FileNotFoundError:
        return []
    except OSError as problem:
        error = f"{project.shown} cannot be used: {problem.strerror}"
        raise RefusedError(error, f"remove it, or choose another slug than this one in {PROJECTS}") from None


def _in_the_way(project: Project, there: list[str]) -> Answer:
    error = f"{project.shown} exists and is not empty: it holds {one_line(listed(there), 300)}"
    next_step = "ask the user: go on in this directory and replace its brief, take another slug, or stop"
    data = {"ok": False, "error": error, "path": project.shown, "billing": billing(), "next": next_step}
    asked = len(read_interview(project))
    if asked:
        error = f"{error}, and {counted(asked, 'question')} of an interview that has not ended"
        note = f"{verb('brief note')} --project {shell_word(project.shown)}"
        next_step = f"{next_step}; or go on with that interview, which `{note}` shows"
        data.update({"error": error, "interview_turns": asked, "next": next_step})
    return Answer(data, f"{launcher()}: {error}\n{next_step}", 1)
