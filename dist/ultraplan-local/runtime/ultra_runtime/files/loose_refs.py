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
    folder, packed = os.path.join(git.common, start), os.path.join(git.common, PACKED)
    try:
        names = sorted(os.listdir(folder)) if os.path.lexists(folder) else []
        found = {name: _object(os.path.join(folder, name)) for name in names if not name.endswith(LOCKED)}
        # After the files: git writes a packed ref before it removes its file.
        if os.path.lexists(packed) and start.encode() in read_regular(packed):
            return None
        if read_regular(os.path.join(git.folder, "HEAD")).startswith(IN_TABLES):
            return None
    except (OSError, UnreadableError, UnicodeDecodeError):
        return None
    return found if all(map(is_name, found.values())) else None


def _object(path: str) -> str:
    return read_regular(path).decode("ascii").rstrip("\n")
