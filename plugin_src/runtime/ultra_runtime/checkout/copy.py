"""Make a working copy of a commit in which the commands of the project run, and remove it without a trace."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import GitError
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.files.git import Git

# Read the commit as it is, run no hook, and check out every file, whatever the user's settings are.
PLAINLY = (
    "--no-replace-objects",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.sparseCheckout=false",
    "-c", "core.fsmonitor=false",
)  # fmt: skip


class NotReady(RefusedError):
    """Why there is no working copy in which commands can run, and what to do."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason, remedy)
        self.reason = reason
        self.remedy = remedy


class Copy(Struct):
    """A working copy: its root, and what a person should know about it."""

    root: str
    notes: list[str]


def make_copy(git: Git, commit: str, folder: str, settings: Settings, env: Mapping[str, str]) -> Copy:
    """Return a ready working copy of a commit in a folder that does not exist yet."""
    try:
        git.ask(*PLAINLY, "worktree", "add", "--detach", "--quiet", folder, commit)
    except GitError as problem:
        remove_copy(git, folder)
        raise NotReady(f"the commit cannot be checked out: {one_line(problem.said)}", "fix this") from None
    return Copy(os.path.realpath(folder), [])


def remove_copy(git: Git, folder: str) -> None:
    """Remove a working copy, and what git knows of it."""
    git.done("worktree", "remove", "--force", "--force", folder)
