"""Write new content next to what it will replace; do not touch the current folder or file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ultra_plugin.errors import UltraError
from ultra_plugin.install.archive import PackedFile


@dataclass(frozen=True)
class FolderContent:
    """The new folder of a plugin: our files, and files carried over from the current one."""

    files: Mapping[str, PackedFile] = field(default_factory=dict)
    carried: Mapping[str, str] = field(default_factory=dict)
    """Path in the new folder -> path in the current one."""
    empty: tuple[str, ...] = ()


def stage_folder(content: FolderContent, present: Path, new: Path) -> None:
    """Fill a new folder; link the owner's files, so that they stay the same files."""
    new.mkdir()
    os.chmod(new, 0o755)
    for path, file in content.files.items():
        place = _room(new, path)
        place.write_bytes(file.content)
        os.chmod(place, file.mode)
    for path, old in content.carried.items():
        _link(present / old, _room(new, path))
    for path in content.empty:
        (new / path).mkdir(parents=True, exist_ok=True)


def stage_file(content: bytes, like: Path, new: Path) -> None:
    """Write a file with the mode and owner of another, if that exists."""
    write_anew(new, content)
    if not like.exists():
        os.chmod(new, 0o644)
        return
    shutil.copystat(like, new)
    os.utime(new)
    wanted, got = os.stat(like), os.stat(new)
    if (wanted.st_uid, wanted.st_gid) != (got.st_uid, got.st_gid):
        try:
            os.chown(new, wanted.st_uid, wanted.st_gid)
        except PermissionError:
            raise UltraError(f"{like} belongs to another user; run ultra-install as its owner") from None
        os.chmod(new, wanted.st_mode & 0o7777)  # a change of owner clears some bits


def write_anew(path: Path, content: bytes) -> None:
    """Write a new file, never through a link in its place."""
    path.unlink(missing_ok=True)
    with open(path, "xb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


def save_file(present: Path, saved: Path) -> None:
    """Keep a second name for a file, or a copy where links are not possible."""
    saved.unlink(missing_ok=True)
    try:
        os.link(present, saved)
    except OSError:
        shutil.copy2(present, saved)


def _room(root: Path, path: str) -> Path:
    place = root / path
    if not place.parent.is_dir():
        place.parent.mkdir(parents=True)
        folder = place.parent
        while folder != root:
            os.chmod(folder, 0o755)
            folder = folder.parent
    return place


def _link(old: Path, new: Path) -> None:
    try:
        os.link(old, new, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(old, new, follow_symlinks=False)
