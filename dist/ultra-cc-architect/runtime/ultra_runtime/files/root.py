"""Find the root of the repository, and show paths relative to it."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.tables import PROJECTS as SHOWN

PROJECTS = os.path.normpath(SHOWN)


def current_folder() -> str:
    """Return the current folder."""
    try:
        return os.getcwd()
    except OSError:
        raise RefusedError("the current folder no longer exists", "cd to the repository") from None


def find_root(start: str) -> str | None:
    """Return the nearest folder at or above `start` that has `.git` or `.claude/projects`, else `.claude`."""
    above = list(_upwards(os.path.realpath(start)))
    for folder in above:
        if os.path.exists(os.path.join(folder, ".git")) or os.path.isdir(os.path.join(folder, PROJECTS)):
            return folder
    for folder in above:
        if os.path.isdir(os.path.join(folder, ".claude")):
            return folder
    return None


def _upwards(folder: str) -> list[str]:
    folders = [folder]
    while (parent := os.path.dirname(folder)) != folder:
        folder = parent
        folders.append(folder)
    return folders


def working_root() -> str:
    """Return the root of the repository around the current folder, or that folder itself."""
    here = current_folder()
    return find_root(here) or here


def from_here(given: str) -> str:
    """Return a path as it was given, or from the root of the repository if only that one exists."""
    root = "" if os.path.isabs(given) or os.path.lexists(given) else find_root(current_folder())
    path = os.path.join(root or "", given)
    return path if os.path.lexists(path) else given


def git_dir_around(folder: str) -> str:
    """Return the git dir of the working tree around a folder, without asking git; empty when there is none."""
    root = find_root(folder)
    if root is None:
        return ""
    mark = os.path.join(root, ".git")
    try:
        if not os.path.isfile(mark):
            return mark if os.path.isdir(mark) else ""
        with open(mark, encoding="utf-8", errors="surrogateescape") as file:
            return os.path.join(root, file.read().partition(":")[2].strip())
    except OSError:
        return ""


def names_in(folder: str) -> list[str]:
    """Return the sorted names in a folder; none when it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def seen_from(root: str, path: str) -> str:
    """Return the path relative to the root when it is inside, else the whole path."""
    inside = os.path.join(root, "")
    for spelled in (os.path.abspath(path), os.path.realpath(path)):
        if spelled.startswith(inside):
            return spelled[len(inside) :]
    return os.path.abspath(path)
