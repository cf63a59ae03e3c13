"""Take snapshots of the whole working tree as git trees, and compare them.

Snapshots have their own objects and index. The user's index is only copied, once, because it knows which files are
unchanged. Nothing of a snapshot is ever pushed, fetched or seen by the user's git.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import GitError
from ultra_runtime.run.tree.workspace import make_folder, put
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

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


class Entry(Struct):
    """A git entry at a path: mode and object."""

    mode: str
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and (self.mode, self.name) == (other.mode, other.name)

    def __hash__(self) -> int:
        return hash((self.mode, self.name))


class Change(Struct):
    """A path that differs between two trees; without `old` it is new, without `new` it was deleted."""

    path: str
    old: Entry | None
    new: Entry | None


class Snapshots:
    """Take snapshots of one tree for one run."""

    def __init__(self, workspace: Workspace, place: RunPlace) -> None:
        self.git = workspace.git
        self.folder = workspace.path(place.slug)
        self.index = os.path.join(self.folder, "index")
        objects = os.path.join(self.folder, "objects")
        self.alone = {"GIT_OBJECT_DIRECTORY": objects}
        self.env = {
            **self.alone,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": os.path.join(self.git.common, "objects"),
        }
        self.objects = objects
        self.pathspec = [".", *(f":(exclude,top,literal){path}" for path in place.own_files())]

    def take(self) -> str:
        """Return the current working tree as a git tree, without ignored files."""
        make_folder(self.objects)
        try:
            return self._take()
        except GitError as problem:
            if problem.late:
                hint = "a filter of git (`git config --get-regexp filter`) may hang, or the disk; fix this and retry"
                raise RefusedError(f"the working tree cannot be recorded: {problem}", hint) from None
            # The user's repository may have pruned objects that this index relies on: rebuild the index.
            _drop(self.index)
        try:
            return self._take()
        except GitError as problem:
            raise RefusedError(
                f"the working tree cannot be recorded: {problem}", "fix this and retry"
            ) from None

    def _take(self) -> str:
        temporary = f"{self.index}.{os.getpid()}"
        env = {**self.env, "GIT_INDEX_FILE": temporary}
        try:
            fresh = not os.path.exists(self.index)
            copy_index(os.path.join(self.git.folder, "index") if fresh else self.index, temporary)
            self._see_marked(env, fresh)
            # Status 1 reports unreadable files and repositories without a commit: they are not part of the snapshot.
            added = self.git.done(*QUIETLY, "add", "-A", "--ignore-errors", "--", *self.pathspec, env=env)
            if added.status not in (0, 1):
                raise GitError(["add"], added)
            tree = self.git.ask("write-tree", env=env).decode().strip()
            os.replace(temporary, self.index)
        finally:
            _drop(temporary)
            _drop(temporary + ".lock")
        return tree

    def _see_marked(self, env: Mapping[str, str], fresh: bool) -> None:
        """Clear the marks by which git overlooks files; those that a sparse checkout leaves out keep theirs."""
        left_out = os.path.join(self.folder, "left-out")
        if fresh:
            marks = _lettered(self.git.ask("ls-files", "-v", "-z", env=env), without=UNMARKED)
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
            self.git.ask(*QUIETLY, "update-index", flag, "-z", "--stdin", given=_joined(paths), env=env)

    def follow(self, paths: Sequence[str]) -> None:
        """Make files part of the snapshots that git ignores."""
        if paths and not os.path.exists(self.index):
            self.take()
        env = {**self.env, "GIT_INDEX_FILE": self.index, "GIT_LITERAL_PATHSPECS": "1"}
        for part in portions(paths):
            self.git.ask(*QUIETLY, "add", "--force", "--", *part, env=env)

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
            _drop(index)
            _drop(index + ".lock")

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
        for part in portions(paths):
            said = self.git.ask("ls-tree", "-r", "-z", "--full-tree", tree, "--", *part, env=self.env)
            for row in said.split(b"\0")[:-1]:
                fields, _, path = row.partition(b"\t")
                mode, _, name = fields.decode().split(" ")
                found[os.fsdecode(path)] = Entry(mode, name)
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


def _packed_names(folder: str) -> bytes:
    """Return the indexes of our few small packs, in which the name of every object stands; this starts no git."""
    found = b""
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith(".idx"):
            with open(os.path.join(folder, name), "rb") as file:
                found += file.read()
    return found


def _joined(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def tracked_paths(git: Git, paths: Sequence[str]) -> dict[str, str]:
    """Return which of these paths the user's index has, each with its letter of `git ls-files -v`."""
    return _lettered(git.ask("ls-files", "-v", "-z", "--", *paths, env={"GIT_LITERAL_PATHSPECS": "1"}))


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
    names = [one_line(path, 120) for path in paths]
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def copy_index(source: str, target: str) -> None:
    """Copy an index with its time; with a newer time, git could miss a file changed in the same second."""
    try:
        with open(source, "rb") as file:
            data, found = file.read(), os.fstat(file.fileno())
    except FileNotFoundError:  # nothing was ever added to this repository
        return
    with open(target, "wb") as file:
        file.write(data)
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns))


def _drop(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
