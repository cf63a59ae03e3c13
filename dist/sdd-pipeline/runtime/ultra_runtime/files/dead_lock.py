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


def drop_dead_lock(path: str) -> None:
    """Remove a lock that only git calls of ours take; one that is in use is gone or new after a moment."""
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
                os.unlink(path)
            else:
                time.sleep(NAP)
        except FileNotFoundError:
            return
