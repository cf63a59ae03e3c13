"""Save what the user had not committed and a step or its Verify has replaced, before its only copy is gone."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import GitError
from ultra_runtime.run.tree.saves import NotSavedError
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.run.tree.undo import save_replaced
from ultra_runtime.words import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.tree.snapshot import Change


def keep_replaced(live: Live, record: Record, changes: Sequence[Change], again: str) -> None:
    """Save it and say how to print it, or refuse with what to call again."""
    try:
        ref, paths = save_replaced(live.workspace, live.snapshots, record, changes)
    except (NotSavedError, GitError) as problem:
        error = f"what was not committed before the step cannot be saved: {problem}"
        raise RefusedError(error, again) from None
    if paths:
        back = f"`git show {ref}:{shell_word(paths[0])}` prints it"
        live.found(f"step {record.number} replaced what was not committed: {list_paths(paths)}; {back}")
