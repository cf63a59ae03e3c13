"""What a session must not change: the main tree and the other worktrees, by programs that say where they work.

Only places inside another working tree of the same repository count, so nothing else is refused here.
"""

from __future__ import annotations

import os

from ultra_runtime.guard.changed_places import places
from ultra_runtime.guard.realpath import inside, real_place
from ultra_runtime.guard.shell.marks import base_name, known
from ultra_runtime.guard.site import shared_git_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ultra_runtime.guard.follow.follower import Ran


def changed_elsewhere(commands: Iterable[Ran], root: str, cwd: str, home: str) -> Iterator[tuple[str, str]]:
    """Yield the programs that change another working tree of the repository of a root, with the place."""
    trees: list[str] = []
    for ran in commands:
        for path in places(ran):
            real = real_place(path, cwd, home) if known(path) else None
            if real is None or inside(real, root):
                continue
            trees = trees or other_trees(root)
            if any(inside(real, tree) for tree in trees):
                yield base_name(ran.args[0]), path


def other_trees(root: str) -> list[str]:
    """Return the real paths of the other working trees of a repository."""
    common = os.path.realpath(shared_git_dir(root))
    found = [os.path.dirname(common)] if os.path.basename(common) == ".git" else []
    listed = os.path.join(common, "worktrees")
    for name in os.listdir(listed) if os.path.isdir(listed) else ():
        try:
            with open(
                os.path.join(listed, name, "gitdir"), encoding="utf-8", errors="surrogateescape"
            ) as file:
                found.append(os.path.realpath(os.path.dirname(file.read().strip())))
        except OSError:  # it is being removed
            continue
    return [tree for tree in found if tree != root]
