"""Decide which names may become paths: archives, receipts and journals are not trusted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

RECEIPT = ".ultra-receipt.json"
STATE = ".ultra-install"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PLUGIN = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,40}))?(?:\+[0-9A-Za-z.-]{1,40})?")


def plain(name: object) -> bool:
    """Say whether a name is a single, ordinary file name."""
    return isinstance(name, str) and _PLAIN.fullmatch(name) is not None


def plugin_name(name: object) -> bool:
    """Say whether a name may be a plugin's, and so a folder's."""
    return isinstance(name, str) and _PLUGIN.fullmatch(name) is not None


def refusal(path: str) -> str | None:
    """Return why a relative path must not be written, or None."""
    if not path or path.startswith("/"):
        return "is an absolute path"
    if "\\" in path:
        return "has a backslash"
    if re.match(r"[A-Za-z]:", path):
        return "starts with a drive letter"
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in path):
        return "has a control character"
    parts = path.split("/")
    if ".." in parts:
        return "leaves the folder"
    if "" in parts or "." in parts:
        return "has an empty part"
    if len(path.encode()) > 400 or any(len(part.encode()) > 200 for part in parts):
        return "is too long"
    return None


def collision(paths: Iterable[str]) -> tuple[str, str] | None:
    """Return two paths that are the same on some file systems, or a file inside a file."""
    spelled: dict[str, str] = {}
    files: dict[str, str] = {}
    for path in sorted(paths):
        folders = path.split("/")
        for depth in range(1, len(folders)):
            folder = "/".join(folders[:depth])
            if spelled.setdefault(_folded(folder), folder) != folder:
                return spelled[_folded(folder)], path
        if files.setdefault(_folded(path), path) != path:
            return files[_folded(path)], path
    both = spelled.keys() & files.keys()
    return (files[min(both)], f"{spelled[min(both)]}/") if both else None


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def version_order(version: str) -> tuple[tuple[int, ...], bool, tuple[tuple[bool, int, str], ...]] | None:
    """Return the sort key of a version, or None."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return None
    pre = match[4]
    parts = (
        tuple((not p.isdecimal(), int(p) if p.isdecimal() else 0, p) for p in pre.split(".")) if pre else ()
    )
    return tuple(int(number) for number in match.group(1, 2, 3)), pre is None, parts
