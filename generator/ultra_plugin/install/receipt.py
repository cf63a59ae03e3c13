"""The receipt of an installation, kept in the plugin's folder so that one rename moves both."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ultra_plugin.errors import UltraError
from ultra_plugin.install.names import RECEIPT, plain, plugin_name, refusal, version_order
from ultra_plugin.install.place import Place, Scope
from ultra_plugin.install.settings import Granted

FORMAT = 1
MOST_MADE = {"user": 20, "project": 2}
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Recorded:
    """One file as it was installed."""

    sha256: str
    mode: int


@dataclass(frozen=True)
class Receipt:
    """Everything that uninstalling must undo."""

    plugin: str
    version: str
    scope: Scope
    installed_at: str
    origin: str
    installer: str
    files: Mapping[str, Recorded]
    granted: Granted = field(default_factory=Granted)
    commands: Mapping[str, str] = field(default_factory=dict)
    """Short name -> SHA-256 of its command file."""
    kept: tuple[str, ...] = ()
    """Files of the owner that upgrades moved aside."""
    made: int = 0
    """How many folders were created: 1 is skills, 2 also the one above, and so on."""
    made_commands: bool = False

    def dump(self) -> bytes:
        """Return the receipt as it is written."""
        value = {
            "format": FORMAT,
            "plugin": self.plugin,
            "version": self.version,
            "scope": self.scope,
            "installed_at": self.installed_at,
            "from": self.origin,
            "installer": self.installer,
            "files": {
                path: {"sha256": one.sha256, "mode": f"{one.mode:o}"}
                for path, one in sorted(self.files.items())
            },
            "permissions": {"added": list(self.granted.rules), "created": self.granted.created},
            "short_names": dict(sorted(self.commands.items())),
            "kept": list(self.kept),
            "folders_made": {"above": self.made, "commands": self.made_commands},
        }
        return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def read(folder: Path) -> Receipt | None:
    """Return the receipt of a plugin's folder; without one the folder is not ours."""
    place = folder / RECEIPT
    if folder.is_symlink() or place.is_symlink() or not place.is_file():
        return None
    try:
        return _parse(json.loads(place.read_bytes()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UltraError(f"{place}: this receipt cannot be read; move the folder away") from None


def installed(place: Place) -> list[Receipt]:
    """Return the receipts of all plugins in a place, by name."""
    if not place.skills.is_dir():
        return []
    folders = sorted(path for path in place.skills.iterdir() if plugin_name(path.name))
    return [receipt for folder in folders if (receipt := read(folder)) and receipt.plugin == folder.name]


def _parse(value: Any) -> Receipt:
    """Check every value: a repository's receipt is not trusted."""
    if value["format"] != FORMAT or value["scope"] not in ("user", "project"):
        raise ValueError
    files = {
        path: Recorded(_digest(one["sha256"]), int(one["mode"], 8)) for path, one in value["files"].items()
    }
    commands = {name: _digest(sha256) for name, sha256 in value["short_names"].items()}
    granted = Granted(tuple(map(_text, value["permissions"]["added"])), value["permissions"]["created"])
    kept = tuple(value["kept"])
    made, made_commands = value["folders_made"]["above"], value["folders_made"]["commands"]
    sound = (
        plugin_name(value["plugin"])
        and version_order(_text(value["version"])) is not None
        and not any(refusal(path) for path in (*files, *kept))
        and all(map(plain, commands))
        and granted.created in ("", "allow", "permissions", "file")
        and isinstance(made, int)
        and 0 <= made <= MOST_MADE[value["scope"]]
        and isinstance(made_commands, bool)
    )
    if not sound:
        raise ValueError
    return Receipt(
        plugin=value["plugin"],
        version=value["version"],
        scope=value["scope"],
        installed_at=_text(value["installed_at"]),
        origin=_text(value["from"]),
        installer=_text(value["installer"]),
        files=files,
        granted=granted,
        commands=commands,
        kept=kept,
        made=made,
        made_commands=made_commands,
    )


def _digest(value: object) -> str:
    if not isinstance(value, str) or not _SHA256.fullmatch(value):
        raise ValueError
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
