"""Whether a specification can be executed here: its files, the rules of the project, and what its tasks find there."""

from __future__ import annotations

import os

from ultra_runtime.contract.rows import CREATE, DELETE
from ultra_runtime.words import counted, one_line
from ultra_runtime.works.router import ROUTER, read_rules
from ultra_runtime.works.work_documents import WorkPlan, read_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.works.work_place import WorkOrder


def read_specified(work: WorkOrder) -> tuple[WorkPlan | None, list[str]]:
    """Return the plan of a work that can be executed, or everything that is wrong with it."""
    plan, problems = read_work(work)
    if plan is None:
        return None, problems
    root = work.workspace.root
    problems = [*_too_large(plan, read_rules(root)[plan.mode]), *_wrong_actions(root, plan)]
    return (None, problems) if problems else (plan, [])


def _too_large(plan: WorkPlan, most: int) -> list[str]:
    return [
        f"{task.name} has {counted(len(task.files), 'file')}, but {ROUTER} allows {most} in mode {plan.mode}"
        for task in plan.tasks
        if len(task.files) > most
    ]


def _wrong_actions(root: str, plan: WorkPlan) -> list[str]:
    """Return the actions that do not fit the files that exist when their task begins."""
    problems = []
    there: dict[str, bool] = {}
    for task in plan.tasks:
        for path, action in task.files.items():
            exists = there.get(path, os.path.lexists(os.path.join(root, path)))
            if exists == (action == CREATE):
                stands = "exists" if exists else "does not exist"
                problems.append(f"{task.name}: {one_line(path)} is {action}, but it {stands} then")
            there[path] = action != DELETE
    return problems
