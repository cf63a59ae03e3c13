"""Decide what ships as it is: patterns of plugin.yaml, symlinks, and the version in a plugin's own manifest."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fnmatch import fnmatchcase
from posixpath import dirname, isabs, join, normpath

from ultra_plugin.model import BundleFile


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Say whether a path inside a plugin, or a folder above it, matches a pattern; `*` also matches `/`."""
    return any(fnmatchcase(path, one) or path.startswith(f"{one.rstrip('/')}/") for one in patterns)


def leaves_plugin(path: str, link: str) -> bool:
    """Say whether a symlink at a path points outside the plugin."""
    target = normpath(join(dirname(path), link))
    return isabs(link) or target == ".." or target.startswith("../")


def own_version(manifest: BundleFile | None) -> str:
    """Return the version that a plugin's own manifest gives, or empty text."""
    try:
        fields = json.loads(manifest.text.removeprefix("\ufeff")) if manifest else None
    except (ValueError, RecursionError):
        return ""
    version = fields.get("version") if isinstance(fields, dict) else None
    return version if isinstance(version, str) else ""
