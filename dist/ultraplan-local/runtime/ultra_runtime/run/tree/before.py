"""What the tree was like before a step, beyond its snapshot: exact bytes, modes, folders, ignored files, the index."""

from __future__ import annotations

import os
import stat

from ultra_runtime.answer import RefusedError
from ultra_runtime.errors import UltraError
from ultra_runtime.files.git import GitError
from ultra_runtime.plan.covering import WILD, plain
from ultra_runtime.run.tree.placing import ROOT, parents
from ultra_runtime.run.tree.raw import RawTrees
from ultra_runtime.run.tree.saves import NotSavedError, SavedFile, item_at, save_items, spelled, unspelled
from ultra_runtime.run.tree.staged import keep_index
from ultra_runtime.struct import EMPTY, Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ultra_runtime.run.tree.snapshot import Snapshots
    from ultra_runtime.run.tree.workspace import Workspace

FILE, INDEX = "before.json", "before-index"
HIDDEN, BY_PATH = ("ignored", "nearby"), ("folders", "bits", "specials", "nodes", "unread")
# In a larger tree most modes are not recorded: to look at all files would double the cost of a verb.
MOST_FILES = 20_000


class Before(Struct):
    """The state beyond a snapshot; `tree` is that snapshot, and `raw` the tree of exact bytes if it is another one."""

    tree: str
    paths: list[str]
    """What the step may change."""
    raw: str
    usual: int
    """The permission bits of a new file."""
    whole: bool
    """Whether the modes of all files are recorded, or only those of the step and of files that are not committed."""
    folders: dict[str, int]
    bits: dict[str, int]
    """Files with other permission bits."""
    ignored: dict[str, SavedFile]
    """Ignored files that the step may change."""
    nearby: Mapping[str, SavedFile] = EMPTY
    """Ignored files that it may take along when it removes or moves a folder."""
    specials: Mapping[str, Sequence[int]] = EMPTY
    """FIFOs, sockets and devices, which git does not see: mode and device number."""
    nodes: Mapping[str, Sequence[int]] = EMPTY
    """Files with several names: device and number of the node."""
    unread: Mapping[str, Sequence[int]] = EMPTY
    """Files and folders that nobody could read, and that no snapshot has: size and time."""

    def knows(self, path: str) -> bool:
        """Return whether the permission bits of a path are recorded."""
        return self.whole or path in self.bits or path.startswith(_starts(self.paths))


def look(snapshots: Snapshots, tree: str, paths: Sequence[str], old: Before | None = None) -> Before:
    """Look at the tree after a snapshot of it was taken; in the same way as before if `old` is given."""
    git = snapshots.git
    index = {"GIT_INDEX_FILE": snapshots.index}
    listed = git.ask("ls-files", "-v", "-z", env={**snapshots.env, **index})
    raw = RawTrees(snapshots)
    exact = bool(old.raw) if old else raw.needed(listed)
    whole = old.whole if old else listed.count(b"\0") <= MOST_FILES
    names = [row[2:] for row in listed.split(b"\0")[:-1]] if whole else _own_names(listed, paths)
    changes = [] if whole or old else snapshots.changes(git.head(), tree)
    uncommitted = old.bits if old else [one.path for one in changes]
    unread = [path for path in snapshots.differing if not _is_readable(git.root, path)]
    usual = old.usual if old else new_bits()
    seen = _modes(git.root, {*map(os.fsdecode, names), *uncommitted}, usual, whole, unread)
    asked = _pathspecs(paths if old else [path for path in paths if _may_be_ignored(git.root, path, listed)])
    words = ("ls-files", "-o", "-i", "--exclude-standard", "-z", "--", *asked)
    said = git.ask(*words, env={**snapshots.env, **index}) if asked else b""
    hidden = [os.fsdecode(name) for name in said.split(b"\0")[:-1] if not name.endswith(b"/")]
    ignored = {path: item for path in hidden if (item := item_at(git.root, path))}
    save_items(git, ignored, snapshots.alone)
    seen["nodes"].update(_nodes(git.root, ignored))
    exactly = raw.take() if exact else ""
    return Before(tree, list(paths), exactly, usual, whole, ignored=ignored, **seen)


def keep(
    workspace: Workspace,
    snapshots: Snapshots,
    tree: str,
    head: str,
    paths: Sequence[str],
    nearby: Sequence[str] = (),
) -> None:
    """Record the state before a step, so that a gc of the user's repository takes nothing of it.

    `nearby` are ignored files that are not the step's, and that it may take along with a folder.
    """
    try:
        before = look(snapshots, tree, paths)
        root = workspace.root
        # Without the right to read one there is no copy of it; that must not keep every step from beginning.
        readable = [path for path in nearby if path not in before.ignored and _is_readable(root, path)]
        others = {path: item for path in readable if (item := item_at(root, path))}
        save_items(workspace.git, others, snapshots.alone)
        before.nearby, before.nodes = others, {**before.nodes, **_nodes(root, others)}
        if before.whole:
            before.folders.update(_folders_above(root, [*before.ignored, *others], before.folders))
        objects = keep_index(workspace.git, os.path.join(snapshots.folder, INDEX))
        snapshots.hold(objects.union(*(snapshots.beyond(head, one) for one in (tree, before.raw) if one)))
    except (NotSavedError, GitError, OSError) as problem:
        error = f"the tree before the step cannot be recorded: {one_line(str(problem), 300)}"
        hint = problem.hint if isinstance(problem, UltraError) else UltraError.hint
        raise RefusedError(error, f"{hint}; nothing was changed") from None
    values = {name: getattr(before, name) for name in ("tree", "paths", "raw", "usual", "whole")}
    for name in BY_PATH:
        values[name] = {spelled(path): bits for path, bits in getattr(before, name).items()}
    for name in HIDDEN:
        items = getattr(before, name).items()
        values[name] = {spelled(path): [item.bits, item.name] for path, item in items}
    workspace.write(values, os.path.basename(snapshots.folder), FILE)


def read(workspace: Workspace, snapshots: Snapshots) -> Before | None:
    """Return the state that was recorded last, if any was."""
    values = workspace.read(os.path.basename(snapshots.folder), FILE)
    if not values:
        return None
    for name in BY_PATH:
        values[name] = {unspelled(path): bits for path, bits in values.get(name, {}).items()}
    for name in HIDDEN:
        values[name] = {unspelled(path): SavedFile(*item) for path, item in values.get(name, {}).items()}
    return Before(**values)


def new_bits() -> int:
    """Return the permission bits of a new file."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _modes(
    root: str, names: Iterable[str], usual: int, whole: bool, unread: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return what only the file system knows: modes of folders and unusual files, special files, nodes, closed folders."""
    bits, nodes, folders = {}, {}, {""}
    for name in [*names, *unread]:
        folder = os.path.dirname(name)
        while folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
        try:
            status = os.lstat(os.path.join(root, name))
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            if stat.S_IMODE(status.st_mode) != usual:
                bits[name] = stat.S_IMODE(status.st_mode)
            if status.st_nlink > 1:
                nodes[name] = [status.st_dev, status.st_ino]
    specials = []
    closed = dict.fromkeys(unread)
    for folder in sorted(folders):
        inside = _Inside(root, folder)
        specials += inside.specials
        for path in inside.folders if whole else ():
            if path not in folders and path != ".git":
                empty = _empty(root, path, closed)
                folders.update(one.path for one in empty)
                specials += [special for one in empty for special in one.specials]
    found, special = {}, {}
    for path in {*folders, *specials, *closed, *([ROOT] if whole else [])} - {""}:
        try:
            status = os.lstat(os.path.join(root, path))
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode):
            found[path] = stat.S_IMODE(status.st_mode)
        elif path not in closed:
            special[path] = [status.st_mode, status.st_rdev]
    kept = {path: mark_of(os.path.join(root, path)) for path in closed}
    return {"folders": found, "bits": bits, "specials": special, "nodes": nodes, "unread": kept}


def _nodes(root: str, paths: Iterable[str]) -> dict[str, list[int]]:
    """Return the files with several names -> device and number of the node."""
    found = {path: os.lstat(os.path.join(root, path)) for path in paths}
    return {path: [one.st_dev, one.st_ino] for path, one in found.items() if one.st_nlink > 1}


def mark_of(full: str) -> list[int] | None:
    """Return size and time of a file; of a folder that it is there; None if nothing is."""
    try:
        status = os.lstat(full)
    except OSError:
        return None
    return [] if stat.S_ISDIR(status.st_mode) else [status.st_size, status.st_mtime_ns]


def _is_readable(root: str, path: str) -> bool:
    full = os.path.join(root, path)
    return os.path.islink(full) or not os.path.isfile(full) or os.access(full, os.R_OK)


def _folders_above(root: str, paths: Sequence[str], known: Mapping[str, int]) -> dict[str, int]:
    """Return the permission bits of the folders above ignored files, and of the empty folders in them."""
    found = {}
    for folder in parents(paths).difference(known):
        inside = _Inside(root, folder)
        for path in (folder, *(one.path for name in inside.folders for one in _empty(root, name, {}))):
            mode = os.lstat(os.path.join(root, path)).st_mode
            if stat.S_ISDIR(mode):
                found[path] = stat.S_IMODE(mode)
    return found


class _Inside:
    """What is in a folder: folders, special files, whether there is anything else, and whether nobody can tell."""

    def __init__(self, root: str, path: str) -> None:
        self.path = path
        self.folders: list[str] = []
        self.specials: list[str] = []
        self.others = self.closed = False
        try:
            with os.scandir(os.path.join(root, path)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        self.folders.append(os.path.join(path, entry.name))
                    elif entry.is_file(follow_symlinks=False) or entry.is_symlink():
                        self.others = True
                    else:
                        self.specials.append(os.path.join(path, entry.name))
        except OSError:
            self.others = self.closed = True


def _empty(root: str, path: str, closed: dict[str, None]) -> list[_Inside]:
    """Return a folder and those in it if git sees no file in any of them; add one that nobody can read to `closed`."""
    found, queue = [], [path]
    for one in queue:
        inside = _Inside(root, one)
        if inside.closed:
            closed[one] = None
        if inside.others:
            return []
        found.append(inside)
        queue += inside.folders
    return found


def _starts(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the prefixes of the names of the step's own files; a pattern has none."""
    return tuple(map(plain, paths))


def _own_names(listed: bytes, paths: Sequence[str]) -> set[bytes]:
    """Return the listed names that begin with a path of the step; to split a long list costs more than to search it."""
    found, rows = set(), b"\0" + listed
    for start in _starts(paths):
        at = rows.find(b"\0H " + os.fsencode(start))
        while at >= 0:
            end = rows.index(b"\0", at + 1)
            found.add(rows[at + 3 : end])
            at = rows.find(b"\0H " + os.fsencode(start), end)
    return found


def _may_be_ignored(root: str, path: str, listed: bytes) -> bool:
    """Return whether a path of a plan may name an ignored file; most name a file that git has, or none."""
    name = plain(path)
    if any(sign in name for sign in WILD):
        return True
    row = b"\0H " + os.fsencode(name) + b"\0"
    return os.path.lexists(os.path.join(root, name)) and row not in b"\0" + listed


def _pathspecs(paths: Sequence[str]) -> list[str]:
    """Return the paths of a plan for git."""
    found = []
    for path in map(plain, paths):
        if any(sign in path for sign in WILD):
            glob = path.replace("\\", "\\\\").replace("[", "\\[")
            found += [f":(top,glob){glob}", f":(top,glob){glob}/**"]
        found.append(f":(top,literal){path}")
    return found
