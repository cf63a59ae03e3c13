"""Verify and commit one task: the commit gate, then the executor's own verification and commit."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.quoted import ID
from ultra_runtime.contract.rows import CREATE, DELETE, MODIFY, read_code
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.judging import why_blocked
from ultra_runtime.run.state.statuses import OVER
from ultra_runtime.run.step.begin import refuse_out_of_turn
from ultra_runtime.run.step.failing import after_failure
from ultra_runtime.run.step.verify import Verified, need_record, verify
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.tables.fields import task_progress_fields as fields
from ultra_runtime.words import listed, one_line
from ultra_runtime.works.side_by_side import account_for, set_aside
from ultra_runtime.works.task_standing import done_tasks, others_files, pinned_plan
from ultra_runtime.works.work_documents import read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.tree.snapshot import Change
    from ultra_runtime.works.work_documents import Task, WorkPlan
    from ultra_runtime.works.work_place import WorkOrder


def find_task(plan: WorkPlan, given: str) -> Task:
    """Return the task that a word names: its id, or the number of its step."""
    if given.isdigit() and 0 < int(given) <= len(plan.tasks):
        return plan.tasks[int(given) - 1]
    names = [task.name for task in plan.tasks]
    if given not in names:
        raise RefusedError(f"this work has no task {one_line(given, 40)}", f"use {listed(names, 'or')}")
    return plan.task(given)


def committed_as(live: Live, number: int) -> str:
    """Return the commit of a task that is done; nothing if it is not."""
    step = live.progress.step(number)
    return str(step.get(progress_fields.STEPS_COMMIT) or "") if live.progress.state(number) in OVER else ""


def isolate_task(work: WorkOrder, live: Live, given: str) -> tuple[Task, int]:
    """Return the task that has begun or begins next, and its step, without what other builders have changed in their own files."""
    plan = pinned_plan(work)
    task = find_task(plan, given)
    number = plan.number(task.name)
    refuse_out_of_turn(live, number)
    state, record = work.read_state(), live.records.read()
    others = others_files(state, plan, done_tasks(live, plan), task.name)
    if record and record.number == number:
        set_aside(live, record, state, others)
    else:
        account_for(live, state, others)
    work.write_state(state)
    return task, number


def verify_task(work: WorkOrder, live: Live, given: str, seconds: float) -> tuple[Task, Verified]:
    """Compare what the builder says with the tree, then run the Verify of the task."""
    plan = pinned_plan(work)
    number = plan.number(find_task(plan, given).name)
    if committed_as(live, number):
        return find_task(plan, given), Verified(live.progress.attempts(number), [], None, None)
    task, number = isolate_task(work, live, given)
    record = need_record(live, number)
    now = live.snapshots.take()
    if record.verified == now:
        return task, verify(live, number, seconds)
    changes = [one for one in live.snapshots.changes(record.tree, now) if one.path not in record.artefacts]
    faults = gate_faults(work, task, changes)
    if not faults or record.attempts >= live.most_attempts():
        return task, verify(live, number, seconds)
    record.attempts += 1
    record.verified = ""
    live.records.write(record)
    step = live.assignment.step(number)
    follows = after_failure(live, step, record, one_line("; ".join(faults), 1000))
    return task, Verified(record.attempts, faults, None, follows)


def task_to_try(work: WorkOrder, live: Live, given: str) -> Task:
    """Return a task whose Verify may be run as a trial; the policy decides as always."""
    task = find_task(pinned_plan(work), given)
    reason = why_blocked(live.place, task.command)
    if reason:
        raise RefusedError(
            f"Verify of {task.name} is blocked and was not run: {reason}",
            f"tell the user: `{verb('run abort')}` ends the work",
        )
    return task


def gate_faults(work: WorkOrder, task: Task, changes: Sequence[Change]) -> list[str]:
    """Return why a task must not be committed; `changes` is what changed since it began."""
    faults: list[str] = []
    progress = read_document(work, fields.KIND, faults, task.name)
    if progress is None or faults:
        return faults
    shown = work.show(fields.KIND, task.name)
    status = progress.text(fields.STATUS)
    if progress.text(ID) != task.name:
        faults.append(f"{shown}: its title must begin with {task.name}")
    if status != fields.STATUS_COMPLETED:
        faults.append(f"{shown}: {fields.STATUS} must be {fields.STATUS_COMPLETED}, not {status}")
    said = read_code(progress.texts.get(fields.SECTION_FILES_CHANGED, ""))
    if not said:
        faults.append(f"{shown}: {fields.SECTION_FILES_CHANGED} lists no file in backticks")
    done = {change.path: _action(change) for change in changes}
    claimed = [path for path in said if path not in done]
    if claimed:
        faults.append(f"{shown} lists {list_paths(claimed)}, which did not change")
    hidden = [path for path in done if said and path not in said]
    if hidden:
        faults.append(f"{shown} does not list {list_paths(hidden)}, which changed")
    faults += [
        f"{one_line(path)} must be {action}, but it is {done.get(path, 'unchanged')}"
        for path, action in task.files.items()
        if done.get(path) != action
    ]
    return faults


def _action(change: Change) -> str:
    if change.old is None:
        return CREATE
    return DELETE if change.new is None else MODIFY
