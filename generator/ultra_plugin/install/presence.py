"""Find the copies of a plugin, and the one that the client loads."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultra_plugin.install.archive import MANIFEST
from ultra_plugin.install.place import Place


@dataclass(frozen=True)
class Copy:
    """One copy that the client knows of."""

    id: str
    version: str
    where: str
    enabled: bool

    def as_dict(self) -> dict[str, object]:
        """Return the copy as JSON values."""
        return {"id": self.id, "version": self.version, "where": self.where, "enabled": self.enabled}


def copies(place: Place, plugin: str) -> list[Copy]:
    """Return the copies of a plugin, the loaded one first.

    A marketplace's copy wins even while it is disabled, and a user's copy wins over a project's.
    """
    person = place.user_config
    enabled = _object(_object(_load(person / "settings.json")).get("enabledPlugins"))
    found = [
        Copy(id_, version, where, enabled.get(id_) is not False)
        for id_, version, where in _from_marketplaces(place, plugin)
    ]
    own = f"{plugin}@skills-dir"
    for folder in dict.fromkeys((person / "skills" / plugin, place.config / "skills" / plugin)):
        manifest = _object(_load(folder / MANIFEST))
        if manifest.get("name") == plugin:
            found.append(Copy(own, str(manifest.get("version")), str(folder), enabled.get(own) is not False))
    return found


def _from_marketplaces(place: Place, plugin: str) -> list[tuple[str, str, str]]:
    records = _object(_object(_load(place.user_config / "plugins" / "installed_plugins.json")).get("plugins"))
    found = []
    for id_, entries in records.items():
        if id_.rpartition("@")[0] != plugin or not isinstance(entries, list):
            continue
        for entry in map(_object, entries):
            home = entry.get("projectPath")
            if home is None or (place.scope == "project" and _same(home, place.root)):
                found.append((id_, str(entry.get("version")), str(entry.get("installPath"))))
    return found


def _same(one: object, other: Path) -> bool:
    return isinstance(one, str) and os.path.realpath(one) == os.path.realpath(other)


def _load(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except (OSError, ValueError, RecursionError):
        return None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
