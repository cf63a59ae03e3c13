"""Where the tasks of a work in progress stand, read from its run."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.dependencies import states
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.statuses import OVER
from ultra_runtime.tables.fields import work_plan_fields
from ultra_runtime.works.messages import BUILDER
from ultra_runtime.works.work_documents import WorkPlan, digests, read_work
from ultra_runtime.works.written import write_progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.works.work_place import WorkOrder


APPROVED = "approved"
"""The member of the state with the digests of the approved files."""
RESUMED = "resumed"
"""The member of the state that says whether the work was interrupted, so that it goes on at the scheduler."""


def pinned_plan(work: WorkOrder) -> WorkPlan:
    """Return the plan of a work in progress, or refuse files that are not as they were approved."""
    plan, problems = read_work(work)
    problems = problems[:3] if plan is None else edited(work, work.read_state(), plan)
    if plan is None or problems:
        accept = f"{verb('work start')} {work.name} --accept-plan-change"
        raise RefusedError("; ".join(problems), f"undo the edit; if the user wants it: `{accept}`")
    return plan


def edited(work: WorkOrder, state: dict[str, Any], plan: WorkPlan) -> list[str]:
    """Return what was edited since the files of a work were shown for approval."""
    now = digests(work, plan)
    approved = state.get(APPROVED, now)  # a work of the last release has none
    names = sorted(name for name in {*approved, *now} if approved.get(name) != now.get(name))
    return [f"{name} was edited after the approval" for name in names]


def done_tasks(live: Live, plan: WorkPlan) -> list[str]:
    """Return the tasks whose step is over."""
    return [task.name for at, task in enumerate(plan.tasks, 1) if live.progress.state(at) in OVER]


def write_standing(work: WorkOrder, live: Live, plan: WorkPlan) -> None:
    """Write PROGRESS.md from what the run says."""
    attempts = {task.name: live.progress.attempts(at) for at, task in enumerate(plan.tasks, 1)}
    write_progress(work, plan, states(plan.graph, done_tasks(live, plan)), attempts)


def spawns(state: dict[str, Any], plan: WorkPlan | None) -> tuple[int, int]:
    """Return how many agents were spawned, and how many the mode of the work needs without retry and interruption."""
    full = plan is not None and plan.mode == work_plan_fields.EXECUTION_MODE_FULL
    planned = 2 + 2 * len(plan.tasks) if plan and full else 3
    return len(state["dispatches"]), planned


def others_files(state: dict[str, Any], plan: WorkPlan, done: Sequence[str], task: str) -> set[str]:
    """Return the files of the other tasks that are being built at the same time."""
    built = {one["task"] for one in state["dispatches"] if one["agent"] == BUILDER} - {task, *done}
    return {path for one in plan.tasks if one.name in built for path in one.files}
