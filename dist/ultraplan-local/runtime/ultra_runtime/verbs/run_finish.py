"""End the run: exit conditions, audit, result, session state, statistics and the final report.

`completed` comes from here alone: every step is completed or skipped, the exit conditions pass and so does the audit.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.finish import finish
from ultra_runtime.run.live import open_live
from ultra_runtime.run.progress import COMPLETED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.usage import Args

USAGE = "run finish [--plan PATH] [--project DIR] [--data DIR] [--json]"


def run(args: Args) -> Answer:
    """Answer with the result, the summary and where the report is."""
    busy, live = open_live("run finish", args.get("--plan"), args.get("--project"))
    with busy:
        done = finish(live, args.get("--data"))
    data: dict[str, Any] = {
        "ok": True,
        "result": done.summary["result"],
        "report": done.path,
        "ultraexecute_summary": done.summary,
    }
    if done.warnings:
        data["notes"] = done.warnings
    data["next"] = "tell the user the result and where the report is"
    if done.summary["result"] != COMPLETED:
        data["next"] += f"; to go on: {live.command('--resume')}"
    return Answer(data, "\n".join([done.report, *done.warnings]))
