"""Write bundles to disk: only changed files, no stale ones, and the old tree until the new one is complete."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ultra_plugin.errors import UltraError
from ultra_plugin.model import Bundle, BundleFile

_STAGED, _OLD = ".staged-", ".old-"


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs between a bundle in memory and on disk."""

    path: str
    kind: str
    """added, changed or removed"""


def changes(bundle: Bundle, folder: Path) -> list[Change]:
    """Compare a bundle with the folder on disk, byte code aside."""
    on_disk = set(files_below(folder))
    found = [Change(path, "removed") for path in on_disk - set(bundle.files)]
    for path, file in bundle.files.items():
        if path not in on_disk:
            found.append(Change(path, "added"))
        elif not _same(file, folder / path):
            found.append(Change(path, "changed"))
    return sorted(found, key=lambda change: change.path)


def write(bundles: Sequence[Bundle], out: Path) -> dict[str, list[Change]]:
    """Update the folder of every bundle, all or none; return the changes of each."""
    with _locked(out):
        _recover(out)
        found = {bundle.name: changes(bundle, out / bundle.name) for bundle in bundles}
        changed = [bundle for bundle in bundles if found[bundle.name]]
        staged = {bundle.name: Path(tempfile.mkdtemp(prefix=_STAGED, dir=out)) for bundle in changed}
        try:
            for bundle in changed:
                _stage(bundle, out / bundle.name, found[bundle.name], staged[bundle.name])
            for name, new in staged.items():
                _swap(out, name, new)
        finally:
            _recover(out)
        return found


def discard(out: Path, names: Sequence[str]) -> None:
    """Remove folders and files of the output folder, each one completely or not at all."""
    with _locked(out):
        for name in names:
            os.rename(out / name, Path(tempfile.mkdtemp(prefix=_STAGED, dir=out)) / name)
        _recover(out)


def write_file(path: Path, content: bytes) -> bool:
    """Write one file by rename; say whether it changed."""
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=_STAGED, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return True


@contextmanager
def staged_for(target: Path) -> Iterator[Path]:
    """Give a folder to fill that becomes the target, which is missing or empty.

    After an error nothing is left, not even the parent folders that were made.
    """
    made = [folder for folder in target.absolute().parents if not folder.exists()]
    try:
        staged = _new_folder(target)
        try:
            yield staged
            os.chmod(staged, 0o755)
            if target.is_dir():
                target.rmdir()
            os.rename(staged, target)
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def _new_folder(target: Path) -> Path:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=_STAGED, dir=target.parent))
    except OSError as error:
        raise UltraError(f"{target}: cannot be made: {error.strerror}; name another target") from error


def inside(root: Path, path: str) -> Path:
    """Return a relative path below a root, or refuse one that would leave it."""
    place = os.path.normpath(os.path.join(root, path))
    if os.path.isabs(path) or not place.startswith(f"{os.path.normpath(root)}{os.sep}"):
        raise UltraError(f"'{path}' would be written outside {root}; give it a name inside the bundle")
    return Path(place)


def files_below(folder: Path | str) -> Iterator[str]:
    """Yield the relative paths of a tree's files and symlinks, without byte code."""
    start = len(os.path.join(folder, ""))
    for base, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        links = [name for name in folders if os.path.islink(os.path.join(base, name))]
        for name in (*names, *links):
            yield os.path.join(base, name)[start:].replace(os.sep, "/")


def _same(file: BundleFile, place: Path) -> bool:
    if place.is_symlink() or file.symlink:
        return place.is_symlink() and file.symlink and os.fsencode(os.readlink(place)) == file.content
    status = os.lstat(place)
    if status.st_size != len(file.content) or status.st_mode & 0o777 != file.mode:
        return False
    return place.read_bytes() == file.content


def _stage(bundle: Bundle, current: Path, found: Sequence[Change], new: Path) -> None:
    """Fill a new folder; link unchanged files instead of copying them."""
    changed = {change.path for change in found}
    os.chmod(new, 0o755)
    made = {str(new)}
    for path, file in bundle.files.items():
        place = inside(new, path)
        if (parent := os.path.dirname(place)) not in made:
            _make_folders(parent, made)
        if file.symlink:
            os.symlink(file.content, os.fsencode(place))
            continue
        if path not in changed and _link(current / path, place):
            continue
        with open(place, "wb") as handle:
            handle.write(file.content)
        os.chmod(place, file.mode)


def _make_folders(folder: str, made: set[str]) -> None:
    os.makedirs(folder, exist_ok=True)
    while folder not in made:  # whatever the umask, others may read what we ship
        os.chmod(folder, 0o755)
        made.add(folder)
        folder = os.path.dirname(folder)


def _link(old: Path, new: Path) -> bool:
    try:
        os.link(old, new)
    except OSError:
        return False
    return True


def _swap(out: Path, name: str, new: Path) -> None:
    current, old = out / name, out / f"{_OLD}{name}"
    if current.exists():
        os.rename(current, old)
    os.rename(new, current)


def _recover(out: Path) -> None:
    """Clean up after an interrupted build: restore an old tree that was not replaced."""
    for entry in sorted(os.listdir(out)):
        if entry.startswith(_OLD) and not (out / entry.removeprefix(_OLD)).exists():
            os.rename(out / entry, out / entry.removeprefix(_OLD))
        elif entry.startswith((_OLD, _STAGED)):
            shutil.rmtree(out / entry) if (out / entry).is_dir() else os.unlink(out / entry)


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Let one build at a time write to a folder; a second one waits."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
