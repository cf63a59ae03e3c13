"""The files of a work that only the runtime writes: WORK-LIST.md, PROGRESS.md, the results and the activity log."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.rows import read_rows
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import PROJECTS
from ultra_runtime.run.tree.workspace import replace
from ultra_runtime.tables.fields import (
    task_progress_fields,
    work_list_fields,
    work_plan_fields,
    work_progress_fields,
)
from ultra_runtime.tables.fields import task_result_fields as of_result
from ultra_runtime.text.timestamp import now
from ultra_runtime.words import one_line
from ultra_runtime.works.messages import sections
from ultra_runtime.works.work_place import LIST, STATE, list_works

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.run.tree.workspace import Workspace
    from ultra_runtime.works.messages import TaskResult
    from ultra_runtime.works.work_documents import WorkPlan
    from ultra_runtime.works.work_place import WorkOrder

IN_PROGRESS: str = task_progress_fields.STATUS_IN_PROGRESS
COMPLETED: str = task_progress_fields.STATUS_COMPLETED
LISTED = "listed"
"""The member of a work's state with its row of the list, without the id."""
HEAD = ("Work", "Title", work_plan_fields.STATUS, work_plan_fields.CREATED, "Completed")


def read_list(workspace: Workspace) -> list[list[str]]:
    """Return the rows of the work list: id, title, status, created, completed.

    What the runtime remembers of a work counts; the file counts for a work that it has no record of.
    """
    try:
        text = read_regular(os.path.join(workspace.root, PROJECTS, LIST)).decode("utf-8", "replace")
    except UnreadableError:
        text = ""
    written = {row[0]: row for row in read_rows(text) if len(row) == len(HEAD)}
    rows = []
    for name in list_works(workspace.root):
        record = workspace.read_sealed(STATE, f"{name}.json").get(LISTED)
        row = [name, *record] if isinstance(record, list) else written.get(name)
        rows += [row] if row and len(row) == len(HEAD) else []
    return rows


def list_work(work: WorkOrder, state: dict[str, Any], title: str, status: str) -> None:
    """Add a work to the list, or change its status there."""
    today = now()[:10]
    created = state[LISTED][2] if LISTED in state else today
    state[LISTED] = [_cell(title), status, created, today if status == COMPLETED else ""]
    work.write_state(state)
    root, table = work.workspace.root, _table(HEAD, read_list(work.workspace))
    text = f"# Works\n\n## {work_list_fields.SECTION_WORKS}\n\n{table}\n"
    replace(os.path.join(root, PROJECTS, LIST), text.encode("utf-8", "surrogateescape"))


def is_completed(state: dict[str, Any]) -> bool:
    """Tell whether the proof of a work has passed."""
    return COMPLETED in state.get(LISTED, ())


def log(work: WorkOrder, who: str, words: str) -> None:
    """Add a line to the activity log of a work."""
    name = f"work_{work.name}.log"
    line = f"[{now()}] {who}: {one_line(words, 400)}\n".encode("utf-8", "replace")
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        file = os.open(os.path.join(work.folder, name), flags, 0o644)
    except OSError as problem:
        error = f"{PROJECTS}/{work.name}/{name} cannot be written: {problem.strerror}"
        raise RefusedError(error, "make it a regular file, or delete it") from None
    try:
        os.write(file, line)
    finally:
        os.close(file)


def write_progress(
    work: WorkOrder, plan: WorkPlan, states: Mapping[str, str], attempts: Mapping[str, int]
) -> None:
    """Write where every task of a work stands."""
    rows = [
        [task.name, _cell(task.title), states[task.name], str(attempts.get(task.name, 0))]
        for task in plan.tasks
    ]
    lines = [
        f"# {work.name}: {plan.title}",
        "",
        f"> {work_progress_fields.UPDATED}: {now()}",
        "",
        f"## {_names(work_progress_fields.KIND, plan.language)[work_progress_fields.SECTION_TASKS]}",
        "",
        _table(("Task", "Title", "State", "Attempts"), rows),
        "",
    ]
    replace(work.path(work_progress_fields.KIND), "\n".join(lines).encode("utf-8", "surrogateescape"))


def write_result(
    work: WorkOrder,
    plan: WorkPlan,
    result: TaskResult,
    commit: str,
    files: Sequence[str],
    issues: Sequence[str],
) -> None:
    """Write the result of a task, with the section names of the work's language."""
    task = plan.task(result.task)
    texts = {
        of_result.SECTION_SUMMARY: [result.summary],
        of_result.SECTION_COMPLETED_CHECKLIST: [
            f"- [{'x' if passed else ' '}] {_cell(name)}" for name, passed in result.checks
        ],
        of_result.SECTION_VERIFICATION_RESULTS: [f"- `{one}`: PASS" for one in task.verify],
        of_result.SECTION_FILES_CHANGED: [f"- `{path}`" for path in files],
        of_result.SECTION_ISSUES_ENCOUNTERED: [f"- {_cell(one)}" for one in issues],
        of_result.SECTION_NOTES_FOR_SUBSEQUENT_TASKS: [result.notes],
        of_result.SECTION_CONTEXT_HANDOFF: sections(result.handoff),
    }
    names = _names(of_result.KIND, plan.language)
    lines = [f"# {task.name}: {task.title}", ""]
    lines += [f"> {of_result.COMMIT}: {commit}"] if commit else []
    lines += [f"> {of_result.DATE}: {now()}"]
    for name, rows in texts.items():
        rows = [row for row in rows if row.strip()] or ["none"]
        lines += ["", f"## {names[name]}", "", *rows]
    text = "\n".join([*lines, ""])
    replace(work.path(of_result.KIND, task.name), text.encode("utf-8", "surrogateescape"))


def _names(kind: str, language: str) -> dict[str, str]:
    """Return section -> its name in a language."""
    return {one.name: one.names.get(language, one.name) for one in load_contract(kind).sections}


def _cell(text: str) -> str:
    return one_line(text, 200).replace("|", "/")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    marks = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, marks, *rows])
