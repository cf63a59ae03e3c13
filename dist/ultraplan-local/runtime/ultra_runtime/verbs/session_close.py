"""Close a session that was opened by hand: audit its branch, merge it, move the branch by fast-forward, clean up."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.wave_state import MERGED
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.usage import Args
from ultra_runtime.waves.by_hand import close_session
from ultra_runtime.waves.wave_report import session_data
from ultra_runtime.waves.wave_run import find_begun

USAGE = "session close N [--plan PATH] [--project DIR] [--json]"
FOR_PEOPLE = "act"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with what became of the session."""
    found = find_begun(args.get("--plan"), args.get("--project"))
    one = close_session(found, step_number(args))
    data = {"ok": one.state == MERGED, **session_data(one)}
    if one.state == MERGED:
        data["next"] = f"`{verb('session next')}`"
        return Answer(data, f"session {one.number} is merged\nNext: {verb('session next')}")
    error = f"session {one.number} is not merged: {one.why}"
    next_step = f"continue it with `{verb('session open')} {one.number}`"
    return Answer({**data, "error": error, "next": next_step}, f"{error}\n{next_step}", 1)
