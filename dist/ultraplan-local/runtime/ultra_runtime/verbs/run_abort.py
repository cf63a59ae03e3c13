"""End a run that is stuck: release its lock, and leave all edits in the tree."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.life.abort import abort_live
from ultra_runtime.usage import Args

USAGE = "run abort [--plan PATH] [--project DIR] [--force] [--json]"
FOR_PEOPLE = "act"
STAGE = "execute"
KEPT = "all commits and edits stay in the working tree, also those of an unfinished step"


def run(args: Args) -> Answer:
    """Answer with the status and how to continue; --force also ends a run of another session."""
    status, kept, resume = abort_live(args.get("--plan"), args.get("--project"), args.flag("--force"))
    edits = "; ".join([KEPT, *kept])
    data = {
        "ok": True, "status": status, "edits": edits, "next": f"tell the user, also `edits`; to continue: {resume}",
    }  # fmt: skip
    return Answer(data, f"The run is {status}: {edits}. To continue: {resume}")
