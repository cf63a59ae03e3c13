"""Undo changes outside the step's Files: those since it began or, before it begins, those since the last step.

Without PATH it undoes all of them. They are saved first: `step rescue` brings them back.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.run.step.restore import restore
from ultra_runtime.typed import Any
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
        data["left"] = [f"{path}: {reason}" for path, reason in undone.left.items()]
    begun = live.records.read() is not None
    again = f"fix what else the last verify reported, if anything, then {verb('step verify')} {number}"
    data["next"] = again if begun else f"{verb('step begin')} {number}"
    return Answer(data, f"Restored: {undone}\nNext: {data['next']}")
