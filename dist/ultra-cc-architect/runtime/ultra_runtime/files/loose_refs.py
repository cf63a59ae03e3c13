"""Read refs without git where each is a file of its own: to start git for every such question takes longer."""

from __future__ import annotations

import os

from ultra_runtime.files.regular_file import UnreadableError, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git

DIGITS = (40, 64)
"""The length of an object's name: SHA-1 or SHA-256."""
IN_TABLES = b"ref: refs/heads/.invalid"
"""What HEAD says where git keeps its refs in tables."""
PACKED, LOCKED = "packed-refs", ".lock"


def is_name(text: str) -> bool:
    """Tell whether a text is the name of an object."""
    return len(text) in DIGITS and not text.strip("0123456789abcdef")


def loose_refs(git: Git, start: str) -> dict[str, str] | None:
    """Return the refs in a folder, name -> object; None if only git can tell."""
    folder = os.path.join(git.common, start)
    try:
        names = sorted(os.listdir(folder)) if os.path.lexists(folder) else []
        found = {name: _object(os.path.join(folder, name)) for name in names if not name.endswith(LOCKED)}
        if _only_git_can_tell(git, start):
            return None
    except (OSError, UnreadableError, UnicodeDecodeError):
        return None
    return found if all(map(is_name, found.values())) else None


def loose_ref(git: Git, name: str) -> str | None:
    """Return the object of a ref, nothing if there is no such ref; None if only git can tell."""
    path = os.path.join(git.common, name)
    try:
        found = _object(path) if os.path.isfile(path) else ""
        if found:  # counts before a packed one
            return found if is_name(found) else None
        return None if _only_git_can_tell(git, name) else found
    except (OSError, UnreadableError, UnicodeDecodeError):
        return None


def _only_git_can_tell(git: Git, start: str) -> bool:
    """Tell whether refs with this beginning may be elsewhere than in files; to be asked after their files were read.

    Git writes a packed ref before it removes its file.
    """
    packed = os.path.join(git.common, PACKED)
    if os.path.lexists(packed) and start.encode() in read_regular(packed):
        return True
    return read_regular(os.path.join(git.folder, "HEAD")).startswith(IN_TABLES)


def _object(path: str) -> str:
    return read_regular(path).decode("ascii").rstrip("\n")
