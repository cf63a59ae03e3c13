"""Plan a call without changing anything: lines to show, and changes to make."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ultra_plugin.errors import UltraError
from ultra_plugin.install import receipt, scaffold
from ultra_plugin.install.place import Place
from ultra_plugin.install.receipt import Receipt
from ultra_plugin.install.settings import Draft
from ultra_plugin.install.steps import Change, Step
from ultra_plugin.install.survey import sha256

Verb = Literal[
    "install", "upgrade", "downgrade", "replace", "repair", "remove", "add", "keep", "leave", "back up"
]


@dataclass(frozen=True)
class Line:
    """One planned or finished action."""

    plugin: str
    verb: Verb
    what: str
    path: str

    def as_dict(self) -> dict[str, str]:
        """Return the line as JSON values."""
        return {"plugin": self.plugin, "action": self.verb, "what": self.what, "path": self.path}


@dataclass(frozen=True)
class Plan:
    """All actions of one call, for all of its plugins."""

    lines: tuple[Line, ...]
    changes: tuple[Change, ...]
    purged: tuple[Path, ...] = ()
    above: int = 0
    """How many folders above the state folder to remove once they are empty."""
    closes_commands: bool = False

    @property
    def empty(self) -> bool:
        """Say whether there is nothing to do."""
        return not self.changes and not self.purged


class Planner:
    """Collect lines and changes; edit settings once for all plugins."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.draft = Draft(place.settings)
        self.receipts = {one.plugin: one for one in receipt.installed(place)}
        self.lines: list[Line] = []
        self.changes: list[Change] = []
        self.purged: list[Path] = []
        self.leaving: list[Receipt] = []
        self.short_names: set[str] = set()
        made = (scaffold.made(place.state), *(one.made for one in self.receipts.values()))
        self.made = min(max(made), receipt.MOST_MADE[place.scope])
        self.made_commands = any(one.made_commands for one in self.receipts.values())
        self.granting = {name for name, one in self.receipts.items() if one.granted.rules}
        """The plugins whose rules are in the settings, now and, once all is planned, after the call."""
        self._granted = bool(self.granting)

    def line(self, plugin: str, verb: Verb, what: str, path: Path) -> None:
        """Add a line."""
        self.lines.append(Line(plugin, verb, what, self.place.shown(path)))

    def file(
        self, kind: Literal["command", "settings", "backup"], name: str, path: Path, content: bytes | None
    ) -> None:
        """Add the change of one file."""
        before = self.draft.before if kind == "settings" else _content(path)
        self.changes.append(Change(Step(kind, name, _digest(before), _digest(content)), content))

    def finish(self) -> Plan:
        """Return the plan, settings and their backup included."""
        self._settings()
        leaving = bool(self.leaving)
        return Plan(
            tuple(self.lines),
            tuple(self.changes),
            tuple(self.purged),
            self.made if leaving else 0,
            self.made_commands and leaving,
        )

    def _settings(self) -> None:
        draft, backup = self.draft, self.place.backup
        if draft.changed and draft.before is not None and not os.access(draft.path, os.W_OK):
            raise UltraError(f"{draft.path} is read-only; make it writable, or use --permissions none")
        if self._granted and not self.granting:
            if backup.is_file():
                self.line("", "remove", "the backup: our rules are no longer in the settings", backup)
                self.file("backup", "", backup, None)
        elif draft.changed and draft.before is not None and not os.path.lexists(backup):
            self.line("", "back up", "the current settings", backup)
            self.file("backup", "", backup, draft.before)
        if draft.changed:
            self.file("settings", "", draft.path, draft.after)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _digest(content: bytes | None) -> str | None:
    return None if content is None else sha256(content)
