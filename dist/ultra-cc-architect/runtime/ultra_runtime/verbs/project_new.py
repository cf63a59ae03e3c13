"""Create the folder of a new project, with its research folder and a .gitignore.

It is `.claude/projects/{date}-{slug}/` at the root of the repository; the date is today unless --date is given.
"""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import Answer, RefusedError, UsageError
from ultra_runtime.brief.interview import read_interview
from ultra_runtime.contract.forms import FORMS, is_slug
from ultra_runtime.contract.stages import folder_of, placed_kinds
from ultra_runtime.doctor.billing import billing
from ultra_runtime.files.atomic import WriteError
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.root import PROJECTS, current_folder, find_root
from ultra_runtime.rendered import has_verb, launcher, verb
from ultra_runtime.tables.fields import research_fields
from ultra_runtime.text.timestamp import is_date
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, one_line, shell_word

USAGE = "project new SLUG [--date YYYY-MM-DD] [--json]"


def run(args: Args) -> Answer:
    """Answer with the path of the directory, or say why it cannot be created."""
    slug = args.need("SLUG")
    date = args.get("--date") or time.strftime("%Y-%m-%d")
    if not is_slug(slug):
        raise _wrong(f"SLUG must be {FORMS['slug'][1]}, not {one_line(slug)}")
    if not is_date(date):
        raise _wrong(f"--date must be a date such as 2026-01-31, not {one_line(date)}")
    project = Project(_root(), f"{date}-{slug}")
    there = _entries(project)
    if there:
        return _exists(project, there)
    try:
        os.makedirs(project.folder, exist_ok=True)
        if os.path.realpath(project.folder) != project.folder:
            raise WriteError(f"{project.shown} is outside the repository")
        if research_fields.KIND in placed_kinds():
            make_subfolder(project, folder_of(research_fields.KIND))
        ignore_own_files(project)
    except (OSError, WriteError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise RefusedError(f"{project.shown} cannot be created: {reason}", "fix this and retry") from None
    next_step = "hold the interview, then put the draft of the brief"
    data = {"ok": True, "path": project.shown, "billing": billing(), "next": next_step}
    return Answer(data, project.shown)


def _wrong(error: str) -> UsageError:
    return UsageError(error, f"usage: {verb(USAGE)}")


def _root() -> str:
    """Return the root of the repository, or this folder; ~/.claude/projects belongs to the client."""
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
        raise RefusedError(error, f"remove it, or choose another slug in {PROJECTS}") from None


def _exists(project: Project, there: list[str]) -> Answer:
    error = f"{project.shown} exists and is not empty: it has {one_line(listed(there), 300)}"
    next_step = "ask the user: continue in this directory and replace its brief, choose another slug, or stop"
    data = {"ok": False, "error": error, "path": project.shown, "billing": billing(), "next": next_step}
    asked = len(read_interview(project))
    if asked and has_verb("brief note"):
        error = f"{error}, and {counted(asked, 'question')} of an unfinished interview"
        note = f"{verb('brief note')} --project {shell_word(project.shown)}"
        next_step = f"{next_step}; or continue that interview, which `{note}` shows"
        data.update({"error": error, "interview_turns": asked, "next": next_step})
    return Answer(data, f"{launcher()}: {error}\n{next_step}", 1)
