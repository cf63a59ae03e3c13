"""Show which sessions of a plan can be opened by hand now, and the state of the others."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.wave_state import MERGED
from ultra_runtime.usage import Args
from ultra_runtime.waves.wave_run import find_for_hand
from ultra_runtime.waves.wave_start import waiting_sessions

USAGE = "session next [--plan PATH] [--project DIR] [--json]"
FOR_PEOPLE = "look"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with the sessions that can start."""
    path, project = args.get("--plan"), args.get("--project")
    found = find_for_hand(path, project)
    ready = waiting_sessions(found)
    stands = {str(one.number): one.state for one in found.state.sessions.values()}
    calls = [f"{verb('session open')} {number} --plan {found.place.shown}" for number in ready]
    is_open = any(state != MERGED for state in stands.values())
    told = calls[0] if calls else "close the sessions that are open" if is_open else "nothing is left"
    data = {"ok": True, "sessions": ready, "states": stands, "next": f"`{told}`" if calls else told}
    lines = [f"session {number}  {state}" for number, state in stands.items()]
    return Answer(data, "\n".join([*lines, f"Next: {told}"]))
