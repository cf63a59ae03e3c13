"""The commit gate: what the builder says must be what the working tree shows and what the task names."""

from __future__ import annotations

from ultra_runtime.contract.quoted import ID
from ultra_runtime.contract.rows import CREATE, DELETE, MODIFY, read_code
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.tables.fields import task_progress_fields as fields
from ultra_runtime.words import one_line
from ultra_runtime.works.work_documents import read_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.run.tree.snapshot import Change
    from ultra_runtime.works.work_documents import Task
    from ultra_runtime.works.work_place import WorkOrder


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
