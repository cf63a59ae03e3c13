"""Undo exactly what a step changed: bytes, modes, links, folders, ignored files of the step, and the index.

Everything that will be overwritten or taken away is saved first; without that, nothing is changed.
"""

from __future__ import annotations

import os

from ultra_runtime.errors import UltraError
from ultra_runtime.files.git import GitError
from ultra_runtime.rendered import verb
from ultra_runtime.run.tree import before as state
from ultra_runtime.run.tree.before import Before
from ultra_runtime.run.tree.commit import index_entries
from ultra_runtime.run.tree.placing import Placing, folder_bits, parents
from ultra_runtime.run.tree.raw import RawTrees
from ultra_runtime.run.tree.saves import (
    EXECUTABLE,
    LINK,
    NotSavedError,
    SavedFile,
    item_at,
    save,
    save_items,
    save_once,
)
from ultra_runtime.run.tree.snapshot import (
    SUBMODULE,
    Change,
    borrowing,
    copy_objects,
    lies_in,
    list_paths,
    read_blobs,
)
from ultra_runtime.run.tree.staged import restore_index, staged_since
from ultra_runtime.run.tree.transplant import Overlap, transplant
from ultra_runtime.run.tree.workspace import RULES
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.tree.saves import Save
    from ultra_runtime.run.tree.snapshot import Entry, Snapshots
    from ultra_runtime.run.tree.workspace import Workspace

MOST_LISTED = 10
UNREAD = "nobody could read it when the step began, so there is no copy"
# Rules of git first, then what they hide or show, then a look whether anything is left.
MOST_ROUNDS = 4


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
    """What differs between the tree before a step and now, everywhere or only at some paths.

    Where that tree is not the one that was recorded exactly, git's filters write the files.
    """

    def __init__(
        self, snapshots: Snapshots, base: str, recorded: Before | None, only: set[str] | None
    ) -> None:
        tree = snapshots.take()
        old = recorded or Before(base, [], "", state.new_bits(), False, {}, {}, {})
        self.snapshots, self.old, self.only = snapshots, old, only
        self.root = snapshots.git.root
        now = state.look(snapshots, tree, old.paths, old)
        changes = snapshots.changes(base, tree)
        self.other = {one.path for one in (snapshots.changes(old.tree, base) if recorded else changes)}
        """Paths that were recorded when they were other than in the tree before the step."""
        self.items: dict[str, SavedFile | None] = {}
        """Changed path -> what was there before; nothing where nothing was."""
        self.modules: dict[str, None] = {}
        """Changed repositories inside the tree: git knows their commit alone, so that none of their files is restored."""
        self.smudged: set[str] = set()
        """Paths whose object has to pass the user's filters: those, and the files of git-lfs."""
        self.lost = [
            path for path, mark in old.unread.items() if self._wanted(path) and mark != self._mark(path)
        ]
        """Files that are gone or changed, and that nobody could read before."""
        self._compare_trees(changes, now)
        for path in {**old.ignored, **now.ignored}:
            if old.ignored.get(path) != now.ignored.get(path) and self._wanted(path):
                self.items[path] = old.ignored.get(path)
        if only is None or not only.isdisjoint(old.nearby):
            near = [*removed(self.root, old), *edited(snapshots, old)]
            self.items.update((path, old.nearby[path]) for path in near if self._wanted(path))
        self.items.update(dict.fromkeys(_in_the_way(self.root, self.items)))
        rules = {path: item for path, item in self.items.items() if os.path.basename(path) in RULES}
        self.rules = bool(rules)
        """Whether these are only files with rules of git, which decide what else differs: what is ignored, and how it reads."""
        self.items = rules or self.items
        self.whole = only is None and not self.rules
        differ = [path for path in {**old.bits, **now.bits} if old.bits.get(path) != now.bits.get(path)]
        self.bits = {
            path: old.bits.get(path, old.usual)
            for path in differ
            if path not in {*self.items, *self.other, *self.lost} and (self.whole or path in (only or ()))
        }
        """Files whose permission bits alone differ."""
        nodes = [
            path
            for path in {**old.specials, **now.specials}
            if old.specials.get(path) != now.specials.get(path)
        ]
        self.nodes = {
            path: old.specials.get(path)
            for path in nodes
            if recorded and not self.rules and self._wanted(path)
        }
        """Changed special files -> mode and device number before; nothing where there was none."""
        new = set(now.folders).difference(old.folders) if self.whole and old.whole else set()
        self.new_folders = {path for path in new if not lies_in(old.unread, path)}
        named = {path: bits for path, bits in old.folders.items() if path in (only or ()) and not self.rules}
        self.folders = old.folders if self.whole else named
        """Folders that have to be there -> their permission bits."""
        self.paths = list({**self.items, **self.bits, **self.nodes})
        snapshots.need(item.name for item in self.items.values() if item)

    def other_folders(self) -> list[str]:
        """Return the folders that are missing, or have other permission bits."""
        return [
            path for path, bits in self.folders.items() if folder_bits(os.path.join(self.root, path)) != bits
        ]

    def _wanted(self, path: str) -> bool:
        return self.only is None or path in self.only

    def _mark(self, path: str) -> list[int] | None:
        return state.mark_of(os.path.join(self.root, path))

    def _compare_trees(self, changes: list[Change], now: Before) -> None:
        self.smudged.update(self.other)
        if not self.old.raw:
            return self._add(changes)
        exact = self.snapshots.changes(self.old.raw, now.raw)
        self._add([one for one in exact if one.path not in self.other])
        known = self.snapshots.entries(self.old.raw, [change.path for change in changes])
        rest = [one for one in changes if one.path in self.other or one.path not in {*self.items, *known}]
        self._add(rest)
        self.smudged.update(change.path for change in rest)
        return None

    def _add(self, changes: list[Change]) -> None:
        for change in changes:
            if not self._wanted(change.path) or (not change.old and lies_in(self.old.unread, change.path)):
                continue
            if SUBMODULE in (change.old and change.old.mode, change.new and change.new.mode):
                self.modules[change.path] = None
            else:
                self.items[change.path] = self._before(change.path, change.old)

    def _before(self, path: str, entry: Entry | None) -> SavedFile | None:
        if entry is None:  # nothing was there that git saw
            return self.old.ignored.get(path) or self.old.nearby.get(path)
        if entry.mode == LINK:
            return SavedFile(-1, entry.name)
        if self.old.knows(path) and path not in self.other:
            return SavedFile(self.old.bits.get(path, self.old.usual), entry.name)
        there = item_at(self.root, path)
        bits = there.bits if there and there.bits >= 0 else self.old.usual
        is_program = entry.mode == EXECUTABLE
        return SavedFile(bits | (bits & 0o444) >> 2 if is_program else bits & ~0o111, entry.name)


def unseen(workspace: Workspace, snapshots: Snapshots, record: Record) -> tuple[list[str], list[str]]:
    """Return what changed since the step began and git does not see: modes, folders, special files; and ignored files."""
    old = state.read(workspace, snapshots)
    if old is None:
        return [], []
    try:
        found = Difference(snapshots, record.tree, old, None)
    except UltraError:  # objects are lost, perhaps of other files than those to be restored
        return [], []
    ignored = [path for path in found.items if path in old.nearby]
    return [*found.bits, *found.nodes, *found.other_folders()], ignored


def _in_the_way(root: str, items: Mapping[str, SavedFile | None]) -> list[str]:
    """Return the files in folders that have taken the place of a file; git sees none of those that it ignores."""
    found = []
    for path in [path for path, item in items.items() if item]:
        full = os.path.join(root, path)
        if os.path.isdir(full) and not os.path.islink(full):
            for above, folders, names in os.walk(full):
                links = [name for name in folders if os.path.islink(os.path.join(above, name))]
                found += [os.path.relpath(os.path.join(above, name), root) for name in [*names, *links]]
    return [path for path in found if path not in items]


def removed(root: str, before: Before) -> list[str]:
    """Return the ignored files near the step that are gone."""
    return [path for path in before.nearby if not os.path.lexists(os.path.join(root, path))]


def edited(snapshots: Snapshots, before: Before) -> list[str]:
    """Return the ignored files near the step that have other bytes or another mode now."""
    now = {path: item for path in before.nearby if (item := item_at(snapshots.git.root, path))}
    save_items(snapshots.git, now, snapshots.alone)
    return [path for path, item in now.items() if item != before.nearby[path]]


def save_removed(workspace: Workspace, snapshots: Snapshots, record: Record) -> list[str]:
    """Save the ignored files that a step removed or edited, and return them: a rescue brings them back.

    What a command of the plan made of such a file is its own business, as long as the file is there.
    """
    before = state.read(workspace, snapshots)
    paths = removed(workspace.root, before) if before else []
    if before and any(path in before.nearby for path in record.ignored):
        paths += [path for path in edited(snapshots, before) if path in record.ignored]
    if before and paths:
        items = {path: before.nearby[path] for path in paths}
        names = [item.name for item in items.values()]
        copy_objects(workspace.git, names, snapshots.users_objects, borrowing(snapshots.objects))
        slug = os.path.basename(snapshots.folder)
        save_once(workspace.git, slug, record.number, record.start, items)
    return paths


def save_replaced(
    workspace: Workspace, snapshots: Snapshots, record: Record, changes: Sequence[Change]
) -> tuple[str, list[str]]:
    """Save what a step made of files that were not committed before it; return the ref of the save and the files.

    A file that still has all changes of the user needs no save.
    """
    there = snapshots.entries(record.start, [one.path for one in changes])
    lost = [one for one in changes if one.old and not _is_kept(snapshots, one, there.get(one.path))]
    if not lost:
        return "", []
    paths = [one.path for one in lost]
    before = state.read(workspace, snapshots)
    exact = snapshots.entries(before.raw, paths) if before and before.raw else {}
    usual = state.new_bits()
    items: dict[str, SavedFile | None] = {}
    for one in lost:
        entry = exact.get(one.path) or one.old
        if entry and entry.mode != SUBMODULE:
            bits = before.bits.get(one.path, before.usual) if before else usual
            items[one.path] = SavedFile(-1 if entry.mode == LINK else bits, entry.name)
    names = [item.name for item in items.values() if item]
    copy_objects(workspace.git, names, snapshots.users_objects, borrowing(snapshots.objects))
    slug = os.path.basename(snapshots.folder)
    saved = save_once(workspace.git, slug, record.number, record.start, items) if items else None
    return (saved.ref, list(items)) if saved else ("", [])


def _is_kept(snapshots: Snapshots, change: Change, committed: Entry | None) -> bool:
    """Tell whether a file was committed before the step, or still has all that the user had changed in it."""
    if change.old == committed or change.new is None:
        return change.old == committed
    try:
        return transplant(snapshots, Change(change.path, committed, change.old), change.new) == change.new
    except Overlap:
        return False


def undo(
    workspace: Workspace,
    snapshots: Snapshots,
    record: Record,
    only: set[str] | None = None,
    begun: bool = True,
) -> Undone:
    """Restore every path that differs from the beginning of the step, or only some of them.

    Every change since then counts as the step's, inside its Files or not: nobody else works in this tree. What was
    committed meanwhile is somebody's, and stays as it is committed. Unless the step has `begun`, the index that was
    kept is an earlier one, and the user may have staged something since.
    """
    old = state.read(workspace, snapshots)
    committed = _committed(snapshots, record)
    others = {path: entry for path, entry in committed.items() if not lies_in(snapshots.own_files, path)}
    base = snapshots.with_entries(record.tree, others)
    placing = Placing(workspace.root)
    kept = os.path.join(snapshots.folder, state.INDEX)
    slug = os.path.basename(snapshots.folder)
    saved: Save | None = None
    paths: dict[str, None] = {}
    left, lost = placing.failed, dict[str, str]()
    named = only if begun or only is None else _staged_as_they_are(snapshots, only)
    for _ in range(MOST_ROUNDS):
        try:
            found = Difference(snapshots, base, old, only)
            staged = staged_since(workspace.git, kept)
            new = found.new_folders
            if found.paths or new or (staged and saved is None):
                step = (slug, record.number, record.start)
                saved = save(workspace.git, *step, found.paths, saved, staged=staged, folders=new)
        except UltraError as problem:
            if saved is None:
                raise NotSavedError(str(problem)) from None
            left["the rest"] = str(problem)
            break
        paths.update(dict.fromkeys([*found.paths, *(found.other_folders() if only else ())]))
        lost.update(dict.fromkeys(found.lost, UNREAD))
        _put_back(placing, snapshots, found)
        if found.rules:
            RawTrees(snapshots).start_over()
        if not found.paths or left:
            break
    left.update(lost)
    left.update(dict.fromkeys(found.modules, "a repository of its own, which no undo restores"))
    try:
        restore_index(snapshots, kept, None if named is None else named - found.other, committed)
    except UltraError as problem:
        left["the index"] = str(problem)
    return Undone(sorted(paths), left, record.number)


def _staged_as_they_are(snapshots: Snapshots, paths: set[str]) -> set[str]:
    """Return the paths whose entry in the index is what the tree has now: whoever changed them has staged that too."""
    there = snapshots.entries(snapshots.take(), list(paths))
    staged = index_entries(snapshots.git, list(paths))
    return {path for path in paths if staged.get(path) == there.get(path)}


def _committed(snapshots: Snapshots, record: Record) -> dict[str, Entry | None]:
    """Return the paths that commits have changed since the step began -> what an undo leaves there.

    That is what HEAD has; where the path had uncommitted changes before the step, it is what is there now.
    """
    git = snapshots.git
    head = git.head()
    if head == record.start:
        return {}
    changes = snapshots.changes(record.start, head)
    paths = [change.path for change in changes]
    before = snapshots.entries(record.tree, paths)
    now = snapshots.entries(snapshots.take(), paths)
    return {one.path: one.new if before.get(one.path) == one.old else now.get(one.path) for one in changes}


def _put_back(placing: Placing, snapshots: Snapshots, found: Difference) -> None:
    """Take away what is new, then write what was there."""
    old = found.old
    folders = {*parents(found.paths), *found.new_folders, *(old.folders if found.whole else ())}
    closed = placing.open_up(folders)
    away = [
        path for path, item in {**found.items, **found.nodes}.items() if item is None or path in found.nodes
    ]
    for path in away:
        placing.remove(path)
    gone = parents(away)
    there = {path: item for path, item in found.items.items() if item}
    placing.prune((gone | found.new_folders).union(there).difference(old.folders))
    plain = [item.name for path, item in there.items() if path not in found.smudged]
    contents = read_blobs(snapshots.git, plain, snapshots.env)
    for path, item in there.items():
        try:
            data = snapshots.smudged(item.name, path) if path in found.smudged else next(contents)
        except GitError as problem:
            placing.failed[path] = str(problem)
        else:
            placing.write(path, data, item.bits, old.nodes.get(path, ()))
    for path, node in found.nodes.items():
        if node:
            placing.make_node(path, *node)
    placing.make_folders(found.folders)
    placing.set_bits(found.bits)
    closed = {
        path: bits for path, bits in closed.items() if folder_bits(os.path.join(placing.root, path)) >= 0
    }
    known = {path: old.folders[path] for path in {*found.folders, *placing.made} if path in old.folders}
    placing.set_bits({**closed, **known})
