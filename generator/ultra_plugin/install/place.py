"""The client's folder of a user or a repository, and every path derived from it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ultra_plugin.errors import UltraError
from ultra_plugin.install.names import STATE

Scope = Literal["user", "project"]


@dataclass(frozen=True)
class Place:
    """One client folder; links are resolved once, here, so that edits change the target and keep the link."""

    scope: Scope
    config: Path
    """The folder as the owner names it."""
    user_config: Path
    """The user's folder, where the client keeps its records; the same in scope user."""
    skills: Path
    """The folder from which the client loads plugins."""
    commands: Path
    """The folder of the owner's own commands."""
    settings: Path

    @classmethod
    def at(cls, scope: Scope, config: Path, user_config: Path) -> Place:
        """Return the place at a folder, or refuse an unusable one."""
        paths = (config / name for name in ("skills", "commands", "settings.json"))
        return _usable(cls(scope, config, user_config, *map(_real, paths)))

    @property
    def root(self) -> Path:
        """Return the repository of scope project."""
        return self.config.parent

    @property
    def backup(self) -> Path:
        """Return the path of the settings backup."""
        return self.config / "settings.json.ultra-backup"

    @property
    def state(self) -> Path:
        """Return the folder for work in progress; the client ignores dotted folders."""
        return self.skills / STATE

    def plugin(self, name: str) -> Path:
        """Return a plugin's folder."""
        return self.skills / name

    def data(self, name: str) -> Path:
        """Return the data folder of a plugin."""
        return self.user_config / "plugins" / "data" / f"{name}-skills-dir"

    def shown(self, path: Path) -> str:
        """Return a path as the owner would type it: below the client's folder, links not resolved."""
        real = _real(self.config)
        return str(self.config / path.relative_to(real)) if path.is_relative_to(real) else str(path)


def user_place(environment: Mapping[str, str]) -> Place:
    """Return the user's place; CLAUDE_CONFIG_DIR moves it."""
    named = environment.get("CLAUDE_CONFIG_DIR")
    if not named and not environment.get("HOME"):
        raise UltraError(
            "neither HOME nor CLAUDE_CONFIG_DIR is set, so there is no place to install; set one"
        )
    config = Path(named or os.path.join(environment["HOME"], ".claude")).absolute()
    return Place.at("user", config, config)


def project_place(environment: Mapping[str, str], folder: Path) -> Place:
    """Return the place of the repository that a folder is in."""
    person = user_place(environment)
    root = repository_of(folder)
    if root is None:
        raise UltraError(
            f"{folder} is not in a git repository, so there is no project to install for; "
            "go to one, run git init, or leave out --scope project"
        )
    place = Place.at("project", root / ".claude", person.config)
    if _real(place.config) == _real(person.config):
        raise UltraError(
            f"{place.config} is your own client folder, not a project's; leave out --scope project"
        )
    for path in (place.config, place.skills, place.commands, place.settings):
        if not _real(path).is_relative_to(_real(root)):
            raise UltraError(f"{path} is outside {root}; a project may not redirect an installation there")
    return place


def repository_of(folder: Path) -> Path | None:
    """Return the root of the repository that a folder is in."""
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def _usable(place: Place) -> Place:
    for folder in (place.config, place.config / "skills", place.config / "commands"):
        if folder.exists() and not folder.is_dir():
            raise UltraError(f"{folder} is a file, but the client needs a folder; move it away and try again")
    if place.state.is_symlink():
        raise UltraError(f"{place.state} is a link that ultra-install did not make; remove it and try again")
    if place.settings.exists() and not place.settings.is_file():
        raise UltraError(f"{place.settings} is not a file; move it away and try again")
    return place


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
