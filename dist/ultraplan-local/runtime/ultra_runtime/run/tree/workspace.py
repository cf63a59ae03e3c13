"""A working tree with the runtime's own folder in its git dir: where the lock, the pins and the snapshots live."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.atomic import WriteError, write_file
from ultra_runtime.files.git import find_git
from ultra_runtime.files.json_file import read_json
from ultra_runtime.guard.site import FOLDER
from ultra_runtime.text.jsontext import write
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.files.git import Git


class Workspace:
    """The tree at hand."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.root = git.root
        self.folder = os.path.join(git.folder, FOLDER)

    def path(self, *parts: str) -> str:
        """Return the path of something in the runtime's own folder."""
        return os.path.join(self.folder, *parts)

    def read(self, *parts: str) -> dict[str, Any]:
        """Return what a file of ours holds; an empty object when it is not there or is no JSON."""
        return read_json(self.path(*parts))

    def write(self, values: dict[str, Any], *parts: str) -> None:
        """Replace a file of ours as a whole.

        Nothing is flushed: after a loss of power an empty file reads as none, and git and the progress file decide.
        """
        path = self.path(*parts)
        make_folder(os.path.dirname(path))
        put(path, (write(values) + "\n").encode("utf-8", "surrogateescape"))

    def remove(self, *parts: str) -> None:
        """Remove a file of ours if it is there."""
        try:
            os.unlink(self.path(*parts))
        except FileNotFoundError:
            return
        except OSError as problem:
            raise RefusedError(
                f"{one_line(self.path(*parts))} cannot be removed: {problem.strerror}",
                "see to it and call again",
            ) from None


def find_workspace(start: str | None = None) -> Workspace:
    """Return the working tree around a folder, or refuse in words."""
    return Workspace(find_git(start))


def make_folder(path: str) -> None:
    """Have a folder, or refuse in words."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as problem:
        error = f"{one_line(path)} cannot be made: {problem.strerror}"
        raise RefusedError(error, "make it a folder that you may write in; nothing was changed") from None


def put(path: str, data: bytes) -> None:
    """Replace a file of ours by a rename, which a killed process cannot leave halfway."""
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as problem:
        if os.path.exists(temporary):
            os.unlink(temporary)
        error = f"{one_line(path)} cannot be written: {problem.strerror}"
        raise RefusedError(error, "see to it and call again") from None


def replace(path: str, data: bytes) -> None:
    """Replace a file as a whole, or refuse in words."""
    try:
        write_file(path, data)
    except WriteError as problem:
        hint = "the file that stood there still does; see to it and call again"
        raise RefusedError(f"{one_line(os.path.dirname(path))}: {problem}", hint) from None
