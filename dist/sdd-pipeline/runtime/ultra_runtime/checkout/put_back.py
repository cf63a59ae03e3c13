"""Put the committed files of a working copy back after a command has run in it, so that the next one sees the commit."""

from __future__ import annotations

import os

from ultra_runtime.checkout.ready import NotReady
from ultra_runtime.checkout.worktree import PLAINLY
from ultra_runtime.files.git import run_git
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.process import Done

DIFFER = (
    "diff",
    "--name-only",
    "-z",
    "--no-renames",
    "--no-ext-diff",
    "--ignore-submodules=all",
    "--diff-filter=a",
)


def changed_files(root: str, commit: str) -> set[bytes]:
    """Return the files of the commit that are missing from a copy or have other content."""
    return set(_ask(root, *DIFFER, commit, "--").out.split(b"\0")[:-1])


def put_back(root: str, commit: str, without: set[bytes]) -> None:
    """Write the files that a command has changed as the commit has them; `without` are those of the setup.

    A formatter would otherwise make up for files that are committed unformatted. What a command adds stays: the next
    one may need what it has built.
    """
    paths = sorted(changed_files(root, commit) - without)
    if paths:
        words = ("checkout", "--quiet", "--force", "--pathspec-from-file=-", "--pathspec-file-nul", commit)
        _ask(root, "--literal-pathspecs", *words, given=b"".join(path + b"\0" for path in paths))


def _ask(root: str, *words: str, given: bytes = b"") -> Done:
    """Ask the repository of the copy, and no other one that is above it."""
    own = os.path.join(root, ".git")
    done = run_git(root, [f"--git-dir={own}", f"--work-tree={root}", *PLAINLY, *words], given)
    if done.status:
        said = one_line(done.err.decode("utf-8", "replace").strip(), 200)
        said = said if os.path.isdir(own) else "its repository is gone"
        reason = f"the files of the checkout cannot be put back after a command: {said}"
        raise NotReady(reason, "let the commands of the plan leave its `.git` as it is")
    return done
