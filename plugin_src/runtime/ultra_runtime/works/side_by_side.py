"""Tasks that are built side by side: which may be, and how each is verified without the changes of the others."""

from __future__ import annotations

from ultra_runtime.run.state.known import Known, read_known, write_known
from ultra_runtime.run.tree.snapshot import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.works.work_documents import Task

ASIDE = "aside"


def batch(ready: Iterable[Task]) -> list[Task]:
    """Return the tasks that may be built at the same time: the first, and others that share no file with it."""
    chosen: list[Task] = []
    taken: set[str] = set()
    for task in ready:
        if not taken & task.files.keys():
            chosen.append(task)
            taken |= task.files.keys()
    return chosen


def set_aside(live: Live, record: Record, state: dict[str, Any], paths: Collection[str]) -> None:
    """Take the present content of other tasks' files as if it had been there before this task began.

    What was there before is remembered, so that it is the work of its own task when that one begins.
    """
    if not paths:
        return
    now = live.snapshots.entries(live.snapshots.take(), [*paths])
    before = live.snapshots.entries(record.tree, [*paths])
    changed = {path: now.get(path) for path in paths if now.get(path) != before.get(path)}
    if not changed:
        return
    kept = state.setdefault(ASIDE, {})
    for path in changed:
        old = before.get(path)
        kept.setdefault(path, [old.mode, old.name] if old else None)
    record.tree = live.snapshots.with_entries(record.tree, changed)
    record.verified = ""
    live.records.write(record)


def give_back(live: Live, state: dict[str, Any], paths: Collection[str]) -> None:
    """Before a task begins, count what was set aside of its files as not accounted for: it is the task's work."""
    kept = state.get(ASIDE, {})
    own = {path: kept.pop(path) for path in paths if path in kept}
    if own:
        known = read_known(live)
        old = {path: Entry(*row) if row else None for path, row in own.items()}
        write_known(live, Known(known.head, live.snapshots.with_entries(known.tree, old), known.artefacts))
