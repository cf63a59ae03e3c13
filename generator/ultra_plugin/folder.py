"""Read a plugin folder, ours or not, into memory."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ultra_plugin.errors import ProblemsFound, UltraError, problem
from ultra_plugin.model import Bundle, BundleFile

SKIPPED = frozenset({".git", "__pycache__"})
MOST_FILES = 20_000
MOST_BYTES = 100_000_000
_SIGNS = (".claude-plugin", ".claude", "skills", "commands", "agents")
"""The files and folders at the top of a plugin, with or without a manifest."""
_REMEDY = "name the plugin's own folder, or remove files that do not belong to it"


def may_be_plugin(path: Path) -> bool:
    """Say whether a folder looks like a plugin, before reading its files."""
    _existing(path)
    return any(os.path.lexists(path / sign) for sign in _SIGNS)


def read_folder(path: Path) -> Bundle:
    """Read every file of a plugin folder; symlinks are recorded, not followed."""
    _existing(path)
    try:
        files = {file.path: file for file in _files(path)}
    except OSError as error:
        raise UltraError(f"Cannot read {error.filename or path}: {error.strerror}.") from None
    name, version = _identity(files.get(".claude-plugin/plugin.json"))
    return Bundle(name or path.resolve().name, version, dict(sorted(files.items())))


def _existing(path: Path) -> None:
    if not path.exists():
        raise UltraError(f"{path} does not exist.")
    if not path.is_dir():
        raise UltraError(f"{path} is not a folder.")


def _files(root: Path) -> Iterator[BundleFile]:
    folders = [(root, "")]
    count, room = 0, MOST_BYTES
    while folders:
        folder, prefix = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                count += 1
                if count > MOST_FILES:
                    raise _oversize(root, f"has more than {MOST_FILES:,} files and folders")
                path = prefix + _printable(entry.name)
                if entry.is_symlink():
                    yield BundleFile(path, os.fsencode(os.readlink(entry.path)), symlink=True)
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name not in SKIPPED:
                        folders.append((Path(entry.path), f"{path}/"))
                elif entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    room -= status.st_size
                    if room < 0:
                        raise _oversize(root, f"has more than {MOST_BYTES // 1_000_000} MB, up to '{path}'")
                    yield BundleFile(path, Path(entry.path).read_bytes(), bool(status.st_mode & stat.S_IXUSR))


def _oversize(root: Path, message: str) -> ProblemsFound:
    return problem(str(root), 0, "oversize", f"{message}, more than this check reads", _REMEDY)


def _printable(name: str) -> str:
    """Escape the unprintable characters of a file name."""
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
