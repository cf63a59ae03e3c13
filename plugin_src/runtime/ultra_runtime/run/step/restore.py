"""Take back what changed beside a step since it began: as it was, what was dirty before it included."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.rendered import verb
from ultra_runtime.run.step.expected import check_scope
from ultra_runtime.run.step.verify import need_record
from ultra_runtime.run.tree.snapshot import tell_paths
from ultra_runtime.run.tree.undo import undo
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.tree.undo import Undone


def restore(live: Live, number: int, names: Sequence[str]) -> Undone:
    """Put back the named paths, or without names all that the step must not change and nothing but it made."""
    step = live.assignment.step(number)
    record = need_record(live, number)
    changed = [one.path for one in live.snapshots.changes(record.tree, live.snapshots.take())]
    faults = check_scope(step, changed, live.assignment.fence)
    outside = [path for fault in faults for path in fault.outside]
    if not names:
        wanted = {path for path in outside if path not in record.artefacts}
    else:
        wanted = set()
        for name in names:
            wanted.update(_found(live, name, changed, outside))
    if not wanted:
        raise RefusedError(
            f"nothing beside step {number} has changed since it began", f"`{verb('step verify')} {number}`"
        )
    return undo(live.workspace, live.snapshots, live.records, record, wanted)


def _found(live: Live, name: str, changed: list[str], outside: list[str]) -> list[str]:
    """Return the changed paths that a name of the call covers, or refuse."""
    root = live.workspace.root
    path = plain(os.path.relpath(name, root) if os.path.isabs(name) else name)
    found = [one for one in outside if covers([path], one)]
    if path and found:
        return found
    rest = f"beside the step changed: {tell_paths(outside)}" if outside else "nothing beside the step changed"
    if path and any(covers([path], one) for one in changed):
        raise RefusedError(f"{one_line(name)} is one of the step's own: edit it", rest)
    raise RefusedError(f"{one_line(name)} has not changed since the step began", rest)
