"""A project directory: where it is, and which of its files git ignores."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.root import PROJECTS, current_folder, find_root
from ultra_runtime.files.run_files import LOGS, PREVIOUS
from ultra_runtime.rendered import table, verb
from ultra_runtime.words import one_line

IGNORE_FILE = ".gitignore"
GATE_FILE = ".brief-gate.local.json"
IGNORED = (f"/{GATE_FILE}", f"/{LOGS}/", "*.log", "*.draft", f"*{PREVIOUS}", ".*.tmp")
NEW = f"name a folder under .claude/projects/, or create one with `{verb('project new')} SLUG`"


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

    def ignore(self) -> None:
        """Let git ignore the runtime's own files; an existing .gitignore stays as it is."""
        if not os.path.lexists(self.path(IGNORE_FILE)):
            from ultra_runtime.files.atomic import Folder

            with Folder(self.folder) as folder:
                folder.write(IGNORE_FILE, ignore_text().encode())


def ignore_text() -> str:
    """Return the .gitignore of a project: files that the runtime alone writes, logs and drafts."""
    stages = table("stages")
    own = [
        "/" + "*".join(part.rpartition("}")[2] for part in pattern.split("{"))
        for kind, patterns in stages.FILES.items()
        for pattern in patterns
        if kind not in stages.TEXTS and not pattern.endswith("/")
    ]
    return "\n".join(["# Files of the runtime; the artifacts are yours to commit.", *own, *IGNORED, ""])


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
        raise RefusedError(f"there is no project directory {one_line(given)}", NEW)
    real = os.path.realpath(found[0])
    parent, name = os.path.split(real)
    if os.path.commonpath([root, real]) != root:
        raise RefusedError(f"{one_line(given)} is outside the repository {one_line(root)}", NEW)
    if parent != os.path.join(root, PROJECTS):
        raise RefusedError(f"{one_line(given)} is not a project directory", NEW)
    return Project(root, name)


def subfolder(project: Project, name: str) -> str:
    """Return the path of a folder of the project; refuse a link that leads elsewhere."""
    path = project.path(name)
    if os.path.lexists(path) and (os.path.realpath(path) != path or not os.path.isdir(path)):
        raise RefusedError(f"{project.show(name)} is not a folder of the project", "replace it with a folder")
    return path


def make_subfolder(project: Project, name: str) -> None:
    """Create a folder of the project, if it does not exist."""
    from ultra_runtime.files.atomic import WriteError

    try:
        os.makedirs(subfolder(project, name), exist_ok=True)
    except OSError as problem:
        raise WriteError(f"{project.show(name)} cannot be created: {problem.strerror}") from None
