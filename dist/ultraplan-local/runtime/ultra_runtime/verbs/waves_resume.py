"""Resume waves that were interrupted, even by a reboot, from their journal; each session is merged exactly once.

A session that failed is tried again; a conflict is merged again, onto the branch as it is now. It refuses
settings of the project or of git, included files or dependencies that changed since the start, unless the user accepts
them with --accept-settings-change, and a plan that changed: its waves start over with `waves start`.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.doctor.billing import KEY
from ultra_runtime.engines.choosing import LOCAL
from ultra_runtime.files.digest import sha256
from ultra_runtime.run.state.assignment import read_plan_bytes
from ultra_runtime.usage import Args
from ultra_runtime.waves.wave_answers import ceiling, data_folder, read_options, standing, started
from ultra_runtime.waves.wave_around import ACCEPT
from ultra_runtime.waves.wave_run import find_begun
from ultra_runtime.waves.wave_start import WaveOptions, launch_supervisor, resume

USAGE = (
    "waves resume PLAN [--project DIR] [--jobs N] [--budget-usd X] [--model M] [--permission-mode M]"
    " [--session-minutes N] [--accept-api-billing] [--accept-settings-change] [--data DIR] [--json]"
)
FOR_PEOPLE = "act"
STAGE = "execute"
CHANGED = {
    "--jobs": "jobs", "--budget-usd": "budget", "--model": "model", "--permission-mode": "mode",
    "--session-minutes": "minutes", "--data": "data",
}  # fmt: skip


def run(args: Args) -> Answer:
    """Answer with where the waves stand, or with what goes on."""
    found = find_begun(args.need("PLAN"), args.get("--project"))
    if found.journal.lives():
        return standing(found, lives=True)
    if sha256(read_plan_bytes(found.place.plan)) != found.state.begin["digest"]:
        error = f"{found.place.shown} was changed since its waves started"
        raise RefusedError(error, f"ask the user; undo that, or start over: `{found.call('waves start')}`")
    here = found.state.begin.get("on", LOCAL) == LOCAL
    if here and os.environ.get(KEY) and not args.flag("--accept-api-billing"):
        raise RefusedError(
            f"{KEY} is set, so the sessions would be billed to that key",
            "ask the user, then add --accept-api-billing, or unset it",
        )
    given = {**vars(read_options(args)), "data": data_folder(args)}
    options = {name: given[name] for option, name in CHANGED.items() if args.get(option) is not None}
    resume(found, options, args.flag(ACCEPT))
    launch_supervisor(found)
    begin = found.state.begin
    now = WaveOptions(*(begin[name] for name in ("jobs", "budget", "model", "mode", "minutes")))
    now.on = begin.get("on", LOCAL)
    return started(found, ceiling(len(found.state.sessions), now), "resumed")
