"""The record of the step in progress, kept in the git dir where only the runtime writes."""

from __future__ import annotations

import os
import stat

from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import STEP
from ultra_runtime.run.tree.workspace import make_folder, put
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.run.tree.workspace import Workspace

KEPT = "kept"
LARGEST_KEPT = 8 * 1024 * 1024


class Record:
    """Where a step began, how many times it was verified, and what is about to be committed."""

    __slots__ = ("artefacts", "attempts", "commit", "ignored", "kept", "number", "start", "tree", "verified")

    def __init__(self, number: int, start: str, tree: str) -> None:
        self.number = number
        self.start = start
        self.tree = tree
        self.attempts = 0
        self.verified = ""
        """The tree that passed; empty until one has."""
        self.artefacts: list[str] = []
        """Files outside the step that its commands left behind: reported, never committed."""
        self.ignored: list[str] = []
        """Ignored files that changed during the step: reported, and a fault if they are files of the step."""
        self.commit: dict[str, Any] | None = None
        self.kept: dict[str, int] = {}
        """Files of the step that existed when it began -> permission bits; their bytes are saved separately."""

    def as_data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of(cls, data: dict[str, Any]) -> Record:
        """Read a record that `as_data` wrote."""
        record = cls(data["number"], data["start"], data["tree"])
        for name in ("artefacts", "attempts", "verified", "commit", "kept"):
            setattr(record, name, data[name])
        record.ignored = data.get("ignored", [])
        return record


class Records(Struct):
    """The one record of a run."""

    workspace: Workspace
    slug: str

    def read(self) -> Record | None:
        """Return the record of the step in progress."""
        data = self.workspace.read(self.slug, STEP)
        try:
            return Record.of(data) if data else None
        except (KeyError, TypeError):
            return None

    def write(self, record: Record) -> None:
        """Replace the record."""
        self.workspace.write(record.as_data(), self.slug, STEP)

    def clear(self) -> None:
        """Remove the record after the step."""
        self.workspace.remove(self.slug, STEP)

    def keep(self, record: Record, root: str, paths: list[str]) -> None:
        """Save the exact bytes of files that the step will change: git filters may not restore them."""
        folder = self.workspace.path(self.slug, KEPT)
        for path in paths:
            full = os.path.join(root, path)
            try:
                found = os.lstat(full)
                if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_KEPT:
                    continue
                data = read_regular(full)
            except (OSError, ValueError, UnreadableError):
                continue
            make_folder(folder)
            put(os.path.join(folder, str(len(record.kept))), data)
            record.kept[path] = stat.S_IMODE(found.st_mode)

    def kept_bytes(self, record: Record, path: str) -> bytes:
        """Return the bytes that a file had when the step began."""
        return read_regular(self.workspace.path(self.slug, KEPT, str(list(record.kept).index(path))))
