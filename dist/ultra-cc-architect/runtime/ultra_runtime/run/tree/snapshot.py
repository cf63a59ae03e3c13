"""Take snapshots of the whole working tree as git trees, and compare them.

Snapshots have their own objects and index. The user's index is only copied, once, because it knows which files are
unchanged. Nothing of a snapshot is ever pushed, fetched or seen by the user's git. In our index git also remembers the
folders without new files, so that a snapshot reads only the folders that changed.
"""

from __future__ import annotations

import os
import stat
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import GitError
from ultra_runtime.run.tree.own_index import HEAD, REMEMBERS, TREE, WRITTEN, OwnIndex, drop
from ultra_runtime.run.tree.workspace import make_folder, put
from ultra_runtime.struct import Struct
from ultra_runtime.words import first_of, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.tree.workspace import Workspace

SUBMODULE = "160000"
REGULAR = ("100644", "100755")
UNMARKED = b"H"
SKIPPED = "S"
"""The letter of a path with the mark skip-worktree; that of assume-unchanged is any small one."""
A_PORTION = 500
A_HANDFUL, LONGEST_HEAD = 50, 200
# The user's settings, except for those that start a file monitor, give advice, or let git overlook a change.
SETTINGS = (
    "core.fsmonitor=false", "core.safecrlf=false", "advice.addEmbeddedRepo=false", "core.checkStat=default",
    "core.trustctime=true", "core.ignoreStat=false", "core.sparseCheckout=false",
)  # fmt: skip
QUIETLY = tuple(word for setting in SETTINGS for word in ("-c", setting))
# Only for our own index; git uses what it remembers of folders if status lists all files and is asked for all of them.
CACHED = (*QUIETLY, "-c", "core.untrackedCache=true", "-c", "status.showUntrackedFiles=all")
ADD, ADDED = (*CACHED, "add", "-A", "--ignore-errors", "--"), (0, 1)
"""Status 1 reports unreadable files and repositories without a commit: they are not part of the snapshot."""
LITERALLY = {"GIT_LITERAL_PATHSPECS": "1"}
STATUS = (
    "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames", "--ignore-submodules=dirty",
)  # fmt: skip
WITH_IGNORED = "--ignored=matching"
FIELDS_BEFORE_PATH = {b"?": 1, b"!": 1, b"1": 8, b"u": 10}
"""What `git status` prints before the path: of a new file, an ignored one, a tracked one, an unmerged one."""
COMMIT = b"# branch.oid "


class Entry(Struct):
    """A git entry at a path: mode and object."""

    mode: str
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and (self.mode, self.name) == (other.mode, other.name)

    def __hash__(self) -> int:
        return hash((self.mode, self.name))


def listed_entries(said: bytes) -> dict[str, Entry]:
    """Return what `git ls-tree -z` printed: entries by path."""
    found = {}
    for row in said.split(b"\0")[:-1]:
        fields, _, path = row.partition(b"\t")
        mode, _, name = fields.decode().split(" ")
        found[os.fsdecode(path)] = Entry(mode, name)
    return found


class Change(Struct):
    """A path that differs between two trees; without `old` it is new, without `new` it was deleted."""

    path: str
    old: Entry | None
    new: Entry | None


class Status(Struct):
    """What `git status` says: the commit of HEAD, whether the index differs from it, and paths."""

    head: str
    staged: bool
    differing: list[str]
    """Paths whose file differs from the index."""
    ignored: list[str]
    """Ignored files, and ignored folders with a slash at the end."""
    began: int
    """When git was asked, in nanoseconds."""


class Snapshots:
    """Take snapshots of one tree for one run."""

    def __init__(self, workspace: Workspace, place: RunPlace, part: str = "") -> None:
        """Let them be those of the run, or of a part of it that works beside the others."""
        self.git = workspace.git
        self.folder = workspace.path(place.slug + part)
        self.index = os.path.join(self.folder, "index")
        self.own_index = OwnIndex(self.git, self.index)
        self.seen: Status | None = None
        """What the first look at the tree saw, if this call made it."""
        self.differing: list[str] = []
        """Paths whose file differed from the index at the last look, new ones too."""
        self.recorded = ""
        """The tree as this call has recorded it for a part of it that comes at once; the next look returns it."""
        objects = os.path.join(self.folder, "objects")
        self.alone = {"GIT_OBJECT_DIRECTORY": objects}
        self.users_objects = os.path.join(self.git.common, "objects")
        self.env = {**self.alone, **borrowing(self.users_objects)}
        self.objects = objects
        self.own_files = [path.rstrip("/") for path in place.own_files()]
        self.pathspec = [".", *(f":(exclude,top,literal){path}" for path in self.own_files)]

    def take(self) -> str:
        """Return the current working tree as a git tree, without ignored files."""
        recorded, self.recorded = self.recorded, ""
        if recorded:
            return recorded
        make_folder(self.objects)
        try:
            return self._take()
        except GitError as problem:
            if problem.late:
                hint = "a filter of git (`git config --get-regexp filter`) may hang, or the disk; fix this and retry"
                raise RefusedError(f"the working tree cannot be recorded: {problem}", hint) from None
            # The user's repository may have pruned objects that this index relies on: rebuild the index.
            drop(self.index)
        try:
            return self._take()
        except GitError as problem:
            raise RefusedError(f"the working tree cannot be recorded: {problem}", problem.hint) from None

    def _take(self) -> str:
        fresh = not self.own_index.is_ours()
        with self.own_index.change(fresh) as change:
            env = {**self.env, "GIT_INDEX_FILE": change.path}
            self._see_marked(env, fresh)
            last = {} if fresh else self.own_index.last()
            # The first look asks for ignored files too, with which git cannot remember folders. The second one writes
            # them down; later ones do not: folders that change are few, and to read them again costs less.
            writes = not fresh and not last.get(REMEMBERS)
            status = self._status({**env, "GIT_OPTIONAL_LOCKS": str(int(writes))}, *[WITH_IGNORED] * fresh)
            self.seen = status if fresh else None
            change.noted = {} if fresh else {REMEMBERS: "yes"}
            self.differing = paths = [one for one in status.differing if not lies_in(self.own_files, one)]
            self._add(paths, env)
            if paths or status.staged or not status.head:
                tree = "" if paths else self._written(last, status.head)
                tree = tree or self.git.ask(*CACHED, "write-tree", env=env).decode().strip()
                change.noted[WRITTEN] = f"{status.head} {tree}"
                return tree
            known = last.get(TREE) if last.get(HEAD) == status.head else ""
            tree = known or self.git.ask("rev-parse", f"{status.head}^{{tree}}").decode().strip()
            change.noted.update({HEAD: status.head, TREE: tree})
            return tree

    def _written(self, last: Mapping[str, str], head: str) -> str:
        """Return the tree that git wrote of this index, if nothing can have taken its objects since.

        Those that are not ours are HEAD's of that time, which HEAD or a ref of the run must still hold.
        """
        then, _, tree = last.get(WRITTEN, "").partition(" ")
        run = self.git.known.get(os.path.basename(self.folder))
        is_held = then == head or (run is not None and then in run.refs.values())
        is_ours = os.path.exists(os.path.join(self.objects, tree[:2], tree[2:]))
        return tree if tree and is_held and is_ours else ""

    def _status(self, env: Mapping[str, str], *more: str) -> Status:
        """Return how the tree, the index and HEAD differ."""
        found = Status("", False, [], [], time.time_ns())
        for row in self.git.ask(*CACHED, *STATUS, *more, env=env).split(b"\0")[:-1]:
            kind = row[:1]
            if row.startswith(COMMIT):
                name = row[len(COMMIT) :].decode()
                found.head = name if name.isalnum() else ""
            count = FIELDS_BEFORE_PATH.get(kind, 0)
            path = os.fsdecode(row.split(b" ", count)[count]) if count else ""
            if kind == b"!":
                found.ignored.append(path)
            elif count and not (kind == b"1" and row[3:4] == b"."):
                found.differing.append(path.rstrip("/"))
            found.staged = found.staged or (kind in b"1u" and row[2:3] != b".")
        return found

    def first_look(self) -> Status:
        """Return what the first look at the tree saw, with the ignored files; another look if this call has not made it."""
        return self.seen or self._status({**self.env, "GIT_INDEX_FILE": self.index}, WITH_IGNORED)

    def _add(self, paths: Sequence[str], env: Mapping[str, str]) -> None:
        """Take these paths into the index; if they are many, whatever differs."""
        if not paths:
            return
        drop_special(self.git, paths, env)
        few = [(paths, LITERALLY)] if len(paths) <= A_HANDFUL else []
        for named, how in [*few, (self.pathspec, {})]:  # a file that has gone meanwhile fails the first call
            added = self.git.done(*ADD, *named, env={**env, **how})
            if added.status in ADDED:
                return
            if added.late:
                break
        raise GitError(ADD, added)

    def _see_marked(self, env: Mapping[str, str], fresh: bool) -> None:
        """Clear the marks by which git overlooks files; those that a sparse checkout leaves out keep theirs."""
        left_out = os.path.join(self.folder, "left-out")
        if fresh:
            listed = self.git.ask("ls-files", "-v", "-z", env=env)
            marks = {} if all_unmarked(listed) else _lettered(listed, without=UNMARKED)
            self._unmark(
                "--no-assume-unchanged", [path for path, mark in marks.items() if mark.islower()], env
            )
            names = [path for path, mark in marks.items() if mark.upper() == SKIPPED]
        elif os.path.exists(left_out):
            with open(left_out, "rb") as file:
                names = [os.fsdecode(name) for name in file.read().split(b"\0")[:-1]]
        else:
            return
        there = [path for path in names if os.path.lexists(os.path.join(self.git.root, path))]
        found = set(there)
        self._unmark("--no-skip-worktree", there, env)
        if names and (fresh or there):
            put(left_out, _joined(path for path in names if path not in found))

    def _unmark(self, flag: str, paths: Sequence[str], env: Mapping[str, str]) -> None:
        if paths:
            self.git.ask(*CACHED, "update-index", flag, "-z", "--stdin", given=_joined(paths), env=env)

    def follow(self, paths: Sequence[str]) -> None:
        """Make files part of the snapshots that git ignores."""
        if not paths:
            return
        if not self.own_index.is_ours():
            self.take()
        with self.own_index.change(fresh=False) as change:
            env = {**self.env, **LITERALLY, "GIT_INDEX_FILE": change.path}
            for part in portions(paths):
                self.git.ask(*CACHED, "add", "--force", "--", *part, env=env)

    def with_entries(self, tree: str, entries: Mapping[str, Entry | None]) -> str:
        """Return a tree with other entries at some paths; None removes one."""
        if not entries:
            return tree
        index = f"{self.index}.made.{os.getpid()}"
        env = {**self.env, "GIT_INDEX_FILE": index}
        try:
            self.git.ask("read-tree", tree, env=env)
            # What goes comes first: a file may take the place of a folder.
            order = sorted(entries, key=lambda path: entries[path] is not None)
            rows = [index_row(path, entries[path], tree) for path in order]
            self.git.ask("update-index", "--replace", "-z", "--index-info", given=b"".join(rows), env=env)
            return self.git.ask("write-tree", env=env).decode().strip()
        finally:
            drop(index)
            drop(index + ".lock")

    def changes(self, old: str, new: str) -> list[Change]:
        """Return what differs between two trees."""
        if old == new:
            return []
        said = self.git.ask(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new, env=self.env
        )
        return parse_raw(said)

    def entries(self, tree: str, paths: Sequence[str]) -> dict[str, Entry]:
        """Return the entries of a tree at these paths."""
        found = {}
        env = {**self.env, **LITERALLY}
        for part in portions(paths):
            said = self.git.ask("ls-tree", "-r", "-z", "--full-tree", tree, "--", *part, env=env)
            found.update(listed_entries(said))
        return found

    def content(self, name: str) -> bytes:
        """Return the bytes of a file of a snapshot, or of the repository."""
        return self.git.ask("cat-file", "blob", name, env=self.env)

    def smudged(self, name: str, path: str) -> bytes:
        """Return the bytes of a file as the user's filters write them."""
        return self.git.ask("cat-file", "--filters", f"--path={path}", name, env=self.env)

    def need(self, names: Iterable[str]) -> None:
        """Refuse if one of these objects is lost."""
        asked = "".join(f"{name}\n" for name in names).encode()
        said = self.git.ask("cat-file", "--batch-check", given=asked, env=self.env) if asked else b""
        if b" missing\n" in said:
            raise RefusedError("objects of the snapshots are lost", "the tree is unchanged; tell the user")

    def beyond(self, commit: str, tree: str) -> set[str]:
        """Return the objects that a tree has beyond a commit."""
        last = self.own_index.last()
        if (last.get(HEAD), last.get(TREE)) == (commit, tree):
            return set()
        words = ("diff-tree", "-r", "-t", "-z", "--raw", "--no-renames", "--no-abbrev", commit, tree)
        said = self.git.ask(*words, env=self.env)
        return {tree, *new_objects(said)} if said else set()

    def hold(self, names: Iterable[str]) -> None:
        """Copy objects into our own: the user's git may prune its copies."""
        packed = _packed_names(os.path.join(self.objects, "pack"))
        missing = [name for name in names if bytes.fromhex(name) not in packed]
        copy_objects(self.git, missing, self.objects, self.env)

    def forget(self) -> None:
        """Remove all snapshots of the run."""
        from shutil import rmtree

        rmtree(self.folder, ignore_errors=True)


def borrowing(*folders: str) -> dict[str, str]:
    """Return what lets git read the objects in these folders too; a name with a colon must be in quotes."""
    names = [in_quotes(folder) if os.pathsep in folder else folder for folder in folders]
    return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.pathsep.join(names)}


def in_quotes(path: str) -> str:
    """Return a path in quotes, as git reads it in its settings and its variables."""
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def drop_special(git: Git, paths: Iterable[str], env: Mapping[str, str]) -> None:
    """Drop the entries of files in whose place there is a FIFO or a socket now, which git leaves alone."""
    gone = [path for path in paths if _is_special(os.path.join(git.root, path))]
    if gone:
        git.ask(*CACHED, "update-index", "--force-remove", "-z", "--stdin", given=_joined(gone), env=env)


def _is_special(path: str) -> bool:
    """Tell whether there is something at a path that git cannot keep."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode))


def _packed_names(folder: str) -> bytes:
    """Return the indexes of our few small packs, which list the name of every object; this starts no git."""
    found = b""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(".idx"):
            with open(os.path.join(folder, name), "rb") as file:
                found += file.read()
    return found


def lies_in(names: Iterable[str], path: str) -> bool:
    """Return whether a path is one of the names or below it."""
    return any(path == name or path.startswith(name + "/") for name in names)


def _joined(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def tracked_paths(git: Git, paths: Sequence[str]) -> dict[str, str]:
    """Return which of these paths the user's index has, each with its letter of `git ls-files -v`."""
    return _lettered(git.ask("ls-files", "-v", "-z", "--", *paths, env={"GIT_LITERAL_PATHSPECS": "1"}))


def all_unmarked(listed: bytes) -> bool:
    """Tell whether none of the entries that `git ls-files -v -z` lists has a mark."""
    return listed.count(b"\0H ") + listed.startswith(b"H ") == listed.count(b"\0")


def _lettered(said: bytes, without: bytes = b"") -> dict[str, str]:
    rows = [os.fsdecode(row) for row in said.split(b"\0")[:-1] if row[:1] != without]
    return {row[2:]: row[0] for row in rows}


def index_row(path: str, entry: Entry | None, like: str) -> bytes:
    """Return a row for `git update-index --index-info`; `like` is the name of any object of the repository."""
    head = f"{entry.mode} {entry.name} 0\t" if entry else f"0 {'0' * len(like)} 0\t"
    return head.encode() + os.fsencode(path) + b"\0"


def new_objects(said: bytes) -> set[str]:
    """Return the new objects in the output of `git diff-tree --raw -z` or its like."""
    found = [change.new for change in parse_raw(said) if change.new]
    return {entry.name for entry in found if entry.mode != SUBMODULE and entry.name.strip("0")}


def copy_objects(git: Git, names: Iterable[str], target: str, env: Mapping[str, str]) -> None:
    """Copy those objects that an object store lacks into it, from all that `env` names."""
    missing = [name for name in names if not os.path.exists(os.path.join(target, name[:2], name[2:]))]
    if missing and os.path.isdir(os.path.join(target, "pack")):
        asked = "".join(f"{name}\n" for name in missing).encode()
        said = git.ask("cat-file", "--batch-check", given=asked, env={"GIT_OBJECT_DIRECTORY": target})
        missing = [line.split(" ")[0] for line in said.decode().splitlines() if line.endswith(" missing")]
    if missing:
        make_folder(os.path.join(target, "pack"))
        given = "".join(f"{name}\n" for name in missing).encode()
        git.ask("pack-objects", "-q", os.path.join(target, "pack", "pack"), given=given, env=env)


def read_blobs(git: Git, names: Sequence[str], env: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Yield the bytes of many files."""
    for at in range(0, len(names), A_HANDFUL):
        asked = "".join(f"{name}\n" for name in names[at : at + A_HANDFUL])
        said = memoryview(git.ask("cat-file", "--batch", given=asked.encode(), env=env))
        while said:
            head, _, _ = bytes(said[:LONGEST_HEAD]).partition(b"\n")
            start, size = len(head) + 1, int(head.rsplit(b" ", 1)[1])
            yield bytes(said[start : start + size])
            said = said[start + size + 1 :]


def parse_raw(said: bytes) -> list[Change]:
    """Parse the output of `git diff-tree --raw -z`."""
    fields = said.split(b"\0")[:-1]
    changes = []
    for head, path in zip(fields[::2], fields[1::2]):
        old_mode, new_mode, old, new, _ = head.decode().lstrip(":").split(" ")
        changes.append(Change(os.fsdecode(path), _entry(old_mode, old), _entry(new_mode, new)))
    return changes


def _entry(mode: str, name: str) -> Entry | None:
    return Entry(mode, name) if mode.strip("0") else None


def portions(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the paths in portions that fit one command line."""
    for at in range(0, len(paths), A_PORTION):
        yield paths[at : at + A_PORTION]


def list_paths(paths: Iterable[str], most: int = 5) -> str:
    """Return paths as a short list in words."""
    return first_of((one_line(path, 120) for path in paths), most)
