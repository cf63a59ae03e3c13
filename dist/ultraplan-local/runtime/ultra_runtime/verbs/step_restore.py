"""Undo what changed outside the step's Files since it began, or before it began since the step before it.

Without PATH it undoes all of it. The undone changes are saved first, under a ref that the answer names.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.run.step.restore import restore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.usage import Args

USAGE = "step restore N [PATH...] [--plan PATH] [--project DIR] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with the restored paths, and how to get a change back."""
    number = step_number(args)
    busy, live = open_live(f"step restore {number}", args.get("--plan"), args.get("--project"))
    with busy:
        undone = restore(live, number, args.rest("PATH"))
    data: dict[str, Any] = {"ok": True, "step": number, "restored": str(undone)}
    if undone.left:
        data["left"] = undone.left
    begun = live.records.read() is not None
    again = f"fix what else the last verify reported, if anything, then {verb('step verify')} {number}"
    data["next"] = again if begun else f"{verb('step begin')} {number}"
    return Answer(data, f"Restored: {undone}\nNext: {data['next']}")
