"""Find what changed outside any step: between steps, before the first one, after an abort, or by commits of others.

In the Files of the step that begins it becomes the work of that step. Elsewhere it is put back, or the user claims it.
"""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.settings import settings_file
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.assignment import allowed_paths
from ultra_runtime.run.state.claims import add_claim
from ultra_runtime.run.state.known import Known, read_known, write_known
from ultra_runtime.run.tree.before import read as read_before
from ultra_runtime.run.tree.snapshot import lies_in, list_paths, parse_raw
from ultra_runtime.struct import Struct
from ultra_runtime.words import counted, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.tree.snapshot import Change, Entry

MOST_NAMED = 20


class Strays(Struct):
    """What changed since `known` outside any step: in the tree, and in commits."""

    known: Known
    changes: list[Change]
    committed: list[str]
    head: str

    def before(self, step: Step) -> dict[str, Entry | None]:
        """Return the changed files of a step -> what they were before."""
        return {one.path: one.old for one in self.changes if covers(allowed_paths(step), one.path)}

    def outside(self, step: Step) -> list[str]:
        """Return the changed paths that the step must not change."""
        paths = [*(one.path for one in self.changes), *self.committed]
        return [path for path in dict.fromkeys(paths) if not covers(allowed_paths(step), path)]


def find_strays(live: Live, known: Known, now: str, head: str) -> Strays:
    """Return what changed since `known`, apart from the project of the plan; `now` and `head` are as it is."""
    own = [live.place.name, live.place.shown, settings_file()]  # the settings of the start are pinned
    changes = live.snapshots.changes(known.tree, now)
    return Strays(
        known,
        [one for one in changes if not lies_in([*own, *known.artefacts], one.path)],
        [path for path in committed_since(live, known.head, head) if not lies_in(own, path)],
        head,
    )


def committed_since(live: Live, since: str, head: str) -> list[str]:
    """Return the paths that commits outside the run changed, or refuse if `since` is not part of HEAD any more."""
    if head == since:
        return []
    words = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", since, head)
    said = live.git.ask("diff-tree", *words)
    paths = [change.path for change in parse_raw(said)]
    if paths and not live.git.is_ancestor(since, head):
        raise rewritten(since, head)
    return paths


def rewritten(since: str, head: str) -> RefusedError:
    """Return the refusal of a HEAD that no longer contains the last commit of the run."""
    error = (
        f"HEAD ({head[:10] or 'without a commit'}) does not contain {since[:10]}, the last commit of the run"
    )
    hint = (
        f"ask the user to switch back to where {since[:10]} is (`git reset --soft {since[:12]}` keeps the files),"
        f" or end the run with `{verb('run abort')}`"
    )
    return RefusedError(f"{error}: a branch was switched, or history was rewritten", hint)


def account(live: Live, step: Step, strays: Strays, mine: Sequence[str]) -> None:
    """Report what now belongs to the step and what the user claims, or refuse and say how to put the rest back."""
    outside, wanted = strays.outside(step), [plain(name) for name in mine]
    for name in wanted:
        if not any(lies_in([name], path) for path in outside):
            error = f"{one_line(name)} has not changed outside step {step.number}"
            raise RefusedError(error, f"omit it; changed: {list_paths(outside) or 'nothing'}")
    left = [path for path in outside if not lies_in(wanted, path)]
    theirs = [path for path in strays.committed if path in left or covers(allowed_paths(step), path)]
    if theirs:
        raise _made_by_commits(live, step, strays.known.head, theirs)
    if left:
        raise _made_by_edits(step, left, strays.known.lost)
    stood, head = strays.known.head, strays.head
    if strays.committed:
        add_claim(live, stood, head)
    if head != stood:
        live.found(f"HEAD moved outside the run before step {step.number}: {stood[:10]} to {head[:10]}")
    if outside:
        live.found(f"claimed by the user at step {step.number}: {list_paths(outside, MOST_NAMED)}")
    own = list(strays.before(step))
    if own and live.records.read() is None:
        live.found(f"changed before step {step.number} began, now part of it: {list_paths(own, MOST_NAMED)}")


def _made_by_edits(step: Step, paths: list[str], lost: bool) -> RefusedError:
    names = "".join(f" {shell_word(path)}" for path in paths[:MOST_NAMED])
    claim = f"ask, then `{verb('step begin')} {step.number} --mine{names}`"
    back = f"put back what you changed: `{verb('step restore')} {step.number}{names}` (it is saved first)"
    error = f"changed outside any step: {list_paths(paths, MOST_NAMED)}"
    if lost:
        return RefusedError(f"{error} (what the user had changed before the run is no longer known)", claim)
    return RefusedError(error, f"{back}; what the user changed: {claim}")


def _made_by_commits(live: Live, step: Step, since: str, paths: list[str]) -> RefusedError:
    many = live.git.line("rev-list", "--count", f"{since}..HEAD")
    what = counted(int(many or 0), "commit")
    again = f"`{verb('step begin')} {step.number}`"
    hint = f"ask the user to undo them, which keeps the files: `git reset --soft {since[:12]}`, then {again}"
    outside = [path for path in paths if not covers(allowed_paths(step), path)]
    if len(outside) == len(paths):
        names = "".join(f" {shell_word(path)}" for path in outside[:MOST_NAMED])
        hint += f"; if they are the user's: ask, then `{verb('step begin')} {step.number} --mine{names}`"
    return RefusedError(f"{what} outside the run changed {list_paths(paths, MOST_NAMED)}", hint)


def changed_ignored(live: Live, number: int, tree: str) -> list[str]:
    """Report and return the ignored files that changed since the last look."""
    changed = live.ignored.look()
    if live.ignored.is_first:
        live.found("the record of ignored files is lost, so changes of these files before now are not known")
    if changed:
        # A file that is tracked although a rule ignores it is part of the snapshots.
        seen = live.snapshots.entries(tree, changed)
        changed = [path for path in changed if path not in seen]
    if changed:
        live.found(
            f"step {number}: ignored files changed, which no commit has: {list_paths(changed, MOST_NAMED)}"
        )
    return changed


def came_to_light(live: Live, step: Step, changes: Sequence[Change]) -> list[str]:
    """Return the files outside a step that are new to git alone: they were ignored, and the step has changed the rule.

    One that was saved before the step, and that has other content now, is a change like any other.
    """
    outside = [one for one in changes if one.old is None and not covers(allowed_paths(step), one.path)]
    known = live.ignored.files() if outside else set()
    before = read_before(live.workspace, live.snapshots) if known else None
    saved = {**before.ignored, **before.nearby} if before else {}
    return [
        one.path
        for one in outside
        if one.path in known and (one.path not in saved or (one.new and one.new.name == saved[one.path].name))
    ]


def claim_commits(live: Live) -> None:
    """Record that the commits since the last step are the user's."""
    known, head = read_known(live), live.git.head()
    paths = committed_since(live, known.head, head)
    if paths:
        add_claim(live, known.head, head)
        live.found(f"claimed by the user, committed after the last step: {list_paths(paths, MOST_NAMED)}")
        there = live.snapshots.entries(head, paths)
        tree = live.snapshots.with_entries(known.tree, {path: there.get(path) for path in paths})
        write_known(live, Known(head, tree, known.artefacts))


def name_leftovers(live: Live) -> list[str]:
    """Report and return what changed after the last step and is not committed."""
    if live.records.read() is not None:
        return []
    now, head = live.snapshots.take(), live.git.head()
    known = read_known(live, now)
    strays = find_strays(live, Known(head, known.tree, known.artefacts), now, head)
    committed = live.snapshots.entries(head, [one.path for one in strays.changes])
    paths = [one.path for one in strays.changes if committed.get(one.path) != one.new]
    if paths:
        live.found(f"changed outside any step, not committed: {list_paths(paths, MOST_NAMED)}")
    return paths
