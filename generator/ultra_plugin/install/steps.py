"""A step replaces, creates or removes one folder or file; it can be staged, done and undone."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ultra_plugin.errors import UltraError
from ultra_plugin.install.names import plain, plugin_name
from ultra_plugin.install.place import Place
from ultra_plugin.install.staging import FolderContent, save_file, stage_file, stage_folder
from ultra_plugin.install.survey import digest

Kind = Literal["plugin", "command", "settings", "backup"]
_SAVED, _STAGED = "old", "new"


@dataclass(frozen=True)
class Step:
    """One folder or file that is replaced, created or removed."""

    kind: Kind
    name: str
    before: str | None
    """SHA-256 of the replaced file; any text for a folder; None if there is nothing."""
    after: str | None
    """The same for the new one; None if it is removed."""


@dataclass(frozen=True)
class Change:
    """A step with what it needs to be staged."""

    step: Step
    content: FolderContent | bytes | None


def stage(place: Place, change: Change) -> None:
    """Write everything that a step needs next to its target."""
    step, target = change.step, _target(place, change.step)
    if isinstance(change.content, FolderContent):
        stage_folder(change.content, target, _beside(place, step, _STAGED))
        return
    if change.content is not None and step.kind == "command":
        place.commands.mkdir(exist_ok=True)
    if step.kind != "plugin" and step.before:
        save_file(target, _beside(place, step, _SAVED))
    if change.content is not None:
        like = place.settings if step.kind == "backup" else target
        stage_file(change.content, like, _beside(place, step, _STAGED))


def do(place: Place, step: Step) -> None:
    """Do one step; skip what was already done."""
    target = _target(place, step)
    staged, saved = _beside(place, step, _STAGED), _beside(place, step, _SAVED)
    if step.kind == "plugin":
        if target.exists() and not saved.exists() and (staged.exists() or not step.after):
            os.rename(target, saved)
        if staged.exists():
            os.rename(staged, target)
    elif staged.exists():
        _expect(target, step.before)
        os.replace(staged, target)
    elif step.after is None and target.exists():
        _expect(target, step.before)
        target.unlink()


def _expect(target: Path, before: str | None) -> None:
    if digest(target) != before:
        raise UltraError(f"{target} was changed by another process; nothing was done, try again")


def undo(place: Place, step: Step) -> None:
    """Undo one step; keep a file that was changed since."""
    target = _target(place, step)
    staged, saved = _beside(place, step, _STAGED), _beside(place, step, _SAVED)
    if step.kind == "plugin":
        if step.after and not staged.exists() and target.exists():
            os.rename(target, staged)
        if saved.exists() and target.exists():
            raise UltraError(
                f"{target} was created by another process; move it away and run ultra-install again"
            )
        if saved.exists():
            os.rename(saved, target)
    elif digest(target) == step.after and saved.exists():
        os.replace(saved, target)
    elif digest(target) == step.after and step.before is None and not staged.exists():
        target.unlink()


def discard(place: Place, step: Step) -> None:
    """Discard the staged or saved files of a step."""
    for which in (_STAGED, _SAVED):
        remove(_beside(place, step, which))


def parse(words: Any) -> Step:
    """Return the step of a journal entry; its path never comes from the journal."""
    kind, name, before, after = words
    named = plugin_name(name) if kind == "plugin" else plain(name) if kind == "command" else name == ""
    texts = all(one is None or isinstance(one, str) for one in (before, after))
    if kind not in ("plugin", "command", "settings", "backup") or not named or not texts:
        raise ValueError
    return Step(kind, name, before, after)


def _target(place: Place, step: Step) -> Path:
    return {
        "plugin": place.plugin(step.name),
        "command": place.commands / f"{step.name}.md",
        "settings": place.settings,
        "backup": place.backup,
    }[step.kind]


def _beside(place: Place, step: Step, which: str) -> Path:
    """Return the path for staging or saving: on the same file system, under a name that the client ignores."""
    if step.kind == "plugin":
        return place.state / f"{which}-{step.name}"
    target = _target(place, step)
    return target.with_name(f".{target.name}.ultra-{which}")


def remove(path: Path) -> None:
    """Remove a file or a whole folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
