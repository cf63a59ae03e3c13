"""Start a work that the user has approved, or resume it where it stopped.

--restart executes a finished or halted work again; --accept-plan-change continues with edited tasks, and
--accept-settings-change with changed settings of the project.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.starting import start_work
from ultra_runtime.works.work_place import find_work

USAGE = "work start WORK-NN [--mode resume] [--restart] [--accept-plan-change] [--accept-settings-change] [--json]"


def run(args: Args) -> Answer:
    """Answer with the number of tasks and the call that comes next."""
    work = find_work(args.need("WORK-NN"))
    started = start_work(
        work,
        args.flag("--restart"),
        args.flag("--accept-plan-change"),
        args.flag("--accept-settings-change"),
    )
    call = f"{verb('work next')} {work.name}"
    data: dict[str, Any] = {
        "ok": True,
        "work": work.name,
        "run": "resumed" if started.resumed else "started",
        "tasks": len(started.live.assignment.counted),
    }
    if started.notes:
        data["notes"] = started.notes
    data["next"] = call
    return Answer(data, "\n".join([f"{work.name} is {data['run']}.", *started.notes, f"Next: {call}"]))
