"""Stop the waves of a plan: start no further session and, with --now, end the running ones too. Everything is saved."""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.files.quick_write import put
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.wave_journal import ASKED, STOP, STOP_NOW
from ultra_runtime.usage import Args
from ultra_runtime.waves.wave_run import find_begun

USAGE = "waves stop [--now] [--plan PATH] [--project DIR] [--json]"
FOR_PEOPLE = "act"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Ask the supervisor to stop."""
    found = find_begun(args.get("--plan"), args.get("--project"))
    if not found.journal.lives():
        state = found.state.result or "interrupted"
        raise RefusedError(
            f"no supervisor is working on this plan: it is {state}",
            f"`{found.call('waves resume')}` continues it",
        )
    put(found.journal.place(ASKED), (STOP_NOW if args.flag("--now") else STOP).encode())
    words = "the sessions that run are ended" if args.flag("--now") else "no further session starts"
    return Answer({"ok": True, "stopping": words, "next": f"`{verb('waves wait')}`"}, f"Stopping: {words}.")
