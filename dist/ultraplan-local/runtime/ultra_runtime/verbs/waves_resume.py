"""Resume waves that were interrupted, even by a reboot, from their journal; each session is merged exactly once.

A session that failed is tried again; a conflict is merged again, onto what the branch has got meanwhile.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.doctor.billing import KEY
from ultra_runtime.usage import Args
from ultra_runtime.waves.wave_answers import ceiling, read_options, standing, started
from ultra_runtime.waves.wave_run import find_begun
from ultra_runtime.waves.wave_start import WaveOptions, launch_supervisor, resume

USAGE = (
    "waves resume PLAN [--project DIR] [--jobs N] [--budget-usd X] [--model M] [--permission-mode M]"
    " [--session-minutes N] [--accept-api-billing] [--json]"
)
FOR_PEOPLE = "act"
STAGE = "execute"
CHANGED = {
    "--jobs": "jobs", "--budget-usd": "budget", "--model": "model", "--permission-mode": "mode",
    "--session-minutes": "minutes",
}  # fmt: skip


def run(args: Args) -> Answer:
    """Answer with where the waves stand, or with what goes on."""
    found = find_begun(args.need("PLAN"), args.get("--project"))
    if found.journal.lives():
        return standing(found, lives=True)
    if os.environ.get(KEY) and not args.flag("--accept-api-billing"):
        raise RefusedError(
            f"{KEY} is set, so the sessions would be billed to that key",
            "ask the user, then add --accept-api-billing, or unset it",
        )
    given = vars(read_options(args))
    resume(found, {name: given[name] for option, name in CHANGED.items() if args.get(option) is not None})
    launch_supervisor(found)
    begin = found.state.begin
    options = WaveOptions(*(begin[name] for name in ("jobs", "budget", "model", "mode", "minutes")))
    return started(found, ceiling(len(found.state.sessions), options), "resumed")
