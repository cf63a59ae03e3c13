"""Name what the unfinished step of another run left in the tree, before this run takes it for the user's."""

from __future__ import annotations

import os

from ultra_runtime.files.root import PROJECTS
from ultra_runtime.files.run_files import ALONE, STEP
from ultra_runtime.run.state.record import Records
from ultra_runtime.run.tree.snapshot import list_paths, parse_raw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.live import Live

MOST_NAMED = 10


def leftovers(live: Live, tree: str, head: str) -> list[str]:
    """Return a sentence for each other run whose step in progress has uncommitted changes in this tree."""
    found = []
    for slug in sorted(os.listdir(live.workspace.folder)):
        if slug == live.place.slug or not os.path.exists(live.workspace.path(slug, STEP)):
            continue
        record = Records(live.workspace, slug).read()
        paths = _changed(live, slug, record.tree, tree) if record else []
        committed, now = (live.snapshots.entries(one, paths) for one in (head, tree))
        paths = [path for path in paths if now.get(path) != committed.get(path)]
        if record and paths:
            left = f"step {record.number} of the unfinished run {slug} left {list_paths(paths, MOST_NAMED)}"
            found.append(f"{left} uncommitted; this run counts that as the user's")
    return found


def _changed(live: Live, slug: str, before: str, now: str) -> list[str]:
    """Return what changed since a snapshot of another run; nothing if its objects are gone."""
    both = (live.snapshots.env["GIT_ALTERNATE_OBJECT_DIRECTORIES"], live.workspace.path(slug, "objects"))
    env = {**live.snapshots.env, "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(both)}
    words = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", before, now)
    done = live.git.done("diff-tree", *words, env=env)
    paths = [] if done.status else [one.path for one in parse_raw(done.out)]
    return [path for path in paths if not path.startswith((PROJECTS + os.sep, ALONE))]
