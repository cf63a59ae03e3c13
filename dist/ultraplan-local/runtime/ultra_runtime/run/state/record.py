"""The record of the step in progress, kept in the git dir where only the runtime writes."""

from __future__ import annotations

import os

from ultra_runtime.files.run_files import STEP
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.run.tree.workspace import Workspace

TURN, TURNS = "turn", "turns.json"


class Record:
    """Where a step began, how many times it was verified, and what is about to be committed."""

    __slots__ = ("artefacts", "attempts", "commit", "ignored", "number", "start", "tree", "verified")

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

    def as_data(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of(cls, data: dict[str, Any]) -> Record:
        """Read a record that `as_data` wrote."""
        record = cls(data["number"], data["start"], data["tree"])
        for name in ("artefacts", "attempts", "verified", "commit"):
            setattr(record, name, data[name])
        record.ignored = data.get("ignored", [])
        return record


class Records(Struct):
    """The one record of a run."""

    workspace: Workspace
    slug: str

    def read(self) -> Record | None:
        """Return the record of the step in progress; one that was replaced since is ignored."""
        data = self.workspace.read_sealed(self.slug, STEP)
        newest = self._turn()
        if TURN in data and (newest is None or data[TURN] < newest):
            return None
        try:
            return Record.of(data) if data else None
        except (KeyError, TypeError):
            return None

    def is_foreign(self) -> bool:
        """Tell whether there is a record that the runtime did not write."""
        return os.path.lexists(self.workspace.path(self.slug, STEP)) and self.read() is None

    def write(self, record: Record) -> None:
        """Replace the record."""
        turn = (self._turn() or 0) + 1
        if turn == 1:
            self._count(0)
        self.workspace.write_sealed({**record.as_data(), TURN: turn}, self.slug, STEP)
        self._count(turn)

    def clear(self) -> None:
        """Remove the record after the step."""
        self.workspace.remove(self.slug, STEP)
        self._count((self._turn() or 0) + 1)

    def _turn(self) -> int | None:
        """Return how many records there were, so that an earlier one put back is recognised."""
        return self.workspace.read_sealed(self.slug, TURNS).get(TURN)

    def _count(self, turn: int) -> None:
        """Write down the number of the newest record: after it, so that a killed call leaves one that counts."""
        self.workspace.write_sealed({TURN: turn}, self.slug, TURNS)
