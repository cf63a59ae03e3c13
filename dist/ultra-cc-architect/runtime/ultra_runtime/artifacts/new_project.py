"""Create the directory of a new project."""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import RefusedError, UsageError
from ultra_runtime.contract.forms import FORMS, is_slug
from ultra_runtime.contract.stages import folder_of, placed_kinds
from ultra_runtime.files.atomic import WriteError
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import ignore_own_files, make_subfolder
from ultra_runtime.files.root import PROJECTS, current_folder, find_root
from ultra_runtime.rendered import verb
from ultra_runtime.tables.fields import research_fields
from ultra_runtime.text.timestamp import is_date
from ultra_runtime.words import one_line


def project_for(slug: str, date: str | None, usage: str) -> tuple[Project, list[str]]:
    """Return the project of a slug and a day, today unless given, and what is already in its directory."""
    date = date or time.strftime("%Y-%m-%d")
    if not is_slug(slug):
        raise _wrong(f"SLUG must be {FORMS['slug'][1]}, not {one_line(slug)}", usage)
    if not is_date(date):
        raise _wrong(f"--date must be a date such as 2026-01-31, not {one_line(date)}", usage)
    project = Project(_root(), f"{date}-{slug}")
    return project, _entries(project)


def create(project: Project) -> None:
    """Make the directory, with its research folder and a .gitignore."""
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


def _wrong(error: str, usage: str) -> UsageError:
    return UsageError(error, f"usage: {verb(usage)}")


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
