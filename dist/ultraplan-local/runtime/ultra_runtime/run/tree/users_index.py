"""Change the user's index under git's own lock, which is recognised as ours when a killed call leaves it.

git writes a copy, and the copy replaces the index. The lock is a second name of a file in the runtime's folder, so that
the lock of another git can never be taken for it.
"""

from __future__ import annotations

import os
import time

from ultra_runtime.files.dead_lock import exists_error
from ultra_runtime.files.git import GitError
from ultra_runtime.files.process import Done
from ultra_runtime.files.quick_write import make_folder, put
from ultra_runtime.files.regular_file import read_text
from ultra_runtime.guard.site import FOLDER
from ultra_runtime.run.tree.own_index import drop, link_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git

LOCK_TRIES, LOCK_NAP = 20, 0.1
COPY = "index-copy."


class UsersIndex:
    """The index of a working tree: locked while it is changed, and replaced as a whole when no error occurs."""

    def __init__(self, git: Git) -> None:
        self.path = os.path.realpath(os.path.join(git.folder, "index"))
        self.lock = f"{self.path}.lock"
        self.mark = os.path.join(git.folder, FOLDER, "index-lock")
        self.own = self.copy = os.path.join(git.folder, FOLDER, f"{COPY}{os.getpid()}")
        self.env = {"GIT_INDEX_FILE": self.copy}
        """What lets git work on the copy."""

    def __enter__(self) -> UsersIndex:
        make_folder(os.path.dirname(self.mark))
        put(self.mark, os.path.basename(self.copy).encode())
        try:
            if self._take_lock():
                link_index(self.path, self.copy)
            else:  # a file system without links: git takes the lock itself
                self.copy, self.env = self.path, {}
        except BaseException:
            self.release()
            raise
        return self

    def _take_lock(self) -> bool:
        """Take the lock, and return whether that is possible here; fail if another git keeps it."""
        for _ in range(LOCK_TRIES):
            try:
                os.link(self.mark, self.lock)
            except FileExistsError:
                time.sleep(LOCK_NAP)
            except OSError:
                return False
            else:
                return True
        raise GitError(["update-index"], Done(128, err=exists_error(self.lock)))

    def become(self, other: str) -> None:
        """Replace the index by another one, which stays where it is."""
        link_index(other, self.own)
        os.replace(self.own, self.path)

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None and self.env and os.path.exists(self.copy):
                os.replace(self.copy, self.path)
        finally:
            self.release()

    def release(self) -> None:
        """Remove our lock, also one that a killed call left; no other call of ours may be at work."""
        name = read_text(self.mark)
        if not name.startswith(COPY):
            return
        if os.path.exists(self.lock) and os.path.samefile(self.mark, self.lock):
            os.unlink(self.lock)
        copy = os.path.join(os.path.dirname(self.mark), os.path.basename(name))
        for path in (copy, f"{copy}.lock", self.mark):
            drop(path)
