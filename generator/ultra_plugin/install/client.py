"""Ask the real client about an installation, without letting it write to the owner's folders."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultra_plugin.errors import UltraError
from ultra_plugin.install.names import version_order
from ultra_plugin.install.place import Place

OLDEST = "2.1.197"
"""The first version known to load plugins from the skills folder."""
_LIMIT = 30
_QUIET = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}


@dataclass(frozen=True)
class Listed:
    """One plugin as the client lists it."""

    id: str
    version: str
    enabled: bool
    errors: tuple[str, ...]
    path: str


def find() -> Path | None:
    """Return the client on the PATH, or None."""
    found = shutil.which("claude")
    return Path(found) if found else None


def version(client: Path) -> str | None:
    """Return the client's version, or None."""
    said = re.match(r"\d+\.\d+\.\d+", _run([str(client), "--version"], {}, client.parent) or "")
    return said[0] if said else None


def require(client: Path, oldest: str | None) -> str | None:
    """Return the client's version, or refuse one that is too old."""
    found = version(client)
    needed = max((OLDEST, oldest or OLDEST), key=lambda one: version_order(one) or ((0,),))
    if found and (version_order(found) or ()) < (version_order(needed) or ()):
        raise UltraError(
            f"{client} is version {found}, but {needed} is needed; update it with: claude update"
        )
    return found


def listing(client: Path, place: Place) -> list[Listed] | None:
    """Return the plugins that the client lists, or None if it does not answer.

    Listing alone makes the client write its state file, so it gets a separate folder that shows it the
    owner's plugins, records and settings.
    """
    with tempfile.TemporaryDirectory(prefix="ultra-install-") as name:
        mirror = Path(name)
        _mirror(place, mirror)
        cwd = place.root if place.scope == "project" else mirror
        said = _run([str(client), "plugin", "list", "--json"], {"CLAUDE_CONFIG_DIR": name}, cwd)
    try:
        found = json.loads(said or "")
        return [_listed(one, mirror, place) for one in found]
    except (ValueError, TypeError, KeyError):
        return None


def _mirror(place: Place, mirror: Path) -> None:
    person = place.user_config
    (mirror / "plugins").mkdir()
    for name in ("settings.json", "plugins/installed_plugins.json", "plugins/known_marketplaces.json"):
        if (person / name).is_file():
            shutil.copyfile(person / name, mirror / name)
    if (person / "skills").is_dir():
        (mirror / "skills").symlink_to(os.path.realpath(person / "skills"))
    if place.scope == "project":  # the client ignores an untrusted project
        trusted = {str(os.path.realpath(place.root)): {"hasTrustDialogAccepted": True}}
        (mirror / ".claude.json").write_text(json.dumps({"projects": trusted}))


def _listed(one: Mapping[str, Any], mirror: Path, place: Place) -> Listed:
    path = str(one.get("installPath", "")).replace(str(mirror), str(place.user_config))
    return Listed(
        str(one["id"]), str(one["version"]), bool(one["enabled"]), tuple(one.get("errors") or ()), path
    )


def _run(command: list[str], variables: Mapping[str, str], cwd: Path) -> str | None:
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **_QUIET, **variables},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    return done.stdout
