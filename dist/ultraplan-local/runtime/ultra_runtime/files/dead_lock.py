"""Locks of git that nobody holds any more: a killed git leaves its lock files behind."""

from __future__ import annotations

import os
import time

DEAD_SECONDS, LONGEST_LOOK, NAP = 3.0, 30.0, 0.1
SAID_BEFORE, SAID_AFTER = "Unable to create '", "': File exists"


def lock_named(said: str) -> str:
    """Return the lock file that git found in its way, by its full path; empty if that is not what it said."""
    _, _, rest = said.partition(SAID_BEFORE)
    path, found, _ = rest.partition(SAID_AFTER)
    return path if found else ""


def exists_error(path: str) -> bytes:
    """Return what git says about a lock file in its way."""
    return os.fsencode(f"{SAID_BEFORE}{path}{SAID_AFTER}")


def drop_dead_lock(path: str, folder: str = "") -> None:
    """Remove a lock that only git calls of ours take; one that is in use is gone or new after a moment.

    A lock that users take too stays while a git works in its folder: one that waits for an editor keeps its lock.
    """
    given_up = time.monotonic() + LONGEST_LOOK
    seen, since = (0, 0), time.monotonic()
    while time.monotonic() < given_up:
        try:
            found = os.stat(path)
            now = (found.st_ino, found.st_mtime_ns)
            if now != seen:
                seen, since = now, time.monotonic()
            # The time in the file may lie ahead of a clock that was set back.
            if time.monotonic() - since > DEAD_SECONDS or time.time() - found.st_mtime > DEAD_SECONDS:
                if folder and _git_works_in(folder):
                    return
                os.unlink(path)
            else:
                time.sleep(NAP)
        except FileNotFoundError:
            return


def _git_works_in(folder: str) -> bool:
    """Tell whether a git process has its working folder there, as far as the system says so."""
    try:
        processes = [f"/proc/{name}" for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return False
    for process in processes:
        try:
            with open(f"{process}/comm", "rb") as file:
                is_git = file.read() == b"git\n"
            if is_git and f"{os.readlink(f'{process}/cwd')}/".startswith(f"{folder}/"):
                return True
        except OSError:  # it has ended, or belongs to somebody else
            continue
    return False
