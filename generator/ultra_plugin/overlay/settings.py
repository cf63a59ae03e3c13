"""overlay.yaml: which upstream a fork is based on, and the names that it uses."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ultra_plugin.document import read_document
from ultra_plugin.errors import UltraError, problem

SETTINGS, LOCK = "overlay.yaml", "upstream.lock"
KINDS = ("folder", "wheel", "git")


@dataclass(frozen=True, slots=True)
class Source:
    """The upstream: one of folder, wheel and git, with its version and digest."""

    version: str
    sha256: str
    folder: str | None = None
    wheel: str | None = None
    git: str | None = None
    line: int = 0

    @property
    def kinds(self) -> list[str]:
        """Return the keys that say where the upstream is; exactly one is allowed."""
        return [kind for kind in KINDS if getattr(self, kind)]


@dataclass(frozen=True, slots=True)
class Names:
    """What the fork calls the suite, its owner, the plugin, its program and its commands."""

    suite: str | None = None
    owner: str | None = None
    plugin: str | None = None
    title: str | None = None
    launcher: str | None = None
    commands: Mapping[str, str] = field(default_factory=dict)
    """Stage -> command."""
    discriminators: Mapping[str, str] = field(default_factory=dict)
    """Value of `type` in upstream's artifacts -> the fork's."""
    keep: tuple[str, ...] = ()
    """Old names that may stay."""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that overlay.yaml says."""

    upstream: Source
    """Where the upstream is: `folder`, `wheel` or `git` (FOLDER@TAG), with its `version` and `sha256`."""
    plugin: str | None = None
    """The plugin of the upstream that the overlay changes; not needed if it has one."""
    version: str | None = None
    """The version of the fork."""
    names: Names = field(default_factory=Names)
    """The names that the fork uses; they replace the upstream's everywhere."""
    stages_off: tuple[str, ...] = ()
    """Stages that the fork leaves out, with everything that only they use."""
    allow: tuple[str, ...] = ()
    """Codes that are not reported as problems, as in plugin.yaml."""
    deny: tuple[str, ...] = ()
    """Codes that fail the build in the profile `client` too."""
    line: int = 0


def is_overlay(root: Path) -> bool:
    """Say whether a folder is an overlay."""
    return (root / SETTINGS).is_file()


def shown_in(root: Path, path: str) -> str:
    """Return a file of an overlay as the user would type it."""
    near = os.path.relpath(root)
    label = str(root) if near.startswith("..") else near
    return path if label == "." else f"{label}/{path}"


def read_settings(root: Path) -> Settings:
    """Return what overlay.yaml says, or raise its problems."""
    shown = shown_in(root, SETTINGS)
    try:
        content = (root / SETTINGS).read_bytes()
    except FileNotFoundError:
        raise UltraError(
            f"{shown}: does not exist; go to the overlay's folder, or start one with: ultra-plugin overlay new"
        ) from None
    settings = read_document(shown, content, Settings)
    if len(kinds := settings.upstream.kinds) != 1:
        message = (
            f"'upstream' must have exactly one of {', '.join(KINDS)}, not {' and '.join(kinds) or 'none'}"
        )
        remedy = "say where the upstream is, for example folder: ../ultra-suite"
        raise problem(shown, settings.upstream.line, "bad-value", message, remedy)
    return settings
