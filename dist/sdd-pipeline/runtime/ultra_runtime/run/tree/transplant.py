"""Apply a step's change of a file to another version of it: HEAD's, or the one that the user staged.

A file that was the same before the step is taken as it is. A file that the user had changed is merged, so that the
commit has the step's lines and the user's own lines stay uncommitted.
"""

from __future__ import annotations

import os

from ultra_runtime.run.tree.snapshot import SUBMODULE, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.tree.snapshot import Change, Snapshots

LINK = "120000"


class Overlap(Exception):
    """The step changed lines that the user had changed before it."""


def transplant(snapshots: Snapshots, change: Change, onto: Entry | None) -> Entry | None:
    """Return `onto` with the change applied; None when the file is deleted."""
    if onto in (change.old, change.new):
        return change.new
    if onto is None or change.old is None:
        return change.new
    if change.new is None or LINK in (onto.mode, change.old.mode, change.new.mode):
        raise Overlap(change.path)
    if SUBMODULE in (onto.mode, change.old.mode, change.new.mode):
        raise Overlap(change.path)
    mode = change.new.mode if change.new.mode != change.old.mode else onto.mode
    if onto.name == change.old.name:
        return Entry(mode, change.new.name)
    merged = _merge(snapshots, onto.name, change.old.name, change.new.name)
    if not merged:
        raise Overlap(change.path)
    return Entry(mode, merged)


def _merge(snapshots: Snapshots, onto: str, base: str, step: str) -> str:
    """Return the object of the merged file; empty when both changed the same lines."""
    paths = []
    try:
        for title, name in (("onto", onto), ("base", base), ("step", step)):
            path = os.path.join(snapshots.folder, f"merge-{title}.{os.getpid()}")
            paths.append(path)
            with open(path, "wb") as file:
                file.write(snapshots.content(name))
        done = snapshots.git.done("merge-file", "-p", "-q", *paths)
    finally:
        for path in paths:
            if os.path.exists(path):
                os.unlink(path)
    if done.status:
        return ""
    return snapshots.git.ask("hash-object", "-w", "--stdin", given=done.out).decode().strip()
