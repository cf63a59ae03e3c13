"""Read a plugin folder, ours or not, into memory."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from unicodedata import category

from ultra_plugin.errors import ProblemsFound, UltraError, problem
from ultra_plugin.keys import CACHES
from ultra_plugin.model import Bundle, BundleFile
from ultra_plugin.surroundings import around

SKIPPED = frozenset({".git", "__pycache__"})
MOST_FILES = 20_000
MOST_BYTES = 100_000_000
_LARGE = 2_000_000
"""Bytes; of a larger file a check reads the beginning."""
_BEGINNING = 4096
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
    return _bundle(path, _files(path))


class LateFiles(Mapping[str, BundleFile]):
    """The files of a plugin folder, read when somebody asks for one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _files(self) -> Mapping[str, BundleFile]:
        return read_folder(self._folder).files

    def __getitem__(self, path: str) -> BundleFile:
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


def read_for_check(path: Path) -> Bundle:
    """Read a plugin folder of any size, without what no rule needs, and with what the folders above say about it."""
    _existing(path)
    return replace(_bundle(path, _files_for_check(path)), around=around(path))


def _bundle(path: Path, found: Iterator[BundleFile]) -> Bundle:
    try:
        files = {file.path: file for file in found}
    except OSError as error:
        raise UltraError(f"Cannot read {error.filename or path}: {error.strerror}.") from None
    name, version = _identity(files.get(".claude-plugin/plugin.json"))
    return Bundle(name or path.resolve().name, version, dict(sorted(files.items())))


def _existing(path: Path) -> None:
    if not path.exists():
        raise UltraError(f"{path} does not exist; name a plugin folder or a marketplace.")
    if not path.is_dir():
        raise UltraError(f"{path} is not a folder; name a plugin folder or a marketplace.")


def _files(root: Path) -> Iterator[BundleFile]:
    room = MOST_BYTES
    for count, (path, entry) in enumerate(_entries(root), 1):
        if count > MOST_FILES:
            raise _oversize(root, f"has more than {MOST_FILES:,} files and folders")
        if entry.is_symlink():
            yield _link(path, entry)
        elif entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            room -= status.st_size
            if room < 0:
                raise _oversize(root, f"has more than {MOST_BYTES // 1_000_000} MB, up to '{path}'")
            yield BundleFile(path, Path(entry.path).read_bytes(), bool(status.st_mode & stat.S_IXUSR))


def _files_for_check(root: Path) -> Iterator[BundleFile]:
    for path, entry in _entries(root):
        if entry.is_symlink():
            yield _link(path, entry)
        elif entry.is_file(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            content = b""
            if CACHES.isdisjoint(path.split("/")):
                with open(entry.path, "rb") as file:
                    content = file.read(_BEGINNING if status.st_size > _LARGE else -1)
            is_program = bool(status.st_mode & stat.S_IXUSR)
            yield BundleFile(path, content, is_program, left_out=max(0, status.st_size - len(content)))


def _entries(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield every file and folder with its path, the files of a folder before those below."""
    folders = [(str(root), "")]
    while folders:
        folder, prefix = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                path = prefix + _printable(entry.name)
                yield path, entry
                if entry.is_dir(follow_symlinks=False) and entry.name not in SKIPPED:
                    folders.append((entry.path, f"{path}/"))


def _link(path: str, entry: os.DirEntry[str]) -> BundleFile:
    return BundleFile(path, os.fsencode(os.readlink(entry.path)), symlink=True)


def _oversize(root: Path, message: str) -> ProblemsFound:
    return problem(str(root), 0, "oversize", f"{message}, more than this check reads", _REMEDY)


def _printable(name: str) -> str:
    """Escape the unprintable characters of a file name; wide and narrow spaces and joined emoji are printable."""
    if name.isascii() and name.isprintable():
        return name
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(
        letter if letter.isprintable() or _is_harmless(letter) else letter.encode("unicode_escape").decode()
        for letter in text
    )


def _is_harmless(letter: str) -> bool:
    return letter == "\N{ZERO WIDTH JOINER}" or category(letter) == "Zs"


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
