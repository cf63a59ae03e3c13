"""Compare a plugin's folder with its receipt: unchanged, changed and added files."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from ultra_plugin.install.names import RECEIPT
from ultra_plugin.install.receipt import Receipt

_BYTE_CODE = re.compile(r"(?:(.*)/)?__pycache__/([^/]+?)\.[^/]*\.pyc(?:\.\d+)?")


@dataclass(frozen=True)
class Survey:
    """The contents of a folder compared with its receipt; paths are relative."""

    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    other_mode: tuple[str, ...] = ()
    """Same content, other permission bits."""
    added: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    """Empty folders that are not ours."""

    @property
    def clean(self) -> bool:
        """Say whether all our files are as installed."""
        return not (self.changed or self.missing or self.other_mode)


def survey(folder: Path, receipt: Receipt) -> Survey:
    """Read every file once; byte code of our modules counts as ours."""
    found, empty = _walk(folder)
    ours = set(receipt.files)
    homes = {parent for path in ours for parent in _parents(path)}
    changed = [path for path in ours & found if _digest(folder / path) != receipt.files[path].sha256]
    modes = [
        path for path in ours & found if path not in changed and not _mode_is(folder / path, receipt, path)
    ]
    added = {path for path in found - ours if path != RECEIPT and not _compiled_from(path, ours)}
    strays = [path for path in empty if path not in homes and os.path.basename(path) != "__pycache__"]
    return Survey(*(tuple(sorted(paths)) for paths in (changed, ours - found, modes, added, strays)))


def left_behind(folder: Path) -> Survey:
    """Return what is in a folder without a receipt: everything is its owner's."""
    found, empty = _walk(folder)
    return Survey(added=tuple(sorted(found)), empty=tuple(sorted(empty)))


def sha256(content: bytes) -> str:
    """Return the digest of some bytes."""
    return hashlib.sha256(content).hexdigest()


def digest(path: Path) -> str | None:
    """Return the SHA-256 of a file, or None."""
    try:
        return sha256(path.read_bytes())
    except FileNotFoundError:
        return None


def _digest(path: Path) -> str | None:
    return digest(path) if stat.S_ISREG(os.lstat(path).st_mode) else None


def _mode_is(path: Path, receipt: Receipt, name: str) -> bool:
    """Compare only the mode bits that git keeps, so that a umask makes no difference."""
    return bool(os.lstat(path).st_mode & 0o100) == bool(receipt.files[name].mode & 0o100)


def _walk(folder: Path) -> tuple[set[str], list[str]]:
    found: set[str] = set()
    empty: list[str] = []
    for base, folders, names in os.walk(folder, onerror=_fail):
        links = [name for name in folders if os.path.islink(os.path.join(base, name))]
        found.update(os.path.relpath(os.path.join(base, name), folder) for name in (*names, *links))
        if not folders and not names and base != str(folder):
            empty.append(os.path.relpath(base, folder))
    return found, empty


def _fail(error: OSError) -> None:
    raise error


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _compiled_from(path: str, ours: set[str]) -> bool:
    match = _BYTE_CODE.fullmatch(path)
    return match is not None and (f"{match[1]}/" if match[1] else "") + f"{match[2]}.py" in ours
