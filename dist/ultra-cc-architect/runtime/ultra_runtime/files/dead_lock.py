"""Locks of git that nobody holds any more: a killed git leaves its lock files behind."""

from __future__ import annotations

import os
import time

DEAD_SECONDS, NAP = 3.0, 0.1
SAID_BEFORE, SAID_AFTER = "Unable to create '", "': File exists"


def lock_named(said: str) -> str:
    """Return the lock file that git found in its way, by its full path; empty if that is not what it said."""
    _, _, rest = said.partition(SAID_BEFORE)
    path, found, _ = rest.partition(SAID_AFTER)
    return path if found else ""


def drop_dead_lock(path: str) -> None:
    """Remove a lock that only git calls of ours take; one that is in use is gone or new after a moment."""
    while os.path.exists(path):
        try:
            if time.time() - os.stat(path).st_mtime > DEAD_SECONDS:
                os.unlink(path)
            else:
                time.sleep(NAP)
        except FileNotFoundError:
            return
