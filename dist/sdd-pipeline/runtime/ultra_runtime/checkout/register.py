"""The register of working copies: who has one, so that nothing stays behind after a killed process."""

from __future__ import annotations

import os

from ultra_runtime.checkout.ready import NotReady, system_failed
from ultra_runtime.files.digest import sha256
from ultra_runtime.guard.site import FOLDER
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ultra_runtime.files.git import Git

COPIES = "copies"
TURN = "turn"
LONGEST = 65536
# A record is locked by the process that made the copy for as long as it lives: folder -> descriptor.
_held: dict[str, int] = {}


def claim(git: Git, folder: str, remove: Callable[[str], None]) -> None:
    """Record a folder before anything is put there; copies whose process is gone are removed first."""
    place = os.path.join(git.common, FOLDER, COPIES)
    try:
        os.makedirs(place, exist_ok=True)
        turn = _open(os.path.join(place, TURN))
    except OSError as problem:
        raise system_failed(f"{one_line(place)} cannot be written", problem) from None
    try:
        _lock(turn, wait=True)
        for stale in _abandoned(place):
            remove(stale)
        if os.path.lexists(folder):
            raise NotReady(f"{one_line(folder)} exists already", "name a folder that does not exist yet")
        _record(record_of(git, folder), folder)
    except OSError as problem:
        raise system_failed(f"{one_line(place)} cannot be written", problem) from None
    finally:
        os.close(turn)


def release(git: Git, folder: str) -> None:
    """Forget a folder that is gone."""
    path = record_of(git, folder)
    if os.path.exists(path):
        os.unlink(path)
    held = _held.pop(folder, None)
    if held is not None:
        os.close(held)


def record_of(git: Git, folder: str) -> str:
    """Return the path of a folder's record."""
    return os.path.join(git.common, FOLDER, COPIES, sha256(os.fsencode(folder))[:16])


def _record(path: str, folder: str) -> None:
    record = _open(path)
    os.pwrite(record, os.fsencode(folder), 0)
    _lock(record)
    _held[folder] = record


def _abandoned(place: str) -> list[str]:
    """Return the folders whose process is gone."""
    found = []
    for name in os.listdir(place):
        if name == TURN:
            continue
        path = os.path.join(place, name)
        record = _open(path)
        if _lock(record):
            folder = os.fsdecode(os.read(record, LONGEST))
            if folder:
                found.append(folder)
            else:  # killed before it wrote the name, so before it made the folder
                os.unlink(path)
        os.close(record)
    return found


def _open(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)


def _lock(descriptor: int, wait: bool = False) -> bool:
    """Lock an open file; return whether nobody else has it. Where the disk has no locks, every owner counts as alive."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True
