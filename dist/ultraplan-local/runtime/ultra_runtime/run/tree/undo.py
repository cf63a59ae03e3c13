"""Undo exactly what a step changed: contents, modes, deletions and new files; the user's index stays."""

from __future__ import annotations

import os
import stat

from ultra_runtime.files.atomic import WriteError, write_file
from ultra_runtime.files.git import GitError
from ultra_runtime.rendered import launcher
from ultra_runtime.run.tree.snapshot import SUBMODULE, list_paths
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.record import Record, Records
    from ultra_runtime.run.tree.snapshot import Change, Snapshots
    from ultra_runtime.run.tree.workspace import Workspace

RESCUE = f"refs/{launcher()}/rescue"
LINK = "120000"
EXECUTABLE = "100755"
MOST_LISTED = 10


class Undone(Struct):
    """The result: the restored paths, those that could not be restored, and the ref that keeps the undone changes."""

    paths: list[str]
    left: list[str]
    rescue: str

    def __str__(self) -> str:
        if not self.paths:
            return "there was nothing to undo"
        return f"{list_paths(self.paths, MOST_LISTED)}{self.way_back}"

    @property
    def way_back(self) -> str:
        """How to get an undone change back."""
        return f"; to get one back: `git restore --source={self.rescue} -- PATH`" if self.rescue else ""


def undo(
    workspace: Workspace, snapshots: Snapshots, records: Records, record: Record, only: set[str] | None = None
) -> Undone:
    """Restore every path that differs from the beginning of the step, or only some of them.

    Every change since then counts as the step's, inside its Files or not: nobody else works in this tree.
    """
    changes = [
        one for one in snapshots.changes(record.tree, snapshots.take()) if only is None or one.path in only
    ]
    if not changes:
        return Undone([], [], "")
    rescue = _rescue(workspace, records.slug, record, changes)
    root = workspace.root
    for change in changes:
        if change.old is None or (change.new and _kind(change.old.mode) != _kind(change.new.mode)):
            _remove(root, change.path)
    _restore(workspace, snapshots, [change for change in changes if change.old])
    for path, mode in record.kept.items():
        if any(change.path == path for change in changes):
            _write_kept(records, record, root, path, mode)
    paths = [change.path for change in changes]
    left = [one.path for one in snapshots.changes(record.tree, snapshots.take()) if one.path in paths]
    return Undone(paths, left, rescue)


def _kind(mode: str) -> str:
    return mode[:3]


def _remove(root: str, path: str) -> None:
    """Remove a file and the parent folders that become empty."""
    full = os.path.join(root, path)
    try:
        os.unlink(full)
    except OSError:
        return
    folder = os.path.dirname(full)
    while folder != root:
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def _restore(workspace: Workspace, snapshots: Snapshots, changes: list[Change]) -> None:
    """Write files as they were in the first tree, with git, which handles links, modes and filters."""
    rows, names, modes = [], [], {}
    for change in changes:
        if change.old and change.old.mode != SUBMODULE:
            name = os.fsencode(change.path) + b"\0"
            rows.append(f"{change.old.mode} {change.old.name} 0\t".encode() + name)
            names.append(name)
            modes[change.path] = _bits(os.path.join(workspace.root, change.path))
    if not rows:
        return
    index = workspace.path(f"restore.{os.getpid()}")
    env = {**snapshots.env, "GIT_INDEX_FILE": index}
    try:
        workspace.git.ask("update-index", "-z", "--index-info", given=b"".join(rows), env=env)
        workspace.git.done("checkout-index", "-f", "-q", "-z", "--stdin", given=b"".join(names), env=env)
    finally:
        for path in (index, index + ".lock"):
            if os.path.exists(path):
                os.unlink(path)
    for change in changes:
        bits = modes.get(change.path)
        if bits is not None and change.old and change.old.mode != LINK:
            execute = (bits & 0o444) >> 2 if change.old.mode == EXECUTABLE else 0
            os.chmod(os.path.join(workspace.root, change.path), (bits & 0o666) | execute)


def _bits(path: str) -> int | None:
    """Return the permission bits of a regular file: git keeps only whether it is executable."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


def _write_kept(records: Records, record: Record, root: str, path: str, mode: int) -> None:
    full = os.path.join(root, path)
    try:
        data = records.kept_bytes(record, path)
        with open(full, "rb") as file:
            same = file.read() == data
        if not same:
            write_file(full, data)
        os.chmod(full, mode)
    except (OSError, WriteError):
        return


def _rescue(workspace: Workspace, slug: str, record: Record, changes: list[Change]) -> str:
    """Save what is about to be undone as a commit outside the history, and return its ref."""
    index = workspace.path(f"rescue.{os.getpid()}")
    env = {"GIT_INDEX_FILE": index}
    git = workspace.git
    names = b"".join(os.fsencode(change.path) + b"\0" for change in changes)
    try:
        git.ask("read-tree", record.start, env=env)
        git.ask("update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=names, env=env)
        tree = git.ask("write-tree", env=env).decode().strip()
        message = f"changes of step {record.number} of {slug} before they were undone"
        commit = git.ask("commit-tree", tree, "-p", record.start, "-m", message).decode().strip()
        ref = _free(git, f"{RESCUE}/{slug}/step-{record.number}")
        git.ask("update-ref", ref, commit)
    except GitError:
        return ""
    finally:
        for path in (index, index + ".lock"):
            if os.path.exists(path):
                os.unlink(path)
    return ref


def _free(git: Git, ref: str) -> str:
    """Return an unused ref: earlier saves stay."""
    names, number = [ref], 1
    while not git.done("rev-parse", "--verify", "--quiet", names[-1]).status:
        number += 1
        names.append(f"{ref}-{number}")
    return names[-1]
