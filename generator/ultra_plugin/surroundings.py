"""What the folders above a plugin say about it: its repository and its marketplace; the client looks there too."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from ultra_plugin.keys import LICENCE_NAMES, README_NAMES
from ultra_plugin.model import Around

_FARTHEST = 32
_LARGEST = 1024 * 1024
_OFFER = ".claude-plugin/marketplace.json"


def around(plugin: Path) -> Around:
    """Look for the repository and the marketplace of a plugin folder."""
    plugin = Path(os.path.abspath(plugin))
    above = [plugin, *islice(plugin.parents, _FARTHEST)]
    repository = next((folder for folder in above if os.path.lexists(folder / ".git")), None)
    places = above[: above.index(repository) + 1] if repository else above
    offers = ((folder, entry) for folder in places if (entry := _entry(folder, plugin)))
    marketplace, entry = next(offers, (None, {}))
    if repository is None or repository == plugin:
        return Around(is_repository=repository == plugin, entry=entry, marketplace=marketplace)
    names = {file.name for file in os.scandir(repository) if file.is_file(follow_symlinks=False)}
    found = next((name for name in sorted(README_NAMES) if name in names), None)
    readme = _text(repository / found) if found else None
    has_licence = any(name.lower() in LICENCE_NAMES for name in names)
    return Around(readme, has_licence, False, entry, marketplace)


def local_sources(folder: Path) -> list[Path]:
    """Return the folders of the plugins that a marketplace offers from itself."""
    sources = (entry.get("source") for entry in _entries(folder / _OFFER))
    inner = (
        os.path.normpath(source) for source in sources if isinstance(source, str) and source.startswith(".")
    )
    return [folder / path for path in inner if path != "." and not path.startswith("..")]


@lru_cache(maxsize=8)
def offered_skills(marketplace: Path) -> frozenset[str]:
    """Return the names of the skills of all plugins that a marketplace offers from itself."""
    folders = (folder / "skills" for folder in local_sources(marketplace))
    return frozenset(path.parent.name for folder in folders for path in folder.glob("*/SKILL.md"))


def _text(path: Path) -> str:
    with open(path, "rb") as file:
        return file.read(_LARGEST).decode("utf-8", "replace")


def _entry(folder: Path, plugin: Path) -> Mapping[str, object]:
    """Return the entry of a marketplace that offers the plugin."""
    path = folder / _OFFER
    if not path.is_file() or path.stat().st_size > 16 * _LARGEST:
        return {}
    for entry in _entries(path):
        source = entry.get("source")
        if isinstance(source, str) and os.path.normpath(folder / source) == str(plugin):
            return entry
    return {}


def _entries(path: Path) -> Iterator[dict[str, Any]]:
    try:
        fields = json.loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return
    entries = fields.get("plugins") if isinstance(fields, dict) else None
    metadata = fields.get("metadata") if isinstance(fields, dict) else None
    root = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            source = entry.get("source")
            is_bare = isinstance(source, str) and not source.startswith((".", "/"))
            yield {**entry, "source": f"{root}/{source}"} if is_bare and isinstance(root, str) else entry
