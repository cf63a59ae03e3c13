"""Keep the user's index, and give entries back as they were: staged, unmerged, intended, flagged."""

from __future__ import annotations

import os

from ultra_runtime.files.git import GitError
from ultra_runtime.run.tree.own_index import drop, link_index, mark_of
from ultra_runtime.run.tree.snapshot import (
    LITERALLY,
    SUBMODULE,
    borrowing,
    copy_objects,
    new_objects,
    portions,
)
from ultra_runtime.run.tree.users_index import UsersIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ultra_runtime.files.git import Git
    from ultra_runtime.run.state.shell_call import Outcome
    from ultra_runtime.run.tree.snapshot import Snapshots

    Rows = dict[str, tuple[str, ...]]

INTENDED = "intended"
SHARED = "sharedindex."
"""What the name of a file begins with that has most entries of a split index; git removes it once it is out of use."""


def keep_index(git: Git, kept: str) -> set[str]:
    """Keep the index as it is now, in one piece, and return the objects that it has beyond HEAD."""
    _keep_whole(git, kept)
    return _beyond_head(git, kept)


def _keep_whole(git: Git, kept: str) -> None:
    drop(f"{kept}.lock")  # of a killed call
    link_index(_users(git), kept)
    if any(name.startswith(SHARED) for name in os.listdir(git.folder)):
        git.ask("update-index", "--no-split-index", env={"GIT_INDEX_FILE": kept})


def _beyond_head(git: Git, kept: str) -> set[str]:
    words = ("diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-abbrev", "HEAD", "--")
    return new_objects(git.ask(*words, env={"GIT_INDEX_FILE": kept}))


def _users(git: Git) -> str:
    return os.path.join(git.folder, "index")


def keep_staging(snapshots: Snapshots, run: Callable[[], Outcome]) -> tuple[Outcome, str]:
    """Run a command of a plan in the user's tree and put the index back; return the outcome, and what the user has to know.

    After a commit by the command that would be wrong: the index has what was committed.
    """
    git, kept, words = snapshots.git, os.path.join(snapshots.folder, "index-of-command"), ""
    head, mark = git.head(), mark_of(_users(git))
    _keep_whole(git, kept)
    try:
        outcome = run()
    finally:  # also when the call is ended meanwhile
        if mark_of(_users(git)) != mark and git.head() == head:
            words = _put_back(snapshots, kept, head)
        drop(kept)
    return outcome, words


def _put_back(snapshots: Snapshots, kept: str, head: str) -> str:
    """Let the index be the kept one, and say what had been staged: it may have been the user, while the command ran."""
    git = snapshots.git
    try:
        with UsersIndex(git) as index:
            staged = staged_since(git, kept)
            if staged:
                names = _beyond_head(git, kept)
                copy_objects(git, names, snapshots.users_objects, borrowing(snapshots.objects))
            if os.path.exists(kept):
                index.become(kept)
    except (GitError, OSError) as problem:
        return f"the index changed while it ran and could not be put back: {problem}"
    shown = f"`git diff {head[:12]} {staged[:12]}` shows what was staged"
    return f"the index changed while it ran and was put back; {shown}" if staged else ""


def staged_since(git: Git, kept: str) -> str:
    """Return the tree of what is staged; empty if that is what was kept, or if no tree can have it, as in a merge."""
    if not os.path.exists(kept) or _same(_users(git), kept):
        return ""
    now, old = (_tree(git, one, f"{kept}.tree") for one in (_users(git), kept))
    return now if now != old else ""


def _tree(git: Git, index: str, link: str) -> str:
    """Return the tree of an index, which git may write anew under another name."""
    drop(f"{link}.lock")  # of a killed call
    link_index(index, link)
    try:
        done = git.done("write-tree", "--missing-ok", env={"GIT_INDEX_FILE": link})
    finally:
        drop(link)
    return "" if done.status else done.out.decode().strip()


def restore_index(
    snapshots: Snapshots, kept: str, only: set[str] | None, without: Collection[str] = ()
) -> None:
    """Give entries back that differ from the kept index, or only those at some paths, `without` some."""
    git = snapshots.git
    if not os.path.exists(kept) or _same(_users(git), kept):
        return
    with UsersIndex(git) as index:
        _restore(snapshots, kept, index, only, without)


def _restore(
    snapshots: Snapshots, kept: str, index: UsersIndex, only: set[str] | None, without: Collection[str]
) -> None:
    git = snapshots.git
    old, now = _rows(git, kept), _rows(git, index.copy)
    paths = [path for path in {**old, **now} if old.get(path) != now.get(path)]
    paths = [path for path in paths if (only is None or path in only) and path not in without]
    none = "0" * len(git.head())
    objects = set()
    rows = [f"0 {none} 0\t".encode() + os.fsencode(path) + b"\0" for path in paths]
    intended = [path for path in paths if INTENDED in old.get(path, ())]
    skipped, assumed = [], []
    for path in set(paths).intersection(old).difference(intended):
        name = os.fsencode(path) + b"\0"
        for tag, _, entry in (row.partition(" ") for row in old[path]):
            rows.append(entry.encode() + b"\t" + name)
            if not entry.startswith(SUBMODULE):
                objects.add(entry.split(" ")[1])
            if tag in "Ss":
                skipped.append(name)
            if tag.islower():
                assumed.append(name)
    if rows:
        copy_objects(git, objects, snapshots.users_objects, borrowing(snapshots.objects))
        git.ask("update-index", "-z", "--index-info", given=b"".join(rows), env=index.env)
    for part in portions(intended):
        words = ("add", "--intent-to-add", "--force", "--sparse", "--", *part)
        git.ask(*words, env={**LITERALLY, **index.env})
    for flag, names in (("--skip-worktree", skipped), ("--assume-unchanged", assumed)):
        if names:
            git.ask("update-index", flag, "-z", "--stdin", given=b"".join(names), env=index.env)


def _rows(git: Git, index: str) -> Rows:
    """Return the entries of an index: path -> tag, mode, object and stage of each."""
    env = {"GIT_INDEX_FILE": index}
    found: Rows = {}
    for row in git.ask("ls-files", "-s", "-v", "-z", env=env).split(b"\0")[:-1]:
        fields, _, path = row.partition(b"\t")
        name = os.fsdecode(path)
        found[name] = (*found.get(name, ()), fields.decode())
    # An intended entry is an empty file to every other command; compared with the tree, it is an added one.
    words = ("diff-files", "--diff-filter=A", "--name-only", "--no-renames", "--ignore-submodules=all", "-z")
    said = git.ask(*words, env=env)
    for path in said.split(b"\0")[:-1]:
        name = os.fsdecode(path)
        found[name] = (*found.get(name, ()), INTENDED)
    return found


def _same(one: str, other: str) -> bool:
    try:
        with open(one, "rb") as first, open(other, "rb") as second:
            return first.read() == second.read()
    except OSError:
        return False
