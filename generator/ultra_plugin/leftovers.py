"""Find and remove plugins of earlier builds that the sources no longer have."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ultra_plugin.model import Bundle
from ultra_plugin.tree import discard

_LISTING = "bundle.json"


def leftovers(out: Path, names: set[str]) -> tuple[str, ...]:
    """Return the folders of earlier builds, by their listing, that do not belong to any of these plugins."""
    if not out.is_dir():
        return ()
    found = (entry for entry in os.scandir(out) if entry.is_dir(follow_symlinks=False))
    return tuple(sorted(one.name for one in found if one.name not in names and _listing(out / one.name)))


def sweep(out: Path, bundles: list[Bundle], offer: bytes, last_offer: bytes) -> tuple[str, ...]:
    """Remove the leftovers of this suite's own builds, and return their names.

    A folder is removed only if the marketplace of the last build has this suite's name and offers it from here, and if
    it has exactly the bytes that its listing names. Added or changed files keep it.
    """
    ours = _offered(last_offer, json.loads(offer)["name"], out.name)
    gone = []
    for name in leftovers(out, {bundle.name for bundle in bundles}):
        listing = _listing(out / name)
        if name in ours and _is_whole(out / name, listing):
            archive = f"{name}-{listing.get('version')}.zip"
            discard(out, [name, *_archive(out, archive)])
            gone.append(name)
    return tuple(gone)


def _listing(folder: Path) -> dict[str, Any]:
    """Return the listing that a build left, or an empty one."""
    try:
        listing = json.loads((folder / _LISTING).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    is_ours = isinstance(listing, dict) and isinstance(listing.get("files"), dict)
    return listing if is_ours and listing.get("plugin") == folder.name and "generator" in listing else {}


def _offered(marketplace: bytes, suite: str, folder: str) -> set[str]:
    try:
        offer = json.loads(marketplace)
        if offer["name"] != suite:
            return set()
        return {one["name"] for one in offer["plugins"] if one["source"] == f"./{folder}/{one['name']}"}
    except (ValueError, RecursionError, TypeError, KeyError):
        return set()


def _is_whole(folder: Path, listing: dict[str, Any]) -> bool:
    """Say whether a folder holds exactly the listed files as built, byte code aside."""
    listed = {
        path: entry.get("sha256") for path, entry in listing["files"].items() if isinstance(entry, dict)
    }
    found = {path: _digest(folder / path) for path in _entries(folder) if path != _LISTING}
    return found == listed


def _entries(folder: Path) -> Iterator[str]:
    """Yield every file and link, without the byte code of our modules."""
    for base, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(base, name))]
        is_cache = os.path.basename(base) == "__pycache__"
        for name in (*names, *links):
            if not (is_cache and name.endswith(".pyc")):
                yield os.path.relpath(os.path.join(base, name), folder).replace(os.sep, "/")


def _digest(path: Path) -> str:
    if path.is_symlink():
        return hashlib.sha256(os.fsencode(os.readlink(path))).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _archive(out: Path, name: str) -> list[str]:
    """Return a zip and its checksum file if they match."""
    checksum = f"{name}.sha256"
    try:
        said = (out / checksum).read_text()
    except (OSError, ValueError):
        return []
    return [name, checksum] if said == f"{_digest(out / name)}  {name}\n" else []
