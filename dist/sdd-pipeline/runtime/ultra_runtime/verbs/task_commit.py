"""Commit a task that has passed: its files, with its title as the message."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.step.checkpoint import commit_step
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.task_standing import pinned_plan, write_standing
from ultra_runtime.works.tasks import committed_as, find_task
from ultra_runtime.works.work_place import find_work
from ultra_runtime.works.written import log

USAGE = "task commit TASK [--json]"


def run(args: Args) -> Answer:
    """Answer with the commit."""
    work = find_work(None, in_progress=True)
    busy, live = open_live("task commit", None, None)
    with busy:
        plan = pinned_plan(work)
        task = find_task(plan, args.need("TASK"))
        commit = committed_as(live, plan.number(task.name))
        if not commit:
            made = commit_step(live, plan.number(task.name))
            commit = made.commit
            write_standing(work, live, plan)
            log(work, "committer", f"{task.name} {commit[:10] or made.note}")
    data: dict[str, Any] = {"ok": True, "task": task.name, "commit": commit[:10] or None}
    if live.notes:
        data["notes"] = live.notes
    data["next"] = "answer PASS"
    return Answer(data, f"{task.name} is committed as {commit[:10] or 'nothing'}.")
