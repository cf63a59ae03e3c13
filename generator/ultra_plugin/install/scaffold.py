"""The folder for work in progress: created and removed by one rename, and locked while in use.

A kill between creating ~/.claude, skills/ and the folder inside would leave empty folders that look like
the owner's. So the missing ones are created elsewhere as one tree and renamed into place, and out again.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ultra_plugin.errors import UltraError
from ultra_plugin.install.names import STATE
from ultra_plugin.install.staging import write_anew

_LOCK, _MADE = "lock", "made"
_POLL = 0.05
_TRIES = 100


@contextmanager
def locked(state: Path, limit: float, waiting: Callable[[str], None]) -> Iterator[None]:
    """Hold the folder for work in progress; a second process waits for a limited time."""
    deadline = time.monotonic() + limit
    lock = _acquire(state, deadline, limit, waiting)
    try:
        yield
    finally:
        lock.close()


def made(state: Path) -> int:
    """Return how many folders above the state folder are ours, as noted in it."""
    try:
        return int((state / _MADE).read_text())
    except (FileNotFoundError, ValueError):
        return 0


def may_go(state: Path, above: int) -> None:
    """Note how many folders above to remove with the state folder."""
    beside = state / f"{_MADE}.new"
    write_anew(beside, f"{above}\n".encode())
    os.rename(beside, state / _MADE)


def sweep(state: Path) -> None:
    """Remove what killed processes left next to the state folder or a folder above it."""
    for depth, folder in enumerate(state.parents):
        if folder.is_dir():
            _sweep(folder)
            if depth > 1:  # above the client's folder: only its parent, or the first one that is there
                return


def take_down(state: Path) -> None:
    """Remove the state folder, and the empty folders above it that are ours.

    If that fails nothing is lost, and the next call tries again.
    """
    top, above = state, made(state)
    while above and os.listdir(top.parent) == [top.name]:
        top, above = top.parent, above - 1
    beside = _beside(top)
    with suppress(OSError):
        os.rename(top, beside)
        if not _dismantled(beside / state.relative_to(top), beside):
            os.rename(beside, top)


def _dismantled(state: Path, top: Path) -> bool:
    """Remove the folders, unless one is no longer empty."""
    above = [folder for folder in state.parents if folder.is_relative_to(top)]
    if any(len(os.listdir(folder)) != 1 for folder in above):
        return False
    shutil.rmtree(state)
    try:
        for folder in above:
            folder.rmdir()
    except OSError as error:
        return error.errno not in (errno.ENOTEMPTY, errno.EEXIST)
    return True


def _acquire(state: Path, deadline: float, limit: float, waiting: Callable[[str], None]) -> IO[str]:
    told = False
    while True:
        _put_up(state)
        try:
            # Never through a link, which an untrusted repository may hold.
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
            lock = os.fdopen(os.open(state / _LOCK, flags, 0o644), "r+")
        except FileNotFoundError:
            continue  # the process before us just removed it
        if _try(lock):
            if _still_there(lock, state / _LOCK):
                lock.truncate(0)
                print(os.getpid(), file=lock, flush=True)
                return lock
            lock.close()
            continue
        lock.seek(0)
        who = f"another ultra-install (process {lock.read().strip() or 'unknown'})"
        lock.close()
        if time.monotonic() > deadline:
            raise UltraError(f"{who} has been using {state.parent} for {limit:g} s or more; wait or stop it")
        if not told:
            waiting(f"waiting for {who}")
            told = True
        time.sleep(_POLL)


def _try(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _still_there(lock: IO[str], path: Path) -> bool:
    """Say whether the locked file is still the one that others would lock."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _put_up(state: Path) -> None:
    for _ in range(_TRIES):
        if state.is_dir():
            return
        top, depth = state, 0
        while not top.parent.exists():
            top, depth = top.parent, depth + 1
        _sweep(top.parent)
        beside = _beside(top)
        inner = beside / state.relative_to(top)
        try:
            inner.mkdir(parents=True)
            (inner / _MADE).write_text(f"{depth}\n")
            os.rename(beside, top)
        except (FileExistsError, FileNotFoundError):
            pass
        except OSError as error:
            if not top.is_dir():
                raise UltraError(
                    f"{top.parent}: {error.strerror}; nothing was done; make it writable"
                ) from None
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    raise UltraError(f"{state.parent}: another process keeps removing it; try again")


def _beside(top: Path) -> Path:
    return top.parent / f"{STATE}-{os.getpid()}"


def _sweep(folder: Path) -> None:
    """Remove what a killed process left while creating or removing, unless it holds other files."""
    for left in folder.glob(f"{STATE}-*"):
        pid = left.name.rpartition("-")[2]
        names = {name for _, _, files in os.walk(left) for name in files}
        if pid.isdecimal() and not _alive(int(pid)) and names <= {_LOCK, _MADE, f"{_MADE}.new"}:
            shutil.rmtree(left, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
