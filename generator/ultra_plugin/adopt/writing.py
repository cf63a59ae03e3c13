"""Write the source tree of adopted plugins: their files as they are, and the settings that they need."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from posixpath import basename
from typing import Any

import yaml

from ultra_plugin.adopt.reading import Found, Shelf
from ultra_plugin.model import Bundle, SuiteSettings
from ultra_plugin.source import PLUGINS, is_left_behind

_HEAD = "# Written by ultra-plugin adopt.\n"


def write_sources(shelf: Shelf, root: Path) -> None:
    """Write suite.yaml, and the folder and settings of each plugin."""
    root.mkdir(parents=True)
    _write(root / "suite.yaml", _HEAD + _yaml(_suite(shelf)))
    for one in shelf.plugins:
        write_folder(one.bundle, root / PLUGINS / one.name)
        if settings := _settings(one):
            _write(root / PLUGINS / f"{one.name}.yaml", _HEAD + _yaml(settings))


def write_folder(bundle: Bundle, folder: Path) -> None:
    """Write every file of a plugin with its mode, and every link."""
    made = set()
    for path, file in bundle.files.items():
        target = folder / path
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        if file.symlink:
            os.symlink(file.content, os.fsencode(target))
        else:
            target.write_bytes(file.content)
            os.chmod(target, file.mode)


def _suite(shelf: Shelf) -> dict[str, Any]:
    """Return suite.yaml: the marketplace, or one that offers the single plugin."""
    fields = dict(shelf.offer)
    known = {"name", "description", "owner", "version", *SuiteSettings.MORE}
    owner = fields.get("owner")
    metadata = fields.get("metadata")
    described = metadata.get("description") if isinstance(metadata, dict) else None
    settings: dict[str, Any] = {
        "name": str(fields.get("name") or shelf.name),
        "description": str(fields.get("description") or described or f"Plugins adopted from {shelf.name}."),
        "owner": owner if _is_person(owner) else {"name": shelf.name},
        "profile": "client",
    }
    settings |= {key: fields[key] for key in fields if key in known and key not in settings}
    if shelf.elsewhere:
        settings["offers"] = [*shelf.elsewhere]
    return settings


def _is_person(value: object) -> bool:
    keys = {"name", "email", "url"}
    return (
        isinstance(value, dict)
        and "name" in value
        and {*value} <= keys
        and all(map(_is_text, value.values()))
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _settings(one: Found) -> dict[str, Any]:
    """Return the settings beside a plugin's folder; none if the folder says everything."""
    paths = [*one.bundle.files]
    copied = [path for path in paths if path.endswith(".j2") or is_left_behind(basename(path))]
    needed: dict[str, Any] = {"copy": [_literal(path) for path in copied]} if copied else {}
    if one.entry:
        needed["entry"] = dict(one.entry)
    if not needed and "plugin.yaml" not in paths and ".claude-plugin/plugin.json" in paths:
        return {}
    return {"name": one.name, "exact": True, **needed}


def _literal(path: str) -> str:
    """Return a pattern that matches one path only."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)


def _yaml(value: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True, width=110)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
