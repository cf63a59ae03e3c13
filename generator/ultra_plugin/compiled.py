"""Compiled templates of earlier builds, kept in the user's own cache: compiling is most of a build.

The cache is not part of the output folder: somebody else's repository must not bring code that a build would run.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

_FORMAT = 1
_MARK = f"{_FORMAT} {sys.implementation.cache_tag} {sys.version} jinja2 {version('jinja2')}"


class Compiled:
    """Key of a template -> what was made from it; only what this build uses is stored again."""

    def __init__(self) -> None:
        self.old: dict[bytes, Any] = {}
        self.used: dict[bytes, Any] = {}

    def get(self, key: bytes) -> Any:
        """Return what is known about a template, or None."""
        found = self.used.get(key) or self.old.get(key)
        if found is not None:
            self.used[key] = found
        return found

    def put(self, key: bytes, value: Any) -> None:
        """Remember what was made from a template: code, texts and numbers."""
        self.used[key] = value


current = Compiled()
"""What the templates of this process use; `kept` fills it."""


def key_of(*texts: str) -> bytes:
    """Return the key of a template: everything that its code depends on."""
    return hashlib.sha256("\0".join((_MARK, *texts)).encode()).digest()


@contextmanager
def kept(root: Path) -> Iterator[None]:
    """Use and store the compiled templates of a source tree, while a build runs."""
    place = _place(root)
    current.old = _read(place) if place else {}
    current.used = {}
    try:
        yield
    finally:
        if place and current.used and current.used.keys() != current.old.keys():
            with suppress(OSError, ValueError):
                _write(place, current.used)
        current.old, current.used = {}, {}


def _place(root: Path) -> Path | None:
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(folder):
        return None
    name = hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:24]
    return Path(folder) / "ultra-plugin" / f"{name}.templates"


def _read(place: Path) -> dict[bytes, Any]:
    """Read a file of ours that nobody else can write; anything else is not a cache."""
    with suppress(OSError, ValueError, EOFError, TypeError), open(place, "rb") as file:
        status = os.fstat(file.fileno())
        if status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            mark, entries = marshal.load(file)  # noqa: S302 - written by this user alone
            if mark == _MARK and isinstance(entries, dict):
                return entries
    return {}


def _write(place: Path, entries: dict[bytes, Any]) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent)
    try:
        with open(handle, "wb") as file:
            marshal.dump((_MARK, entries), file)
        os.replace(name, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
