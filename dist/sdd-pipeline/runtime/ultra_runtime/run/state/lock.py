"""The lock of a working tree: the run in it, and the call that is changing something."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.seal import is_sealed
from ultra_runtime.guard.site import LOCK
from ultra_runtime.rendered import verb
from ultra_runtime.run.tree.users_index import UsersIndex
from ultra_runtime.run.tree.workspace import make_folder
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.run.tree.workspace import Workspace

BUSY = "busy"


def read_lock(workspace: Workspace) -> dict[str, Any] | None:
    """Return the lock of this tree; a lock copied from another tree does not count."""
    lock = workspace.read(LOCK)
    if lock.get("root") != workspace.root:
        return None
    return lock


def refuse_foreign_lock(workspace: Workspace, lock: dict[str, Any]) -> None:
    """Refuse a lock that the runtime did not write."""
    if is_sealed(workspace.git.common, lock):
        return
    error = f"{one_line(workspace.path(LOCK))} was not written by this version of the runtime"
    raise RefusedError(error, f"end the run with `{verb('run abort')}`, then resume it")


def drop_lock(workspace: Workspace) -> None:
    """Remove the lock of this tree after its run."""
    workspace.remove(LOCK)


class Busy:
    """Held while a verb changes something: a second verb is refused at once; a killed verb releases it."""

    def __init__(self, workspace: Workspace, called: str) -> None:
        make_folder(workspace.folder)
        path = workspace.path(BUSY)
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as problem:
            error = f"{one_line(path)} cannot be opened: {problem.strerror}"
            raise RefusedError(error, "make the git dir writable; nothing was changed") from None
        self._take(workspace, called)

    def _take(self, workspace: Workspace, called: str) -> None:
        import fcntl

        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = one_line(os.read(self.descriptor, 200).decode("utf-8", "replace")) or "another call"
            os.close(self.descriptor)
            error = f"`{verb(other)}` is running in this tree"
            raise RefusedError(error, "wait until it ends, then retry") from None
        except OSError:  # a filesystem without locks: the owner of the run is still checked
            pass
        else:
            UsersIndex(workspace.git).release()  # a killed call may have left it
        os.truncate(self.descriptor, 0)
        os.pwrite(self.descriptor, called.encode("utf-8", "replace"), 0)

    def __enter__(self) -> Busy:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)
