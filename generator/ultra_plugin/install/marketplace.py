"""The settings that name our marketplace, for a team that does not want a copy of the plugin in its repository."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

NAME = "ultra-suite"
UNKNOWN = "ADDRESS-OF-THE-REPOSITORY"


def settings_for(plugins: Sequence[str]) -> str:
    """Return the settings, in one line, that make the client offer the marketplace and enable plugins of it."""
    source = {"source": "git", "url": _address()}
    value = {
        "extraKnownMarketplaces": {NAME: {"source": source}},
        "enabledPlugins": {f"{plugin}@{NAME}": True for plugin in plugins},
    }
    return json.dumps(value)


def _address() -> str:
    """Return where this clone came from, or a word to replace."""
    here = Path(__file__).resolve().parents[3]
    if not (here / ".claude-plugin/marketplace.json").is_file():
        return UNKNOWN
    command = ["git", "-C", str(here), "remote", "get-url", "origin"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return UNKNOWN
    return re.sub(r"(?<=://)[^/@]*@", "", done.stdout.strip()) or UNKNOWN  # settings of a team hold no token
