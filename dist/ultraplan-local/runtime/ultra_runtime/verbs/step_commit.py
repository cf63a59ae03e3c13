"""Commit a step that has passed: its changes in Files and expected_paths, with the Checkpoint's message."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.step.checkpoint import commit_step
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args

USAGE = "step commit N [--plan PATH] [--project DIR] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with the commit and the next step."""
    number = step_number(args)
    busy, live = open_live(f"step commit {number}", args.get("--plan"), args.get("--project"))
    with busy:
        made = commit_step(live, number)
    data: dict[str, Any] = {"ok": True, "step": number, "commit": made.commit[:10] or None}
    for name, text in (("warning", made.note), ("drift", made.drift)):
        if text:
            data[name] = text
    if live.notes:
        data["notes"] = live.notes
    data["next"] = live.next_call()
    what = f"committed as {made.commit[:10]}" if made.commit else "completed without a commit"
    lines = [f"Step {number} is {what}.", made.note, made.drift, *live.notes, f"Next: {data['next']}"]
    return Answer(data, "\n".join(filter(None, lines)))
