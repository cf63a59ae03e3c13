"""Put the committed files of a working copy and its repository back after a command has run in it.

The next command then sees the commit: a formatter would otherwise make up for files that are committed unformatted, and
a mark in the index would hide that. What a command adds to the files stays: the next one may need what it has built.
"""

from __future__ import annotations

import os
import time
from stat import S_ISDIR, S_ISLNK, S_ISREG

from ultra_runtime.checkout.ready import NotReady, git_failed, system_failed
from ultra_runtime.checkout.worktree import PLAINLY, remove_tree
from ultra_runtime.files.git import GitError, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.process import Done

# Without the comparison of content that `git diff` makes: it would overlook line ends, and what a filter takes out.
DIFFER = ("diff-files", "--name-only", "-z", "--ignore-submodules=all")
# Some settings make git overlook that a command has made a file executable, or written one that is as long as before.
CLOSELY = ("-c", "core.fileMode=true", "-c", "core.trustctime=true", "-c", "core.checkStat=default")
STAYS = frozenset(("objects", "modules", "lfs", "annex", "worktrees"))
"""Objects and repositories in a git dir: nothing refers to new ones once the refs are put back."""
PYTHON = b".py"
"""What the byte code of such a file was made from is known by its size and the second of its change."""
LAG = 0.05
"""Seconds by which the times of files may be behind the clock."""
FAILED = "the files of the checkout cannot be put back after a command"


class KeptCheckout:
    """The repository of a copy and an index of its committed files, kept in a folder out of the commands' way."""

    def __init__(self, root: str, commit: str, folder: str, has_setup: bool) -> None:
        """Keep them as they are now: what the setup has made of the files counts as committed."""
        from shutil import copy2

        self.root = root
        self.own = os.path.join(root, ".git")
        self.kept = os.path.join(folder, "repository")
        self.index = os.path.join(folder, "index")
        remove_tree(folder)
        try:
            _copy(self.own, self.kept)
            if not has_setup:
                copy2(os.path.join(self.own, "index"), self.index)
                return
        except OSError as problem:
            raise system_failed("the repository of the checkout cannot be kept", problem) from None
        self._ask("read-tree", commit)
        self._run("update-index", "-q", "--ignore-submodules", "--refresh")  # fails if a file was changed
        self._ask("update-index", "--remove", "-z", "--stdin", given=_names(self._changed()))

    def put_back(self) -> None:
        """Let the repository and the committed files be as they were kept."""
        if not os.path.isdir(self.own):
            remedy = "let the commands of the plan leave its `.git` as it is"
            raise NotReady(f"{FAILED}: its repository is gone", remedy)
        try:
            for name in os.listdir(self.own):
                if name not in STAYS:
                    _remove(os.path.join(self.own, name))
            _copy(self.kept, self.own)
        except OSError as problem:
            raise system_failed(FAILED, problem) from None
        paths = self._changed()
        if any(
            path.endswith(PYTHON) for path in paths
        ):  # byte code of the edit must not pass for that of the commit
            time.sleep(1 + LAG - time.time() % 1)
        if paths:
            self._ask("checkout-index", "--quiet", "--force", "-u", "-z", "--stdin", given=_names(paths))

    def _changed(self) -> list[bytes]:
        """Return the committed files that are missing or have been written since."""
        return self._ask(*DIFFER).out.split(b"\0")[:-1]

    def _ask(self, *words: str, given: bytes = b"") -> Done:
        done = self._run(*words, given=given)
        if done.status:
            raise git_failed(
                FAILED, GitError(words, done), "let the commands of the plan leave the checkout in order"
            )
        return done

    def _run(self, *words: str, given: bytes = b"") -> Done:
        """Ask the repository of the copy, and no other one that is above it."""
        place = (f"--git-dir={self.own}", f"--work-tree={self.root}")
        return run_git(self.root, [*place, *PLAINLY, *CLOSELY, *words], given, {"GIT_INDEX_FILE": self.index})


def _names(paths: list[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)


def _copy(source: str, target: str) -> None:
    """Copy a git dir without what stays; with times, which git compares with those of an index."""
    from shutil import copy2, copytree

    os.makedirs(target, exist_ok=True)
    for name in os.listdir(source):
        old, new = os.path.join(source, name), os.path.join(target, name)
        if name in STAYS:
            continue
        if os.path.isdir(old) and not os.path.islink(old):
            copytree(old, new, symlinks=True, ignore=_special)
        elif not _special(source, [name]):
            copy2(old, new, follow_symlinks=False)


def _special(folder: str, names: list[str]) -> list[str]:
    """Return the sockets and FIFOs, such as that of git's file monitor."""
    modes = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}
    return [name for name, mode in modes.items() if not (S_ISREG(mode) or S_ISDIR(mode) or S_ISLNK(mode))]


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        remove_tree(path)
    else:
        os.unlink(path)
