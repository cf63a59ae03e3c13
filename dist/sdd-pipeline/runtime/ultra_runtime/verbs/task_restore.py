"""Undo what changed outside the files of a task since it began; the changes are saved first.

Without PATH it undoes all of it, except the files of tasks that are built at the same time.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.step.restore import restore
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.tasks import isolate_task
from ultra_runtime.works.work_place import find_work

USAGE = "task restore TASK [PATH...] [--json]"


def run(args: Args) -> Answer:
    """Answer with the restored paths."""
    work = find_work(None, in_progress=True)
    busy, live = open_live("task restore", None, None)
    with busy:
        task, number = isolate_task(work, live, args.need("TASK"))
        undone = restore(live, number, args.rest("PATH"))
    data: dict[str, Any] = {"ok": True, "task": task.name, "restored": str(undone)}
    if undone.left:
        data["left"] = [f"{path}: {reason}" for path, reason in undone.left.items()]
    return Answer(data, f"Restored: {undone}")
