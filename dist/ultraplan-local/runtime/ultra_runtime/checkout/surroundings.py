"""What a working copy takes from around its commit: settings, git's conversions, included files, dependencies.

A run is pinned to them at its start, so that a later change is named instead of trusted.
"""

from __future__ import annotations

import os

from ultra_runtime.checkout.carried import INCLUDE, include_lines, included_files
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.regular_file import read_if_any
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.files.git import Git

CONVERSIONS = r"^(filter\..*|lfs\..*|core\.(autocrlf|eol|symlinks|attributesfile))$"
ATTRIBUTES_FILE = "core.attributesfile"
READING, CARRIED = "reading", "carried"
CACHES = frozenset(("__pycache__", ".cache", ".vite", ".vite-temp", ".pytest_cache", ".turbo"))
MOST_ENTRIES, MOST_FOLDERS, DEEPEST = 5_000, 2_000, 3
READ_DEPTH, LARGEST_READ = 2, 256 * 1024


class Surroundings(Struct):
    """What a run is pinned to beside its plan and its start."""

    given: Mapping[str, Any]
    """The settings as the project's file has them."""
    settings: Mapping[str, Any]
    """The settings that the run uses."""
    include: str
    """The lines of `.worktreeinclude`, one character per byte."""
    reading: dict[str, str]
    """Settings and files of git that change bytes on their way into or out of the tree -> digest."""
    carried: dict[str, str]
    """Dependency folders and included files -> digest."""

    def as_data(self) -> dict[str, Any]:
        return dict(self.__dict__)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Surroundings:
        """Read what `as_data` wrote."""
        return cls(data["given"], data["settings"], data["include"], data[READING], data[CARRIED])


def look_around(git: Git, given: Mapping[str, Any], settings: Settings) -> Surroundings:
    """Return the surroundings as they are now."""
    include = include_lines(git, "HEAD").decode("latin-1")
    return Surroundings(given, settings.given, include, conversions(git), carried(git, include, settings))


def changed_names(was: Surroundings, now: Surroundings) -> list[str]:
    """Return what differs between two looks, settings of the project first."""
    names = [f"`{name}`" for name in {**was.given, **now.given} if was.given.get(name) != now.given.get(name)]
    names += [INCLUDE] if was.include != now.include else []
    return [*names, *_differing(was.reading, now.reading), *_differing(was.carried, now.carried)]


def differences(git: Git, pinned: Surroundings, settings: Settings) -> list[list[str]]:
    """Return what a working copy would get otherwise than at the start: pairs of kind and name."""
    now = {READING: conversions(git), CARRIED: carried(git, pinned.include, settings)}
    was = {READING: pinned.reading, CARRIED: pinned.carried}
    return [[kind, name] for kind in now for name in _differing(was[kind], now[kind])]


def _differing(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(name for name in {*was, *now} if was.get(name) != now.get(name))


def conversions(git: Git) -> dict[str, str]:
    """Return what changes bytes between the tree and the commits, each with a digest of its value."""
    said = _text(git.done("config", "-z", "--get-regexp", CONVERSIONS).out)
    found: dict[str, str] = {}
    values = {}
    for row in said.split("\0")[:-1]:
        name, _, value = row.partition("\n")
        found[name] = _digest(found.get(name, "") + value)
        values[name] = value
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    usual = os.path.join(home, "git", "attributes")
    for path in (values.get(ATTRIBUTES_FILE) or usual, os.path.join(git.common, "info", "attributes")):
        text = read_if_any(os.path.join(git.root, os.path.expanduser(path)))
        if text:
            found[_text(os.fsencode(path))] = sha256(text)[:16]
    return found


def carried(git: Git, include: str, settings: Settings) -> dict[str, str]:
    """Return the dependency folders and the included files, each with a digest of what is cheap to see."""
    folders = _dependency_folders(git.root, settings.dependencies)
    found = {path: _folder_digest(os.path.join(git.root, path)) for path in folders}
    for path in included_files(git, include.encode("latin-1"))[:MOST_ENTRIES]:
        found[path] = _file_digest(os.path.join(git.root, path), read=True)
    return {_text(os.fsencode(path)): digest for path, digest in found.items()}


def _dependency_folders(root: str, names: Collection[str]) -> list[str]:
    """Return the folders with these names, down to a few levels: a longer search would slow down every start."""
    found, queue = [], [""] if names else []
    for folder in queue:
        for name in _subfolders(os.path.join(root, folder)):
            path = os.path.join(folder, name)
            if name in names:
                found.append(path)
            elif name[0] != "." and path.count(os.sep) < DEEPEST and len(queue) < MOST_FOLDERS:
                queue.append(path)
    return found


def _subfolders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return sorted([entry.name for entry in found if entry.is_dir(follow_symlinks=False)])
    except OSError:  # removed meanwhile, or somebody else's
        return []


def _folder_digest(top: str) -> str:
    """Return a digest of names, sizes and links, and of the content of small files in the top two levels.

    A reinstallation of the same versions does not change it. It does not see an edit deeper down that keeps the size,
    nor anything beyond the first few thousand entries, those near the top first.
    """
    rows: list[str] = []
    queue = [""]
    for folder in queue:
        for entry in _entries(top + folder):
            path = f"{folder}/{entry.name}"
            if entry.name in CACHES:
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder:
                queue.append(path)
            mark = "" if is_folder else _file_digest(entry.path, read=path.count("/") <= READ_DEPTH)
            rows.append(f"{path} {mark}")
        if len(rows) >= MOST_ENTRIES:
            break
    return _digest("\0".join(rows))


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            yield from sorted(found, key=lambda entry: entry.name)
    except OSError:  # removed meanwhile, or somebody else's
        return


def _file_digest(path: str, read: bool) -> str:
    try:
        if os.path.islink(path):
            return os.readlink(path)
        size = os.lstat(path).st_size
    except OSError:
        return ""
    return _digest(os.fsdecode(read_if_any(path))) if read and size <= LARGEST_READ else str(size)


def _text(data: bytes) -> str:
    """Return bytes as text that JSON can have."""
    return data.decode("utf-8", "replace")


def _digest(text: str) -> str:
    return sha256(os.fsencode(text))[:16]
