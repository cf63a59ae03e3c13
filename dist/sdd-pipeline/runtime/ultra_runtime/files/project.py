"""A project directory: where it is."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.root import PROJECTS, current_folder, find_root
from ultra_runtime.rendered import has_verb, verb
from ultra_runtime.tables import PROJECTS as SHOWN
from ultra_runtime.words import one_line

IGNORE_FILE = ".gitignore"
GATE_FILE = ".brief-gate.local.json"


class Project:
    """A project directory of the repository; `shown` is its path relative to the root."""

    __slots__ = ("folder", "root", "shown")

    def __init__(self, root: str, name: str) -> None:
        self.root = root
        self.folder = os.path.join(root, PROJECTS, name)
        self.shown = "/".join([*PROJECTS.split(os.sep), name])

    def path(self, *parts: str) -> str:
        """Return the path of something in this project."""
        return os.path.join(self.folder, *parts)

    def show(self, *parts: str) -> str:
        """Return the path of something in this project, relative to the root."""
        return "/".join([self.shown, *parts])


def find_project(given: str) -> Project:
    """Return the named project directory, relative to here or to the root of the repository."""
    here = current_folder()
    root = find_root(here)
    if root is None:
        raise RefusedError("this folder is not in a repository", "start in the repository that you work on")
    try:
        found = [path for path in (given, os.path.join(root, given)) if os.path.isdir(path)]
    except ValueError:
        found = []
    if not found:
        raise RefusedError(f"there is no project directory {one_line(given)}", _how_to_name())
    real = os.path.realpath(found[0])
    parent, name = os.path.split(real)
    if os.path.commonpath([root, real]) != root:
        raise RefusedError(f"{one_line(given)} is outside the repository {one_line(root)}", _how_to_name())
    if parent != os.path.join(root, PROJECTS):
        raise RefusedError(f"{one_line(given)} is not a project directory", _how_to_name())
    return Project(root, name)


def _how_to_name() -> str:
    new = f", or create one with `{verb('project new')} SLUG`" if has_verb("project new") else ""
    return f"name a folder under {SHOWN}/{new}"


def subfolder(project: Project, name: str) -> str:
    """Return the path of a folder of the project; refuse a link that leads elsewhere."""
    path = project.path(name)
    if os.path.lexists(path) and (os.path.realpath(path) != path or not os.path.isdir(path)):
        raise RefusedError(f"{project.show(name)} is not a folder of the project", "replace it with a folder")
    return path
