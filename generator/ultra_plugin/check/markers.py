"""Find unresolved merge conflict markers."""

from __future__ import annotations

from collections.abc import Iterator

from ultra_plugin.errors import Problem
from ultra_plugin.source import SourceTree

_OURS, _THEIRS = b"<<<<<<< ", b">>>>>>> "
_MIDDLE = (b"=======", b"||||||| ")
"""These may also underline a heading, so they count only after a first marker."""
_BINARY = (".png",)


def marker_problems(tree: SourceTree) -> Iterator[Problem]:
    """Yield every line that is a conflict marker."""
    for path in tree.files():
        content = b"" if path.endswith(_BINARY) else tree.read(path)
        if _OURS not in content and _THEIRS not in content:
            continue
        is_open = False
        for number, line in enumerate(content.splitlines(), 1):
            if line.startswith((_OURS, _THEIRS)) or (is_open and line.startswith(_MIDDLE)):
                mark = line[:7].decode()
                message = f"the conflict marker {mark} is still in the file"
                yield tree.problem(path, number, "conflict-marker", message, "finish the merge")
                is_open = mark != _THEIRS.decode().strip()
