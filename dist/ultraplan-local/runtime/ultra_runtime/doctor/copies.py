"""Find the copies of this plugin that the client knows, in the order in which it prefers them."""

from __future__ import annotations

import os

from ultra_runtime.files.json_file import read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class InstalledCopy:
    """One copy: how the client lists it and where it is."""

    __slots__ = ("enabled", "folder", "id")

    def __init__(self, id: str, folder: str, enabled: bool) -> None:  # noqa: A002
        self.id = id
        self.folder = folder
        self.enabled = enabled


def find_copies(plugin: str, root: str | None) -> list[InstalledCopy]:
    """Return the copies in the client's order: a marketplace's (even a disabled one), a person's, a project's."""
    config = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
    settings = _members(read_json(os.path.join(config, "settings.json")).get("enabledPlugins"))
    records = read_json(os.path.join(config, "plugins", "installed_plugins.json"))
    found = [
        InstalledCopy(name, str(_members(entry).get("installPath", "")), settings.get(name) is not False)
        for name, entries in _members(records.get("plugins")).items()
        if name.rpartition("@")[0] == plugin and isinstance(entries, list)
        for entry in entries
    ]
    own = f"{plugin}@skills-dir"
    for base in dict.fromkeys([config, *([os.path.join(root, ".claude")] if root else [])]):
        folder = os.path.join(base, "skills", plugin)
        if read_json(os.path.join(folder, ".claude-plugin", "plugin.json")).get("name") == plugin:
            found.append(InstalledCopy(own, folder, settings.get(own) is not False))
    return found


def _members(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
