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
    changed = _set_aside(live, state, record.tree, paths)
    if changed:
        record.tree = live.snapshots.with_entries(record.tree, changed)
        record.verified = ""
        live.records.write(record)


def _set_aside(
    live: Live, state: dict[str, Any], tree: str, paths: Collection[str]
) -> dict[str, Entry | None]:
    """Remember what a tree has of files that have changed since; return what they are now."""
    if not paths:
        return {}
    now = live.snapshots.entries(live.snapshots.take(), [*paths])
    before = live.snapshots.entries(tree, [*paths])
    changed = {path: now.get(path) for path in paths if now.get(path) != before.get(path)}
    kept = state.setdefault(ASIDE, {})
    for path in changed:
        old = before.get(path)
        kept.setdefault(path, [old.mode, old.name] if old else None)
    return changed


def account_for(live: Live, state: dict[str, Any], paths: Collection[str]) -> None:
    """Before a task begins, account for changes of other builders that an interruption left in their files."""
    known = read_known(live)
    changed = _set_aside(live, state, known.tree, paths) if live.records.read() is None else {}
    if changed:
        tree = live.snapshots.with_entries(known.tree, changed)
        write_known(live, Known(known.head, tree, known.artefacts))


def give_back(live: Live, record: Record, state: dict[str, Any], paths: Collection[str]) -> None:
    """When a task begins, take the content of its files from before they were set aside: the rest is its work."""
    kept = state.get(ASIDE, {})
    own = {path: kept.pop(path) for path in paths if path in kept}
    if own:
        old = {path: Entry(*row) if row else None for path, row in own.items()}
        record.tree = live.snapshots.with_entries(record.tree, old)
        live.records.write(record)
        write_known(live, Known(record.start, record.tree, record.artefacts))
