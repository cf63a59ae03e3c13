"""The known state of the working tree: the user's at the start of the run, and the changes of its steps.

`step begin` names every other change.
"""

from __future__ import annotations

import os

from ultra_runtime.files.root import PROJECTS
from ultra_runtime.files.run_files import ALONE, STEP
from ultra_runtime.run.state.record import Records
from ultra_runtime.run.tree.snapshot import borrowing, list_paths, parse_raw
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.tree.snapshot import Change

NAME = "known.json"
DONE = "step-"
MOST_NAMED = 10


class Known(Struct):
    """The commit and the tree that are accounted for, and the files that commands of the plan left in it."""

    head: str
    tree: str
    artefacts: list[str]
    lost: bool = False
    """Whether the record was lost, so that the user's changes before the run count as unknown."""


def write_known(live: Live, known: Known) -> None:
    """Record what is accounted for from now on."""
    live.workspace.write_sealed(dict(known.__dict__), live.place.slug, NAME)


def read_known(live: Live, now: str = "") -> Known:
    """Return what is accounted for; if its record is lost, only what the run has committed.

    `now` is the present tree, if it is at hand: then a record that names it needs no check.
    """
    found = live.workspace.read_sealed(live.place.slug, NAME)
    try:
        known = Known(str(found["head"]), str(found["tree"]), list(found["artefacts"]))
    except (KeyError, TypeError):
        return _committed(live)
    if known.tree == now:
        return known
    there = live.git.done("cat-file", "-e", f"{known.tree}^{{tree}}", env=live.snapshots.env)
    return _committed(live) if there.status else known


def left_before(live: Live) -> list[str]:
    """Return the files that commands of the plan had left before the step in progress."""
    found = live.workspace.read_sealed(live.place.slug, NAME).get("artefacts")
    return found if isinstance(found, list) else []


def account_from(live: Live, earlier: Known | None) -> Known:
    """Record at the start of a run that the tree is the user's, except for what changed since an earlier run stopped."""
    now, head = live.snapshots.take(), live.git.head()
    live.ignored.look()
    for left in _leftovers(live, now, head):
        live.lock.setdefault("findings", []).append(left)
        live.notes.append(left)
    tree = now
    if earlier:
        changes = live.snapshots.changes(earlier.tree, now)
        skip = {live.place.shown, *earlier.artefacts, *_committed_since(live, earlier.head, head, changes)}
        tree = live.snapshots.with_entries(
            now, {one.path: one.old for one in changes if one.path not in skip}
        )
    known = Known(head, tree, earlier.artefacts if earlier else [])
    write_known(live, known)
    return known


def _committed_since(live: Live, since: str, head: str, changes: Sequence[Change]) -> list[str]:
    """Return the changed paths that are as commits since then have made them."""
    if since == head:
        return []
    paths = [one.path for one in changes]
    is_there = not live.git.done("cat-file", "-e", since).status
    then, now = (
        (live.snapshots.entries(since, paths) if is_there else {}),
        live.snapshots.entries(head, paths),
    )
    return [one.path for one in changes if one.new == now.get(one.path) != then.get(one.path)]


def _committed(live: Live) -> Known:
    refs = live.git.refs(live.place.slug)
    commits = [commit for name, commit in refs.items() if name.startswith(DONE) or name == "start"]
    head = (
        live.git.line("rev-list", "--max-count=1", "--topo-order", *commits) if commits else live.git.head()
    )
    return Known(head, live.git.line("rev-parse", f"{head}^{{tree}}"), [], lost=True)


def _leftovers(live: Live, tree: str, head: str) -> list[str]:
    """Return what a step in progress of another run has changed in this tree and nobody has committed since."""
    found = []
    for slug in sorted(os.listdir(live.workspace.folder)):
        if slug == live.place.slug or not os.path.exists(live.workspace.path(slug, STEP)):
            continue
        record = Records(live.workspace, slug).read()
        if record is None:
            continue
        changes = _changed(live, slug, record.tree, tree)
        theirs = _committed_since(live, record.start, head, changes)
        committed = live.snapshots.entries(head, [one.path for one in changes])
        step = f"step {record.number} of the unfinished run {slug}"
        left = [one.path for one in changes if one.new != committed.get(one.path)]
        gone = [one.path for one in changes if one.path not in (*left, *theirs)]
        if left:
            named = list_paths(left, MOST_NAMED)
            found.append(f"{step} left {named} uncommitted; this run counts that as the user's")
        if gone:
            named = list_paths(gone, MOST_NAMED)
            found.append(
                f"uncommitted changes from before {step} are gone: {named}; a resume of that run restores them"
            )
    return found


def _changed(live: Live, slug: str, before: str, now: str) -> list[Change]:
    """Return what changed since a snapshot of another run; nothing if its objects are gone."""
    earlier = live.workspace.path(slug, "objects")
    env = {**live.snapshots.env, **borrowing(live.snapshots.users_objects, earlier)}
    words = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, now)
    done = live.git.done("diff-tree", *words, env=env)
    changes = [] if done.status else parse_raw(done.out)
    return [one for one in changes if not one.path.startswith((PROJECTS + os.sep, ALONE))]
