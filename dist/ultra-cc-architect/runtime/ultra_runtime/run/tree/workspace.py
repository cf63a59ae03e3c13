"""A working tree with the runtime's folder in its git dir, which holds the lock, the records and the snapshots."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.atomic import WriteError, write_file
from ultra_runtime.files.git import find_git
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.project import IGNORE_FILE
from ultra_runtime.files.quick_write import make_folder as make_folder
from ultra_runtime.files.quick_write import put as put
from ultra_runtime.files.seal import is_sealed, sealed
from ultra_runtime.guard.site import FOLDER
from ultra_runtime.text.jsontext import write
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.files.git import Git


RULES = (IGNORE_FILE, ".gitattributes")
"""Files with rules of git."""


class Workspace:
    """The current working tree."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.root = git.root
        self.folder = os.path.join(git.folder, FOLDER)

    def path(self, *parts: str) -> str:
        """Return a path in the runtime's folder."""
        return os.path.join(self.folder, *parts)

    def read(self, *parts: str) -> dict[str, Any]:
        """Return the content of a file in the folder; an empty object if it is missing or not JSON."""
        return read_json(self.path(*parts))

    def write(self, values: dict[str, Any], *parts: str) -> None:
        """Replace a file in the folder as a whole.

        Nothing is flushed: after a power loss an empty file counts as missing, and git and the progress file decide.
        """
        path = self.path(*parts)
        make_folder(os.path.dirname(path))
        put(path, (write(values) + "\n").encode("utf-8", "surrogateescape"))

    def read_sealed(self, *parts: str) -> dict[str, Any]:
        """Return the content of a file that the runtime wrote; an empty object if somebody else did."""
        values = self.read(*parts)
        return values if values and is_sealed(self.git.common, values) else {}

    def write_sealed(self, values: dict[str, Any], *parts: str) -> None:
        """Replace a file so that a change by somebody else is recognised."""
        self.write(sealed(self.git.common, values), *parts)

    def remove(self, *parts: str) -> None:
        """Remove a file in the folder if it exists."""
        try:
            os.unlink(self.path(*parts))
        except FileNotFoundError:
            return
        except OSError as problem:
            raise RefusedError(
                f"{one_line(self.path(*parts))} cannot be removed: {problem.strerror}",
                "fix this and retry",
            ) from None


def find_workspace(start: str | None = None) -> Workspace:
    """Return the working tree around a folder, or refuse."""
    return Workspace(find_git(start))


def replace(path: str, data: bytes) -> None:
    """Replace a file as a whole, or refuse."""
    try:
        write_file(path, data)
    except WriteError as problem:
        hint = "the old file is unchanged; fix this and retry"
        raise RefusedError(f"{one_line(os.path.dirname(path))}: {problem}", hint) from None
