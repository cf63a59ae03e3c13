"""A repository whose every byte is known, and copies of its commits."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from pathlib import Path
from typing import Any

from tests.kit.files import write_tree
from tests.kit.names import LAUNCHER
from tests.kit.repository import ENVIRONMENT, git
from ultra_runtime.checkout.copy import Copy, NotReady, make_copy, remove_copy
from ultra_runtime.checkout.settings import Settings, settings_of
from ultra_runtime.files.git import Git, find_git

__all__ = ["Bytes", "NotReady", "Source", "ends", "every_byte", "lives", "settings_of"]
Bytes = dict[str, tuple[int, bytes]]


def every_byte(root: Path, *without: str) -> Bytes:
    """Return path -> mode and content of everything below a folder, links unfollowed."""
    found = {}
    for above, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(above, name)
            shown = str(path.relative_to(root))
            if shown.startswith(without) if without else False:
                continue
            mode = path.lstat().st_mode
            data = os.readlink(path).encode() if stat.S_ISLNK(mode) else b""
            found[shown] = mode, hashlib.sha256(path.read_bytes()).digest() if stat.S_ISREG(mode) else data
    return found


def lives(pid: str) -> bool:
    """Tell whether a process is there and more than a zombie."""
    path = Path(f"/proc/{pid}/stat")
    return path.exists() and path.read_text().rpartition(")")[2].split()[0] != "Z"


def ends(pid: str) -> bool:
    """Tell whether a process that was killed is gone; on a busy machine the kernel needs a moment."""
    for _ in range(200):
        if not lives(pid):
            return True
        time.sleep(0.05)
    return False


class Source:
    """A user's repository, and the copies that were made of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root.parent / "copy"

    @property
    def git(self) -> Git:
        return find_git(str(self.root))

    def commit(self, files: dict[str, Any], message: str = "Go on") -> str:
        """Commit files and return the commit."""
        write_tree(self.root, files)
        git(self.root, "add", "--force", "--", *files)
        git(self.root, "commit", "--quiet", "--no-verify", f"--message={message}")
        return self.head

    @property
    def head(self) -> str:
        return git(self.root, "rev-parse", "HEAD")

    def make(self, settings: Settings | None = None, commit: str = "", **env: str) -> Copy:
        """Make a copy of a commit, HEAD if none is named."""
        given = settings or settings_of({})
        return make_copy(self.git, commit or self.head, str(self.folder), given, {**ENVIRONMENT, **env})

    def remove(self) -> None:
        remove_copy(self.git, str(self.folder))

    def state(self) -> tuple[Bytes, str, str]:
        """Return all that is the user's: every file, the git dir without the runtime's folder, the worktrees."""
        kept = {name: one for name, one in every_byte(self.root).items() if LAUNCHER not in name.split("/")}
        return kept, git(self.root, "worktree", "list"), git(self.root, "for-each-ref")
