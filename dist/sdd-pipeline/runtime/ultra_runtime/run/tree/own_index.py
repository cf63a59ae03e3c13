"""The index of the snapshots: replaced as a whole, and started again from the user's if somebody else has written it.

git trusts what an index remembers of files and folders. So only an index that the runtime left may be used again.
"""

from __future__ import annotations

import os

from ultra_runtime.files.digest import sha1, sha256
from ultra_runtime.files.git import GitError
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.process import Done
from ultra_runtime.files.quick_write import put
from ultra_runtime.files.regular_file import read_if_any
from ultra_runtime.files.seal import is_sealed, sealed
from ultra_runtime.text.jsontext import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ultra_runtime.files.git import Git

MARKS, REMEMBERS, HEAD, TREE, WRITTEN = "marks", "remembers", "head", "tree", "written"
CHECKSUM = 32
"""At least so many bytes at the end of an index depend on all others; SHA-1 needs fewer."""


class OwnIndex:
    """The index of one run's snapshots."""

    def __init__(self, git: Git, path: str) -> None:
        self.path = path
        self.common = git.common
        self.of_user = os.path.join(git.folder, "index")
        self.record = f"{path}.json"

    def is_ours(self) -> bool:
        """Tell whether the index is there as the runtime left it."""
        found = read_json(self.record)
        mark = mark_of(self.path)
        return bool(mark) and mark in found.get(MARKS, ()) and is_sealed(self.common, found)

    def last(self) -> dict[str, str]:
        """Return what was noted of the index as it is now.

        That is whether it remembers folders, the tree of HEAD if it is that, and else the tree that git wrote of it.
        """
        found = read_json(self.record)
        marks = found.get(MARKS)
        same = marks and marks[-1] == mark_of(self.path) and is_sealed(self.common, found)
        return {name: str(found.get(name, "")) for name in (REMEMBERS, HEAD, TREE, WRITTEN)} if same else {}

    def is_foreign(self) -> bool:
        """Tell whether somebody else wrote the index that is there."""
        return os.path.lexists(self.path) and not self.is_ours()

    def change(self, fresh: bool) -> IndexChange:
        """Return a copy that replaces the index when no error occurs; `fresh` if of the user's."""
        return IndexChange(self, fresh)

    def accept(self, changed: str, noted: Mapping[str, str]) -> None:
        """Let a changed copy take the place of the index; a killed call leaves one or the other, both are known."""
        marks = [mark for mark in (mark_of(self.path), mark_of(changed)) if mark]
        put(self.record, (write(sealed(self.common, {MARKS: marks, **noted})) + "\n").encode())
        os.replace(changed, self.path)


class IndexChange:
    """A copy of an index that git may change."""

    def __init__(self, index: OwnIndex, fresh: bool) -> None:
        self.index = index
        self.path = f"{index.path}.{os.getpid()}"
        self.source = index.of_user if fresh else index.path
        self.fresh = fresh
        self.noted: dict[str, str] = {}

    def __enter__(self) -> IndexChange:
        link_index(self.source, self.path)
        if self.fresh and not is_whole(self.path):
            drop(self.path)
            raise GitError(["status"], Done(128, err=b"fatal: index file corrupt: its checksum is another"))
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self.index.accept(self.path, self.noted)
        finally:
            drop(self.path)
            drop(self.path + ".lock")


def is_whole(path: str) -> bool:
    """Tell whether an index ends with its checksum, which git does not compare; zeros say that it has none."""
    data = read_if_any(path)
    ends = ((sha1, 20), (sha256, 32))
    return (
        any(data[-size:] in (bytes(size), bytes.fromhex(make(data[:-size]))) for make, size in ends)
        or not data
    )


def mark_of(path: str) -> str:
    """Return what identifies an index; nothing if there is none."""
    try:
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            file.seek(max(0, found.st_size - CHECKSUM))
            return f"{found.st_size}.{found.st_mtime_ns}.{file.read().hex()}"
    except OSError:
        return ""


def link_index(source: str, target: str) -> None:
    """Link an index where possible, which is as good as a copy: git replaces an index and never writes into it."""
    drop(target)
    try:
        os.link(source, target)
    except OSError:
        copy_index(source, target)


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


def drop(path: str) -> None:
    """Remove a file if it is there."""
    try:
        os.unlink(path)
    except OSError:
        return
