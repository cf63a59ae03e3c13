"""Read a plugin folder, ours or not, into memory."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ultra_plugin.errors import UltraError
from ultra_plugin.model import Bundle, BundleFile

SKIPPED = frozenset({".git", "__pycache__"})


def read_folder(path: Path) -> Bundle:
    """Read every file of a plugin folder; symlinks are recorded, not followed."""
    if not path.exists():
        raise UltraError(f"{path} does not exist.")
    if not path.is_dir():
        raise UltraError(f"{path} is not a folder.")
    try:
        files = {file.path: file for file in _files(path)}
    except OSError as error:
        raise UltraError(f"Cannot read {error.filename or path}: {error.strerror}.") from None
    name, version = _identity(files.get(".claude-plugin/plugin.json"))
    return Bundle(name or path.resolve().name, version, dict(sorted(files.items())))


def _files(root: Path) -> Iterator[BundleFile]:
    folders = [(root, "")]
    while folders:
        folder, prefix = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                path = prefix + _printable(entry.name)
                if entry.is_symlink():
                    yield BundleFile(path, os.fsencode(os.readlink(entry.path)), symlink=True)
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED:
                        folders.append((Path(entry.path), f"{path}/"))
                elif entry.is_file(follow_symlinks=False):
                    mode = entry.stat(follow_symlinks=False).st_mode
                    yield BundleFile(path, Path(entry.path).read_bytes(), bool(mode & stat.S_IXUSR))


def _printable(name: str) -> str:
    """Spell what cannot be shown in a file name with escapes."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )


def _identity(manifest: BundleFile | None) -> tuple[str, str]:
    """Return the name and version that a manifest gives, or empty text."""
    if manifest is None or manifest.symlink:
        return "", ""
    try:
        fields = json.loads(manifest.text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return "", ""
    if not isinstance(fields, dict):
        return "", ""
    name, version = fields.get("name"), fields.get("version")
    return name if isinstance(name, str) else "", version if isinstance(version, str) else ""
