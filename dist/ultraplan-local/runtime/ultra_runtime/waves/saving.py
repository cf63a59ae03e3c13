"""Save what a working tree has that its commit lacks."""

from __future__ import annotations

import os

from ultra_runtime.files.git import fields
from ultra_runtime.rendered import launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.files.git import Git


def save_rest(git: Git, message: str, but: Sequence[str], author: Sequence[str] = ()) -> str:
    """Return a commit of everything that is not committed, some files excepted; nothing if there is nothing.

    The author is given as options of git, for a repository that knows none.
    """
    own = [".", *(f":(exclude,top,literal){path}" for path in but)]
    if not changed_in(git, own):
        return ""
    index = os.path.join(git.folder, f"{launcher()}-rescue")
    env = {"GIT_INDEX_FILE": index}
    head = git.head()
    try:
        git.ask("read-tree", head or "--empty", env=env)
        git.ask("-c", "core.hooksPath=/dev/null", "add", "--all", "--", *own, env=env)
        tree = git.ask("write-tree", env=env).decode().strip()
        if head and tree == git.line("rev-parse", f"{head}^{{tree}}"):
            return ""
        above = ("-p", head) if head else ()
        return git.ask(*author, "commit-tree", tree, *above, given=message.encode()).decode().strip()
    finally:
        for name in (index, f"{index}.lock"):
            if os.path.exists(name):
                os.unlink(name)


def author_of(git: Git) -> list[str]:
    """Return who commits in a repository, as options for another one."""
    name, _, rest = git.line("var", "GIT_COMMITTER_IDENT").rpartition(" <")
    return ["-c", f"user.name={name}", "-c", f"user.email={rest.partition('>')[0]}"]


def nested_in(git: Git, changed: Sequence[str]) -> list[str]:
    """Return the repositories in a working tree that its commit lacks: submodules that changed, and unknown ones."""
    paths = [path.rstrip("/") for path in changed]
    return [path for path in paths if os.path.lexists(os.path.join(git.root, path, ".git"))]


def has_more(git: Git) -> bool:
    """Tell whether a working tree has changed or new files; one that is partly removed lacks some, and that is all."""
    new = git.ask("ls-files", "-z", "--others", "--exclude-standard")
    return bool(new or git.ask("diff", "-z", "--name-only", "--no-ext-diff", "--diff-filter=d", "HEAD", "--"))


def changed_in(git: Git, pathspec: Sequence[str] = (".",)) -> list[str]:
    """Return what a working tree has that its commit lacks."""
    _drop_dead_locks(git)
    said = git.ask(
        *("status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=none", "--no-renames"),
        *("--", *pathspec),
    )
    return [row[3:] for row in fields(said)]


def _drop_dead_locks(git: Git) -> None:
    """Remove the lock of an index whose git was killed: nobody works in this tree any more."""
    lock = os.path.join(git.folder, "index.lock")
    if os.path.exists(lock):
        os.unlink(lock)
