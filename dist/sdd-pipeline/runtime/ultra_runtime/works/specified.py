"""Whether a specification can be executed here: its files, the rules of the project, and what its tasks find there."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.forms import is_number
from ultra_runtime.contract.rows import CREATE, DELETE
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.tables.fields import work_plan_fields
from ultra_runtime.tables.limits import DIRECT_FILES, TASK_FILES
from ultra_runtime.text.jsontext import JsonError, read_object
from ultra_runtime.words import counted, listed, one_line
from ultra_runtime.works.work_documents import WorkPlan, read_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.works.work_place import WorkOrder

ROUTER = os.path.join(".agent", "router_rule_config.json")
MOST_FILES = "most_files"
USUAL: dict[str, int] = {
    work_plan_fields.EXECUTION_MODE_DIRECT: DIRECT_FILES,
    work_plan_fields.EXECUTION_MODE_PIPELINE: TASK_FILES,
    work_plan_fields.EXECUTION_MODE_FULL: TASK_FILES,
}


def read_rules(root: str) -> dict[str, int]:
    """Return mode -> how many files a task may have; without the project's file, the defaults."""
    try:
        values = read_object(read_regular(os.path.join(root, ROUTER))).values
    except UnreadableError as problem:
        if problem.missing:
            return USUAL
        raise _refusal(str(problem)) from None
    except JsonError as problem:
        raise _refusal(f"line {problem.line}: {problem}") from None
    given = values.get(MOST_FILES, {})
    if not isinstance(given, dict):
        raise _refusal(f"{MOST_FILES} must be an object")
    for mode, most in given.items():
        if mode not in USUAL or not is_number(str(most)) or not int(most):
            modes = listed(USUAL, "or")
            raise _refusal(
                f"{MOST_FILES} must have {modes}, each with a number of at least 1, not {one_line(mode, 40)}"
            )
    return {**USUAL, **{mode: int(most) for mode, most in given.items()}}


def _refusal(reason: str) -> RefusedError:
    return RefusedError(f"{ROUTER} cannot be used: {reason}", "fix it by hand, or delete it")


def shown_rules(root: str) -> str:
    """Return the rules as a sentence for the planner."""
    rules = [f"{mode} {counted(most, 'file')}" for mode, most in read_rules(root).items()]
    return f"The most files that a task may have: {', '.join(rules)}."


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
