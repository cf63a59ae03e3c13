"""Wait for the next change of the waves, or until the time is up, and show where every session stands."""

from __future__ import annotations

import time

from ultra_runtime.answer import Answer
from ultra_runtime.run.step.numbers import seconds
from ultra_runtime.usage import Args
from ultra_runtime.waves.wave_answers import standing
from ultra_runtime.waves.wave_run import find_begun

USAGE = "waves wait [--seconds S] [--plan PATH] [--project DIR] [--json]"
FOR_PEOPLE = "look"
STAGE = "execute"
MOST_SECONDS = 540.0
NAP = 0.1
QUIET_SECONDS = 0.5
"""Changes that follow each other so closely are one answer."""


def run(args: Args) -> Answer:
    """Answer at the next change."""
    limit = seconds(args, "--seconds", MOST_SECONDS)
    found = find_begun(args.get("--plan"), args.get("--project"))
    size, deadline = found.journal.size(), time.monotonic() + limit
    while found.journal.lives() and time.monotonic() < deadline:
        if found.journal.size() != size:
            size, deadline = found.journal.size(), min(deadline, time.monotonic() + QUIET_SECONDS)
        time.sleep(NAP)
    lives = found.journal.lives()  # asked first: what a supervisor that is gone has written is all there
    if not found.is_same():
        found = find_begun(args.get("--plan"), args.get("--project"))
    return standing(found, lives)
