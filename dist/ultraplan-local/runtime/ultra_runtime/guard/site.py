"""Where a tool call happens: its working tree, and whether a run of this very session is under way there.

Asked before every call of a person's tools, so the way to "no" is one look at one file.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RUN_FILE = "ultra/run.json"


class Site:
    """A working tree and the run in it."""

    __slots__ = ("git_dir", "lock", "root")

    def __init__(self, root: str, git_dir: str, lock: dict[str, Any]) -> None:
        self.root = root
        self.git_dir = git_dir
        self.lock = lock

    @property
    def is_linked(self) -> bool:
        """Whether the tree is a worktree beside its repository."""
        return not self.git_dir.startswith(os.path.join(self.root, ""))


def find_tree(start: str) -> tuple[str, str] | None:
    """Return root and git dir of the working tree around a folder."""
    folder = os.path.realpath(start)
    while True:
        mark = folder + "/.git"
        if os.path.isdir(mark):
            return folder, mark
        if os.path.isfile(mark):
            return folder, _pointed_at(folder, mark)
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _pointed_at(folder: str, mark: str) -> str:
    """Return the git dir that the .git file of a worktree or submodule names."""
    with open(mark, encoding="utf-8", errors="surrogateescape") as file:
        return os.path.realpath(os.path.join(folder, file.read().partition(":")[2].strip()))


def run_file(start: str) -> tuple[str, str, str] | None:
    """Return root, git dir and run file of the tree around a folder, when there is a run file at all."""
    tree = find_tree(start)
    if tree is None:
        return None
    path = f"{tree[1]}/{RUN_FILE}"
    return (*tree, path) if os.path.exists(path) else None


def find_site(start: str, session: str) -> Site | None:
    """Return the site of a run that belongs to this session; a run of somebody else is none of ours."""
    found = run_file(start)
    if found is None:
        return None
    root, git_dir, path = found
    from ultra_runtime.jsontext import read_object

    with open(path, "rb") as file:
        lock = read_object(file.read()).values
    if os.path.realpath(str(lock.get("root"))) != root:
        return None  # the lock of another tree, copied with its git dir
    owner = lock.get("owner")
    return Site(root, git_dir, lock) if isinstance(owner, dict) and _is_ours(owner, session) else None


def _is_ours(owner: dict[str, Any], session: str) -> bool:
    """Tell whether the owner of a run is the session that calls, its sub-agents included."""
    if owner.get("session"):
        return bool(owner["session"] == (session or os.environ.get("CLAUDE_CODE_SESSION_ID")))
    return str(owner.get("pid")) == os.environ.get("CLAUDE_PID")
