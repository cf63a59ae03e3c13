"""Undo what changed outside a step since it began; what was uncommitted before it stays."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.assignment import allowed_paths
from ultra_runtime.run.state.known import read_known
from ultra_runtime.run.state.record import Record
from ultra_runtime.run.step.begin import refuse_out_of_turn
from ultra_runtime.run.step.expected import check_scope
from ultra_runtime.run.step.strays import came_to_light
from ultra_runtime.run.step.verify import need_record
from ultra_runtime.run.tree.placing import parents
from ultra_runtime.run.tree.saves import NotSavedError
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.run.tree.undo import undo, unseen
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.tree.undo import Undone


def restore(live: Live, number: int, names: Sequence[str]) -> Undone:
    """Restore the named paths, or without names all changes outside the step that its Verify did not make.

    Ignored files are restored by name alone: tools write many of them.
    """
    step = live.assignment.step(number)
    record, begun = _record(live, number)
    changes = live.snapshots.changes(record.tree, live.snapshots.take())
    hidden = came_to_light(live, step, changes)
    changed = [one.path for one in changes if one.path not in hidden]
    faults = check_scope(step, changed, live.assignment.fence)
    outside = [path for fault in faults for path in fault.outside]
    quiet, ignored = _unseen(live, step, record, changed) if begun else ([], [])
    if not names:
        wanted = {path for path in [*outside, *quiet] if path not in record.artefacts}
    else:
        wanted = set()
        for name in names:
            wanted.update(_found(live, name, changed, [*outside, *quiet, *ignored]))
    if not wanted:
        raise RefusedError(
            f"nothing outside step {number} has changed", f"continue with `{live.next_call()}`"
        )
    try:
        return undo(live.workspace, live.snapshots, record, wanted, begun)
    except NotSavedError as problem:
        error = f"nothing was restored, because it could not be saved first: {problem}"
        raise RefusedError(error, f"fix this, then retry `{verb('step restore')} {number}`") from None


def _unseen(live: Live, step: Step, record: Record, changed: Sequence[str]) -> list[list[str]]:
    """Return what changed outside the step without being seen by git; folders of changed files go with these."""
    theirs = parents(changed)
    return [
        [path for path in paths if path not in theirs and not covers(allowed_paths(step), path)]
        for paths in unseen(live.workspace, live.snapshots, record)
    ]


def _record(live: Live, number: int) -> tuple[Record, bool]:
    """Return the record of the step, and that it has begun; before that, one of what is accounted for."""
    refuse_out_of_turn(live, number)
    begun = live.records.read()
    if begun and begun.number == number:
        return need_record(live, number), True
    known = read_known(live)
    record = Record(number, live.git.head(), known.tree)
    record.artefacts = known.artefacts
    return record, False


def _found(live: Live, name: str, changed: list[str], outside: list[str]) -> list[str]:
    """Return the changed paths that an argument covers, or refuse."""
    root = live.workspace.root
    path = plain(os.path.relpath(name, root) if os.path.isabs(name) else name)
    found = [one for one in outside if covers([path], one)]
    if path and found:
        return found
    rest = (
        f"changed outside the step: {list_paths(outside)}" if outside else "nothing outside the step changed"
    )
    if path and any(covers([path], one) for one in changed):
        raise RefusedError(f"{one_line(name)} belongs to the step: edit it instead", rest)
    raise RefusedError(f"{one_line(name)} has not changed", rest)
