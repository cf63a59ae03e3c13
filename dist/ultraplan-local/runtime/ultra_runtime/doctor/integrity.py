"""Compare the files of the bundle with the list that was built with it."""

from __future__ import annotations

import os

from ultra_runtime.files.digest import sha256
from ultra_runtime.files.json_file import load_json
from ultra_runtime.files.regular_file import UnreadableError, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

LIST = "bundle.json"
# Files that the installer adds to the bundle.
INSTALLED = (".ultra-receipt.json", ".gitignore", ".gitattributes")


class Damage:
    """The files of a bundle that are not as they were built."""

    __slots__ = ("changed", "missing", "problem", "unexpected")

    def __init__(self) -> None:
        self.problem = ""
        self.changed: list[str] = []
        self.missing: list[str] = []
        self.unexpected: list[str] = []


def inspect(bundle: str) -> Damage:
    """Return what is changed, missing or unexpected in the bundle."""
    damage = Damage()
    try:
        files = load_json(os.path.join(bundle, LIST)).get("files")
    except UnreadableError as problem:
        damage.problem = f"{LIST}: {problem}"
        return damage
    if not (isinstance(files, dict) and files and all(isinstance(entry, dict) for entry in files.values())):
        damage.problem = f"{LIST}: it lists no files"
        return damage
    present = set(_walk(bundle))
    for path in sorted(files):
        if path not in present:
            damage.missing.append(path)
        elif not _is_as_built(os.path.join(bundle, path), files[path]):
            damage.changed.append(path)
    damage.unexpected = sorted(path for path in present - files.keys() if not _is_ours(path, files))
    return damage


def _walk(bundle: str) -> Iterator[str]:
    for folder, subfolders, names in os.walk(bundle):
        links = [name for name in subfolders if os.path.islink(os.path.join(folder, name))]
        inside = folder[len(bundle) :].strip("/")
        for name in names + links:
            yield f"{inside}/{name}" if inside else name


def _is_as_built(path: str, entry: Mapping[str, Any]) -> bool:
    try:
        executable = bool(os.lstat(path).st_mode & 0o100)
        digest = sha256(read_regular(path))
    except (OSError, UnreadableError):
        return False
    same_mode = executable == (entry.get("mode") == "755") and not os.path.islink(path)
    return same_mode and digest == entry.get("sha256")


def _is_ours(path: str, files: Mapping[str, Any]) -> bool:
    """Tell whether a file is the list itself, the installer's, or Python's cache of a listed module."""
    folder, _, name = path.rpartition("/")
    parent, _, cache = folder.rpartition("/")
    module = f"{parent}/{name.partition('.')[0]}.py"
    return (
        path == LIST or path in INSTALLED or (cache == "__pycache__" and ".pyc" in name and module in files)
    )
