"""Run a command of a plan in the user's tree before or after its steps, and put back what it changes there."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.plan.covering import covers
from ultra_runtime.run.state.record import Record
from ultra_runtime.run.tree.before import keep
from ultra_runtime.run.tree.saves import NotSavedError
from ultra_runtime.run.tree.snapshot import Snapshots, list_paths
from ultra_runtime.run.tree.staged import keep_staging
from ultra_runtime.run.tree.undo import undo
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.state.shell_call import Outcome
    from ultra_runtime.run.tree.workspace import Workspace

BESIDE, NO_STEP = "-beside", 0
"""The end of the name of snapshots that are no step's, and the step for which what they undo is saved."""


class Supervised(Struct):
    """How a command ended, the tree after it, and in words: the files that were put back, what became of the index."""

    outcome: Outcome
    tree: str
    put_back: str
    index: str

    def notes(self, who: str) -> list[str]:
        """Return what the user has to know about the command."""
        files = f"{who} changed files of your tree, which were put back: {self.put_back}"
        return [files] * bool(self.put_back) + [f"{who}: {self.index}"] * bool(self.index)


def supervise(
    workspace: Workspace,
    snapshots: Snapshots,
    number: int,
    run: Callable[[], Outcome],
    own: Sequence[str] = (),
) -> Supervised:
    """Run a command before which the state of the tree was kept.

    Every file outside `own` that it changes or removes is saved for step `number` and put back; new files stay.
    """
    head, before = workspace.git.head(), snapshots.take()
    outcome, index = keep_staging(snapshots, run)
    after = snapshots.take()
    changed = {one.path for one in snapshots.changes(before, after) if one.old and not covers(own, one.path)}
    if not changed:
        return Supervised(outcome, after, "", index)
    try:
        undone = undo(workspace, snapshots, Record(number, head, before), changed)
    except NotSavedError as problem:
        error = f"a command of the plan changed files, and they cannot be put back: {problem}"
        raise RefusedError(error, f"fix this and retry; the command is in {outcome.log}") from None
    left = f"; not put back: {undone.left_words()}" if undone.left else ""
    return Supervised(outcome, snapshots.take(), list_paths(undone.paths) + left, index)


def supervise_beside(workspace: Workspace, place: RunPlace, run: Callable[[], Outcome]) -> Supervised:
    """Run a command that is no step's, with snapshots beside those of the run, which may be at a step."""
    snapshots = Snapshots(workspace, place, BESIDE)
    try:
        keep(workspace, snapshots, snapshots.take(), workspace.git.head(), ())
        return supervise(workspace, snapshots, NO_STEP, run)
    finally:
        snapshots.forget()
