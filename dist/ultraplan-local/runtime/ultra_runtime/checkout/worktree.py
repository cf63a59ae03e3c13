"""Check out a commit as a detached worktree, and remove it so that the repository is as it was."""

from __future__ import annotations

import os

from ultra_runtime.checkout.carried import entries_of
from ultra_runtime.checkout.ready import NotReady, git_failed
from ultra_runtime.files.git import GitError
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.guard.realpath import inside
from ultra_runtime.words import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ultra_runtime.files.git import Git

# Read the commit as it is, run no hook, start no monitor, check out every file, write an index in one piece, and add no
# extension to the settings of the repository, as newer versions of git do for relative paths. Without the sparse cone
# git copies none to the worktree. Leave submodules to us, and mark no file as one to overlook.
PLAINLY = (
    "--no-replace-objects",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.sparseCheckout=false",
    "-c", "core.splitIndex=false",
    "-c", "worktree.useRelativePaths=false",
    "-c", "core.attributesFile=/dev/null",
    "-c", "submodule.recurse=false",
    "-c", "core.ignoreStat=false",
)  # fmt: skip
WORKTREES = "worktrees"
ATTRIBUTES = ("info", "attributes")
OWNER_ONLY = 0o700
TEMPORARY, LASTING = "/tmp", "/var/tmp"  # noqa: S108


def copies_folder(root: str) -> str:
    """Return the folder in which the copies of a tree are made: TMPDIR, if commands can run there as they do in the tree.

    Below the tree, tools that look upwards would find its files. A blank in the path is a fault in a command with `$PWD`,
    if it has never met one. Without the right to run programs there, a script of the commit could not be started.
    """
    places = [os.path.realpath(one) for one in (os.environ.get("TMPDIR") or TEMPORARY, TEMPORARY, LASTING)]
    suited = (one for one in places if not inside(one, root) and not (_is_odd(one) and not _is_odd(root)))
    return next((one for one in suited if runs_programs(one) or not runs_programs(root)), places[1])


def _is_odd(folder: str) -> bool:
    return shell_word(folder) != folder


def runs_programs(folder: str) -> bool:
    """Tell whether programs may be run in a folder; where the system does not say, they may."""
    try:
        return not os.statvfs(folder).f_flag & getattr(os, "ST_NOEXEC", 0)
    except OSError:
        return True


def add_worktree(git: Git, commit: str, folder: str, seconds: float) -> None:
    """Check out a commit in an empty folder, with a HEAD and an index of its own."""
    own = os.path.isfile(os.path.join(git.common, *ATTRIBUTES))
    empty = ("--no-checkout",) if own else ()
    try:
        git.ask(*PLAINLY, "worktree", "add", "--quiet", "--detach", *empty, folder, commit, seconds=seconds)
        if own:
            _check_out_without(git, commit, folder, seconds)
    except GitError as problem:
        _refuse_missing(git, commit)
        raise git_failed("the commit cannot be checked out", problem) from None


def _check_out_without(git: Git, commit: str, folder: str, seconds: float) -> None:
    """Check out as a clone would: without the attributes of this repository alone, which no setting turns off.

    Git gets a git dir of links to everything that the real one has but those.
    """
    (own,) = registered(git, folder)
    beside = os.path.join(own, "beside")
    os.mkdir(beside)
    for name in os.listdir(git.common):
        if name not in (ATTRIBUTES[0], WORKTREES, "HEAD", "index"):
            os.symlink(os.path.join(git.common, name), os.path.join(beside, name))
    with open(os.path.join(beside, "HEAD"), "w", encoding="ascii") as file:
        file.write(f"{commit}\n")
    words = (f"--git-dir={beside}", f"--work-tree={folder}", *PLAINLY, "read-tree", "-m", "-u", commit)
    git.ask(*words, env={"GIT_INDEX_FILE": os.path.join(own, "index")}, seconds=seconds)
    remove_tree(beside)


def _refuse_missing(git: Git, commit: str) -> None:
    """Refuse a commit that is not there, with the reason."""
    if not commit:
        raise NotReady("this repository has no commit yet", "make one")
    if git.has_commits(commit):
        return
    shallow = os.path.exists(os.path.join(git.common, "shallow"))
    remedy = "run `git fetch --unshallow`" if shallow else "fetch it"
    kind = "shallow " if shallow else ""
    raise NotReady(f"commit {commit[:12]} is not in this {kind}repository", remedy)


def remove_worktree(git: Git, folder: str) -> None:
    """Remove the folder of a worktree and what git keeps of it; the worktrees of others stay registered."""
    if os.path.islink(folder):  # a command has put it there
        os.unlink(folder)
    remove_tree(folder)
    for own in registered(git, folder):
        remove_tree(own)
    place = os.path.join(git.common, WORKTREES)
    if os.path.isdir(place) and not os.listdir(place):
        os.rmdir(place)


def remove_tree(folder: str) -> None:
    """Remove a folder; one that cannot be entered or changed is opened up first. Links are not followed."""
    from contextlib import suppress
    from shutil import rmtree

    with suppress(RecursionError):  # more folders in each other than calls
        rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder) and not os.path.islink(folder):
        _remove_one_by_one(folder)


def _remove_one_by_one(folder: str) -> None:
    folders = [folder]
    for one in folders:
        _open_up(one)
        for entry in entries_of(one):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                _try(os.unlink, entry.path)
    for one in reversed(folders):
        _try(os.rmdir, one)


def _open_up(folder: str) -> None:
    if not os.path.islink(folder):
        _try(lambda path: os.chmod(path, OWNER_ONLY), folder)


def _try(act: Callable[[str], None], path: str) -> None:
    try:
        act(path)
    except OSError:  # somebody else's, such as a container's; what can be removed is
        return


def registered(git: Git, folder: str) -> Iterator[str]:
    """Yield the folder in the git dir that belongs to a worktree."""
    place = os.path.join(git.common, WORKTREES)
    for name in os.listdir(place) if os.path.isdir(place) else ():
        try:
            points_to = read_regular(os.path.join(place, name, "gitdir"))
        except UnreadableError:
            continue
        if os.fsdecode(points_to).rstrip("\n") == os.path.join(folder, ".git"):
            yield os.path.join(place, name)
