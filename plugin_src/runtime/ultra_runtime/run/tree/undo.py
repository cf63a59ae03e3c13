"""Undo exactly what a step changed: bytes, modes, links, folders, ignored files of the step, and the index.

Everything that will be overwritten or taken away is saved first; without that, nothing is changed.
"""

from __future__ import annotations

import os

from ultra_runtime.errors import UltraError
from ultra_runtime.files.git import GitError
from ultra_runtime.rendered import verb
from ultra_runtime.run.tree import before as state
from ultra_runtime.run.tree.placing import Placing, parents
from ultra_runtime.run.tree.rescue import LINK, Item, NotSavedError, item_at, save
from ultra_runtime.run.tree.snapshot import SUBMODULE, list_paths, read_blobs
from ultra_runtime.run.tree.staged import restore_index
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.tree.before import Before
    from ultra_runtime.run.tree.rescue import Save
    from ultra_runtime.run.tree.snapshot import Change, Snapshots
    from ultra_runtime.run.tree.workspace import Workspace

MOST_LISTED = 10
EXECUTABLE = 0o111
# An undone ignore file can show a file that it hid: look again until nothing is left.
MOST_ROUNDS = 3


class Undone(Struct):
    """The result: the restored paths, those that could not be restored with the reason, and the step."""

    paths: list[str]
    left: dict[str, str]
    number: int

    def __str__(self) -> str:
        if not self.paths:
            return "there was nothing to undo"
        back = f"{verb('step rescue')} {self.number}"
        return f"{list_paths(self.paths, MOST_LISTED)}; to get this back: `{back}`"

    def left_words(self) -> str:
        """Return what could not be restored, in words."""
        named = [f"{one_line(path)} ({reason})" for path, reason in self.left.items()]
        return list_paths(named)


class Difference:
    """What differs between the state before a step and now."""

    def __init__(self, snapshots: Snapshots, old: Before, only: set[str] | None) -> None:
        tree = snapshots.take()
        now = state.look(snapshots, tree, old.paths, old)
        self.items: dict[str, Item | None] = {}
        """Changed path -> what was there before; nothing where nothing was."""
        self.smudged: list[str] = []
        """Paths whose object has to pass the user's filter: the files of git-lfs."""
        usual, root = state.new_bits(), snapshots.git.root

        def before(change: Change) -> Item | None:
            if change.old is None:
                return None
            if change.old.mode == LINK:
                return Item(-1, change.old.name)
            bits = old.bits.get(change.path, usual)
            if not old.whole and change.path not in old.bits:
                there = item_at(root, change.path)
                bits = there.bits if there and there.bits >= 0 else usual
                bits = bits | (bits & 0o444) >> 2 if change.old.mode.endswith("755") else bits & ~EXECUTABLE
            return Item(bits, change.old.name)

        def add(changes: list[Change]) -> None:
            for change in changes:
                modules = SUBMODULE in (change.old and change.old.mode, change.new and change.new.mode)
                if not modules and (only is None or change.path in only):
                    self.items[change.path] = before(change)

        changes = snapshots.changes(old.tree, tree)
        if old.raw:
            add(snapshots.changes(old.raw, now.raw))
            known = snapshots.entries(old.raw, [change.path for change in changes])
            rest = [one for one in changes if one.path not in self.items and one.path not in known]
            add(rest)
            self.smudged = [change.path for change in rest if change.old]
        else:
            add(changes)
        for path in {**old.ignored, **now.ignored}:
            if old.ignored.get(path) != now.ignored.get(path) and (only is None or path in only):
                self.items[path] = old.ignored.get(path)
        both = {**old.bits, **now.bits}
        self.bits = {
            path: old.bits.get(path, usual)
            for path in both
            if path not in self.items
            and old.bits.get(path) != now.bits.get(path)
            and (only is None or path in only)
        }
        self.new_folders = set(now.folders).difference(old.folders) if only is None and old.whole else set()

        self.paths = [*self.items, *self.bits]
        snapshots.need(item.name for item in self.items.values() if item)


def undo(workspace: Workspace, snapshots: Snapshots, record: Record, only: set[str] | None = None) -> Undone:
    """Restore every path that differs from the beginning of the step, or only some of them.

    Every change since then counts as the step's, inside its Files or not: nobody else works in this tree.
    """
    old = state.read(workspace, snapshots, record.tree)
    placing = Placing(workspace.root)
    slug = os.path.basename(snapshots.folder)
    saved: Save | None = None
    paths: dict[str, None] = {}
    left = placing.failed
    for _ in range(MOST_ROUNDS):
        try:
            found = Difference(snapshots, old, only)
            if found.paths:
                saved = save(workspace.git, slug, record.number, record.start, found.paths, saved)
        except UltraError as problem:
            if saved is None:
                raise NotSavedError(str(problem)) from None
            left["the rest"] = str(problem)
            break
        paths.update(dict.fromkeys(found.paths))
        _put_back(placing, snapshots, old, found, only is None)
        if not found.paths or left:
            break
    try:
        restore_index(workspace.git, os.path.join(snapshots.folder, state.INDEX), only)
    except GitError as problem:
        left["the index"] = str(problem)
    return Undone(sorted(paths), left, record.number)


def _put_back(placing: Placing, snapshots: Snapshots, old: Before, found: Difference, whole: bool) -> None:
    """Take away what is new, then write what was there."""
    folders = {
        path: bits for path, bits in old.folders.items() if os.path.isdir(os.path.join(placing.root, path))
    }
    if whole:
        placing.set_bits(folders, also=0o700)
    for path, item in found.items.items():
        if item is None:
            placing.remove(path)
    gone = parents(path for path, item in found.items.items() if item is None)
    there = {path: item for path, item in found.items.items() if item}
    placing.prune((gone | found.new_folders).union(there).difference(old.folders))
    plain = [item.name for path, item in there.items() if path not in found.smudged]
    contents = read_blobs(snapshots.git, plain, snapshots.env)
    for path, item in there.items():
        data = snapshots.smudged(item.name, path) if path in found.smudged else next(contents)
        placing.write(path, data, item.bits)
    if whole:
        placing.make_folders(old.folders)
    placing.set_bits(found.bits)
    placing.set_bits(
        {path: old.folders[path] for path in (old.folders if whole else placing.made) if path in old.folders}
    )
