"""Where the tasks of a work in progress stand, read from its run."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.dependencies import states
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.statuses import OVER
from ultra_runtime.tables.fields import work_plan_fields
from ultra_runtime.works.handoffs import BUILDER
from ultra_runtime.works.work_documents import WorkPlan, read_work
from ultra_runtime.works.written import write_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.works.work_place import WorkOrder


def pinned_plan(work: WorkOrder) -> WorkPlan:
    """Return the plan of a work in progress; its files are protected, so they are as they were approved."""
    plan, problems = read_work(work)
    if plan is None:
        hint = f"undo the change of the file, or end the work: `{verb('run abort')}`"
        raise RefusedError("; ".join(problems[:3]), hint)
    return plan


def done_tasks(live: Live, plan: WorkPlan) -> list[str]:
    """Return the tasks whose step is over."""
    return [task.name for at, task in enumerate(plan.tasks, 1) if live.progress.state(at) in OVER]


def write_standing(work: WorkOrder, live: Live, plan: WorkPlan) -> None:
    """Write PROGRESS.md from what the run says."""
    attempts = {task.name: live.progress.attempts(at) for at, task in enumerate(plan.tasks, 1)}
    write_progress(work, plan, states(plan.graph, done_tasks(live, plan)), attempts)


def spawns(state: dict[str, Any], plan: WorkPlan | None) -> tuple[int, int]:
    """Return how many agents were spawned, and how many the mode of the work needs without a retry."""
    full = plan is not None and plan.mode == work_plan_fields.EXECUTION_MODE_FULL
    planned = 2 + 2 * len(plan.tasks) if plan and full else 3
    return len(state["dispatches"]), planned


def others_files(state: dict[str, Any], plan: WorkPlan, done: Sequence[str], task: str) -> set[str]:
    """Return the files of the other tasks that are being built at the same time."""
    built = {one["task"] for one in state["dispatches"] if one["agent"] == BUILDER} - {task, *done}
    return {path for one in plan.tasks if one.name in built for path in one.files}
