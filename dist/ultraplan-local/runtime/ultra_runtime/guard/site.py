"""Find where a tool call happens, and whether this session has a run in progress there.

This runs before every tool call, so "no" costs a look at one or two files.
"""

from __future__ import annotations

import os

from ultra_runtime.errors import UltraError
from ultra_runtime.tables import LAUNCHER
from ultra_runtime.tables import PROJECTS as SHOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

PROJECTS = SHOWN + "/"
# The runtime's own folder in the git dir, and in it the file that says whose run is under way and the folder of waves.
# They stand here, not in files/run_files: hooks ask for them, and each further module would cost a file.
FOLDER = LAUNCHER
LOCK = "run.json"
WAVES = "waves"


class LockError(UltraError):
    """A run file that cannot be read, so the owner of the run is unknown."""


class Site:
    """A working tree and the run in it."""

    __slots__ = ("git_dir", "lock", "root")

    def __init__(self, root: str, git_dir: str, lock: dict[str, Any]) -> None:
        self.root = root
        self.git_dir = git_dir
        self.lock = lock

    @property
    def is_linked(self) -> bool:
        """Whether the tree is a worktree, whose git dir is inside that of the main tree."""
        return not self.git_dir.startswith(os.path.join(self.root, ""))


def site_of_plan(root: str, plan: str, project: str = "") -> Site:
    """Return the site of a run of that plan, started or not; a project is relative to the root."""
    git_dir = next((found for tree, found in trees(root) if tree == root), os.path.join(root, ".git"))
    shown = os.path.relpath(os.path.realpath(plan), root).replace(os.sep, "/") if plan else ""
    if not project and shown.startswith(PROJECTS):
        project = "/".join(shown.split("/")[:3])
    return Site(root, git_dir, {"root": root, "plan": shown, "project": project})


def places() -> list[str]:
    """Return the folders that the client names for a hook; a deleted one still belongs to its tree."""
    found = [os.environ.get("CLAUDE_PROJECT_DIR", "")]
    try:
        found.append(os.getcwd())
    except OSError:
        found.append(os.environ.get("PWD", ""))
    return [folder for folder in found if os.path.isabs(folder)]


def trees(start: str) -> Iterator[tuple[str, str]]:
    """Yield root and git dir of every working tree around a folder, the nearest first.

    A submodule or a nested worktree is also part of the tree around it.
    """
    folder = os.path.realpath(start)
    while True:
        mark = os.path.join(folder, ".git")
        if os.path.isdir(mark):
            yield folder, os.path.realpath(mark)
        elif os.path.isfile(mark):
            yield folder, _pointed_at(folder, mark)
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _pointed_at(folder: str, mark: str) -> str:
    """Return the git dir that the .git file of a worktree or submodule names."""
    with open(mark, encoding="utf-8", errors="surrogateescape") as file:
        return os.path.realpath(os.path.join(folder, file.read().partition(":")[2].strip()))


def shared_git_dir(root: str) -> str:
    """Return the git dir that all working trees of a repository share; empty without one."""
    git_dir = next((found for tree, found in trees(root) if tree == root), "")
    mark = os.path.join(git_dir, "commondir")
    if not git_dir or not os.path.isfile(mark):
        return git_dir
    with open(mark, encoding="utf-8", errors="surrogateescape") as file:
        return os.path.normpath(os.path.join(git_dir, file.read().strip()))


def lock_path(git_dir: str) -> str:
    """Return the file that says whose run is under way in a working tree."""
    return os.path.join(git_dir, FOLDER, LOCK)


def run_files(starts: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield root, git dir and run file of every tree around the folders that has one."""
    seen = set()
    for start in starts:
        for root, git_dir in trees(start):
            path = lock_path(git_dir)
            if path not in seen and os.path.lexists(path):
                yield root, git_dir, path
            seen.add(path)


def run_file(start: str) -> tuple[str, str, str] | None:
    """Return root, git dir and run file of the nearest tree around a folder that has one."""
    return next(run_files([start]), None)


def find_site(starts: Iterable[str], session: str) -> Site | None:
    """Return the site of a run that belongs to this session; runs of others do not count."""
    for root, git_dir, path in run_files(starts):
        lock = _read(path)
        # A lock that names another tree was copied with its git dir, so it does not count.
        if os.path.realpath(str(lock.get("root"))) == root and _is_ours(lock.get("owner"), session):
            return Site(root, git_dir, lock)
    return None


def _read(path: str) -> dict[str, Any]:
    from ultra_runtime.files.regular_file import UnreadableError, read_regular
    from ultra_runtime.text.jsontext import JsonError, read_object

    try:
        return read_object(read_regular(path)).values
    except (UnreadableError, JsonError) as problem:
        remedy = "if no run is in progress, delete that file"
        raise LockError(
            f"{path} cannot be read ({problem}), so the owner of the run is unknown; {remedy}"
        ) from None


def _is_ours(owner: object, session: str) -> bool:
    """Tell whether the calling session, or its sub-agent, owns the run."""
    if not isinstance(owner, dict):
        return False
    if owner.get("session"):
        return owner["session"] in (session, os.environ.get("CLAUDE_CODE_SESSION_ID"))
    return str(owner.get("pid")) == os.environ.get("CLAUDE_PID")
