"""Bring back what a task had changed before it was undone, or only what is named by PATH.

TASK is its id, or the number of its step. What is there now is saved first: the same call brings that back.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.step.rescue import rescue, rescue_answer
from ultra_runtime.usage import Args
from ultra_runtime.works.task_standing import pinned_plan
from ultra_runtime.works.tasks import find_task
from ultra_runtime.works.work_place import find_work

USAGE = "task rescue TASK [PATH...] [--work WORK-NN] [--json]"


def run(args: Args) -> Answer:
    """Answer with what was written, and how to get back what it replaced."""
    work = find_work(args.get("--work"))
    plan = pinned_plan(work)
    task = find_task(plan, args.need("TASK"))
    rescued = rescue(plan.number(task.name), args.rest("PATH"), work.run_place.plan, None)
    return rescue_answer(rescued, {"task": task.name}, f"{verb('task rescue')} {task.name}")
