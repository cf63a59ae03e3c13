"""Bring back what a step had changed before it was undone, or only what is named by PATH.

What is there now is saved first: the same call brings that back. A file that later commits have changed stays as it is.
While a run goes on, the step must have begun.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.run.step.rescue import rescue
from ultra_runtime.run.tree.snapshot import list_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.usage import Args

USAGE = "step rescue N [PATH...] [--plan PATH] [--project DIR] [--json]"
FOR_PEOPLE = "act"
STAGE = "execute"
MOST_LISTED = 10


def run(args: Args) -> Answer:
    """Answer with what was written, and how to get back what it replaced."""
    number = step_number(args)
    rescued = rescue(number, args.rest("PATH"), args.get("--plan"), args.get("--project"))
    written = list_paths(rescued.paths, MOST_LISTED) if rescued.paths else "everything is there already"
    data: dict[str, Any] = {"ok": True, "step": number, "rescued": written}
    if rescued.left:
        data["left"] = [f"{path}: {reason}" for path, reason in rescued.left.items()]
    data["next"] = "look at what came back"
    if rescued.replaced:
        data["next"] += f"; `{verb('step rescue')} {number}` brings back what it replaced"
    lines = [f"Rescued: {written}", *data.get("left", ()), f"Next: {data['next']}"]
    return Answer(data, "\n".join(lines))
