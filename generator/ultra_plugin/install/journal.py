"""Make all changes or none: stage them, journal them, rename them into place, and recover after a kill.

The journal's name is the phase, so that a rename enters the next phase, even on a full disk:
  staging    nothing in use has changed: discard the staged files
  committed  everything is staged: do the renames, again if needed
  undoing    a rename failed: undo the ones before it, then continue as in staging
  done       discard the replaced files
The journal names the kind of a step, never its path: it may come from an untrusted repository.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ultra_plugin.errors import UltraError
from ultra_plugin.install import steps
from ultra_plugin.install.place import Place
from ultra_plugin.install.staging import write_anew
from ultra_plugin.install.steps import Change, Step

Phase = Literal["staging", "committed", "undoing", "done"]
PHASES: tuple[Phase, ...] = ("staging", "committed", "undoing", "done")


@dataclass(frozen=True)
class Journal:
    """The steps of one call."""

    steps: tuple[Step, ...]
    opens_commands: bool = False
    """The commands folder was created; undo removes it."""
    closes_commands: bool = False
    """The commands folder is ours; remove it in the end if it is empty."""


def perform(place: Place, changes: Sequence[Change], closes_commands: bool = False) -> None:
    """Make all changes or none."""
    new_commands = any(change.step.kind == "command" and change.content for change in changes)
    journal = Journal(
        tuple(change.step for change in changes),
        new_commands and not place.commands.exists(),
        closes_commands,
    )
    _write(place, journal)
    try:
        for change in changes:
            steps.stage(place, change)
        _enter(place, "staging", "committed")
        for step in journal.steps:
            steps.do(place, step)
        _enter(place, "committed", "done")
    except BaseException:
        _take_back(place, journal)
        raise
    with suppress(OSError):  # everything is in place; the next call cleans up
        _finish(place, journal)


def interrupted(place: Place) -> Phase | None:
    """Return the phase in which an earlier call stopped, or None."""
    return next((phase for phase in PHASES if _path(place, phase).exists()), None)


def recover(place: Place) -> str | None:
    """Finish or undo an earlier call, and say which; the caller holds the lock."""
    phase = interrupted(place)
    if phase is None:
        _clear(place)
        return None
    journal = _read(place, phase)
    if phase == "committed":
        try:
            for step in journal.steps:
                steps.do(place, step)
        except (UltraError, OSError):
            _take_back(place, journal)
            return "an interrupted call was rolled back"
        _enter(place, "committed", "done")
    if phase in ("committed", "done"):
        _finish(place, journal)
        return "an interrupted call was finished"
    _take_back(place, journal)
    return "an interrupted call was rolled back"


def _take_back(place: Place, journal: Journal) -> None:
    """Undo the changes, from the phase found on disk."""
    phase = interrupted(place)
    if phase == "done":
        _finish(place, journal)
        return
    if phase == "committed":
        _enter(place, "committed", "undoing")
    if phase in ("committed", "undoing"):
        for step in reversed(journal.steps):
            steps.undo(place, step)
        _enter(place, "undoing", "staging")
    _discard(place, journal)
    if journal.opens_commands:
        _remove_if_empty(place.commands)
    _path(place, "staging").unlink(missing_ok=True)
    _clear(place)


def _finish(place: Place, journal: Journal) -> None:
    _discard(place, journal)
    if journal.closes_commands:
        _remove_if_empty(place.commands)
    _path(place, "done").unlink(missing_ok=True)
    _clear(place)


def _discard(place: Place, journal: Journal) -> None:
    for step in journal.steps:
        steps.discard(place, step)


def _path(place: Place, phase: Phase) -> Path:
    return place.state / f"journal-{phase}.json"


def _enter(place: Place, old: Phase, new: Phase) -> None:
    os.rename(_path(place, old), _path(place, new))


def _write(place: Place, journal: Journal) -> None:
    listed = [[step.kind, step.name, step.before, step.after] for step in journal.steps]
    value = {"steps": listed, "opens": journal.opens_commands, "closes": journal.closes_commands}
    beside = place.state / "journal"
    write_anew(beside, json.dumps(value).encode())
    os.rename(beside, _path(place, "staging"))


def _read(place: Place, phase: Phase) -> Journal:
    path = _path(place, phase)
    try:
        value = json.loads(path.read_bytes())
        found = tuple(steps.parse(words) for words in value["steps"])
        return Journal(found, bool(value["opens"]), bool(value["closes"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UltraError(
            f"{path}: this journal is not ultra-install's; check {place.state} and remove it"
        ) from None


def _clear(place: Place) -> None:
    """Remove everything from the state folder that no journal names."""
    for name in ("journal", *(path.name for path in place.state.glob("*-*") if path.is_dir())):
        steps.remove(place.state / name)


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
