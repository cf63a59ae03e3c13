"""Find the paths into a tree that the value of a variable names: between colons, or as words such as `-I/tree/include`.

A path that leads into the tree by a link counts as well.
"""

from __future__ import annotations

import os

from ultra_runtime.guard.realpath import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ENDS = r"\s:;,'\"="
"""What ends a path that is one of several words."""


def replace_paths(value: str, root: str, replace: Callable[[str], str]) -> str:
    """Return a value with each path into the tree replaced."""
    if os.sep not in value:
        return value
    import re

    def follow(path: str) -> str:
        real = os.path.realpath(path)
        return replace(real) if inside(real, root) else path

    word = re.compile(f"{re.escape(root)}(?![\\w.-])[^{ENDS}]*")
    parts = value.split(os.pathsep)
    for at, part in enumerate(parts):
        if _is_path(part, root):
            parts[at] = replace(part)
        elif root in part:
            parts[at] = word.sub(lambda found: replace(found.group()), part)
        elif os.path.isabs(part) and os.path.lexists(part):
            parts[at] = follow(part)
        else:
            parts[at] = re.sub(f"/[^{ENDS}]+", lambda found: follow(found.group()), part)
    return os.pathsep.join(parts)


def paths_in(value: str, root: str) -> list[str]:
    """Return the paths into the tree that a value names."""
    found: list[str] = []

    def note(path: str) -> str:
        found.append(path)
        return path

    replace_paths(value, root, note)
    return found


def _is_path(part: str, root: str) -> bool:
    """Tell whether all of it is one path; a name with a blank only if there is such a file."""
    inside = part == root or part.startswith(root + os.sep)
    return inside and (os.path.lexists(part) or not any(sign.isspace() for sign in part))
