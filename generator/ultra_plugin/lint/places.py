"""Find the plugin folders that a call means: folders, patterns, lists on standard input, whole marketplaces."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ultra_plugin.errors import UltraError
from ultra_plugin.surroundings import local_sources

_MARKETPLACE = ".claude-plugin/marketplace.json"


def folders(words: Iterable[str], lines: Iterable[str]) -> list[Path]:
    """Return the folders that words name; `-` stands for the lines of standard input."""
    found: dict[Path, None] = {}
    for word in words:
        for name in map(str.strip, lines) if word == "-" else [word]:
            found.update(dict.fromkeys(_named(name)) if name else {})
    return list(found)


def with_plugins(folder: Path) -> list[Path]:
    """Return a folder, and after a marketplace the folders of the plugins that it offers."""
    inner = local_sources(folder) if (folder / _MARKETPLACE).is_file() else ()
    return [folder, *(path for path in dict.fromkeys(inner) if path != folder and path.is_dir())]


def _named(name: str) -> Iterator[Path]:
    if os.path.lexists(name) or not glob.has_magic(name):
        yield _top(Path(name))
        return
    matches = [path for path in sorted(glob.glob(name, recursive=True)) if _is_meant(path)]
    if not matches:
        raise UltraError(f"{name}: no plugin folder matches this pattern.")
    yield from map(_top, map(Path, matches))


def _top(path: Path) -> Path:
    """Return the plugin folder of a manifest, or the path itself."""
    is_manifest = path.name in ("plugin.json", "marketplace.json") and path.parent.name == ".claude-plugin"
    return path.parent.parent if is_manifest else path


def _is_meant(path: str) -> bool:
    return os.path.isdir(os.path.join(path, ".claude-plugin")) or path.endswith(
        (".claude-plugin/plugin.json", _MARKETPLACE)
    )
