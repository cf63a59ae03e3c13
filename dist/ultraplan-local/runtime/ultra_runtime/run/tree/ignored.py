"""Notice changes of files that git ignores: no snapshot has them, but a command of the plan may read them.

At the first look git names them, as part of the first snapshot. Later looks only ask for times: of each folder, which
change when a file comes or goes, and of each ignored file. Folders of dependencies and caches are not entered, and the walk is bounded.
"""

from __future__ import annotations

import os
import time

from ultra_runtime.files.seal import seal_of
from ultra_runtime.files.subfolders import Subfolders
from ultra_runtime.run.tree.workspace import make_folder, put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.tree.snapshot import Snapshots
    from ultra_runtime.run.tree.workspace import Workspace

NAME, GIT = "ignored", ".git"
NOT_ENTERED = frozenset((
    GIT, "node_modules", ".venv", "venv", ".tox", ".nox", "__pycache__", ".mypy_cache", ".pytest_cache",
    ".ruff_cache", ".gradle", ".next", ".turbo", ".cache", "target",
))  # fmt: skip
MOST_WALKED = 300_000
MOST_WATCHED = 10_000
MOST_SAVED, MOST_BYTES = 200, 4 * 1024 * 1024
RECENT = 50_000_000
"""Nanoseconds: the time of a folder this young may not change when another file is added."""


class Ignored:
    """What was known about the ignored files of a tree at the last look."""

    def __init__(self, workspace: Workspace, place: RunPlace, snapshots: Snapshots) -> None:
        self.git = workspace.git
        self.snapshots = snapshots
        self.root = workspace.root
        self.path = workspace.path(place.slug, NAME)
        self.own = tuple(place.own_files())
        self.is_first = False
        """Whether the last look had no record of an earlier one."""

    def look(self) -> list[str]:
        """Return the ignored files that changed, came or went since the last look; none at the first."""
        known = self._read()
        self.is_first = known is None
        changed, queue = [], []
        folders: dict[str, str] = {}
        files: dict[str, str] = {}
        found: list[str] = []
        if known is None:
            seen = self.snapshots.first_look()
            hidden = [path for path in seen.ignored if NOT_ENTERED.isdisjoint(path.split("/"))]
            hidden = [path for path in hidden if not path.startswith(self.own)]
            queue = [path[:-1] for path in hidden if path.endswith("/")]
            found = [path for path in hidden if not path.endswith("/")]
            folders = self._folders(set(queue), seen.began)
        for kind, was, path in known or ():
            if kind == "d":
                folders[path] = was
                if not was or _time_at(os.path.join(self.root, path)) != was:
                    queue.append(path)
                continue
            now = _mark(os.path.join(self.root, path))
            if now:
                files[path] = now
            if now != was:
                changed.append(path)
        found += self._ignored(path for path in self._walk(queue, folders) if path not in files)
        for path in found:
            if len(files) >= MOST_WATCHED:
                break
            mark = _mark(os.path.join(self.root, path))
            if mark:  # or it has gone meanwhile
                files[path] = mark
            changed.append(path)
        self._write(folders, files)
        return sorted(set(changed)) if known is not None else []

    def near(self, paths: Iterable[str]) -> list[str]:
        """Return the ignored files, as the last look saw them, at the root or below the top folder of one of these paths.

        Whoever removes or moves that folder, or cleans up at the root, takes them along. Only so many small files are
        returned, those in the folders first.
        """
        tops = tuple({path.partition("/")[0] + "/" for path in paths if "/" in path})
        files = [(path, mark) for kind, mark, path in self._read() or () if kind == "f"]
        below = [one for one in files if tops and one[0].startswith(tops)]
        found: list[str] = []
        total = 0
        for path, mark in [*below, *(one for one in files if "/" not in one[0])]:
            size = int(mark.split(".")[1])
            if total + size <= MOST_BYTES and len(found) < MOST_SAVED:
                total += size
                found.append(path)
        return found

    def files(self) -> set[str]:
        """Return the ignored files that the last look saw, also those that a rule has ignored only until then."""
        return {path for kind, _, path in self._read() or () if kind == "f"}

    def _folders(self, ignored: set[str], began: int) -> dict[str, str]:
        """Return all folders but the ignored ones, with their times; a look at the tree has begun before."""
        found: dict[str, str] = {}
        below, queue = Subfolders(self.root), [""]
        while queue and len(found) < MOST_WALKED:
            folder = queue.pop()
            full = os.path.join(self.root, folder)
            try:
                status = os.lstat(full)
                names = below.of(full, status)
            except OSError:
                continue
            found[folder] = _time(status, began)
            if not folder or not (names and os.path.lexists(os.path.join(full, GIT))):
                inside = [os.path.join(folder, name) for name in names]
                queue += [path for path in inside if path not in ignored and self._enters(path)]
        return found

    def _walk(self, queue: list[str], folders: dict[str, str]) -> list[str]:
        """Return the files in these folders and in all new folders below them."""
        found: list[str] = []
        while queue and len(found) < MOST_WALKED:
            folder = queue.pop()
            full = os.path.join(self.root, folder)
            folders[folder] = _time_at(full)
            above = f"{folder}/" if folder else ""
            files, inside = [], []
            try:
                with os.scandir(full) as entries:
                    for entry in entries:
                        path = above + entry.name
                        if entry.is_dir(follow_symlinks=False):
                            inside.append(path)
                        elif not path.startswith(self.own):
                            files.append(path)
            except OSError:
                del folders[folder]
                continue
            if folder and (f"{above}{GIT}" in inside or f"{above}{GIT}" in files):
                continue  # a repository of its own
            found += [path for path in files if path[len(above) :] not in NOT_ENTERED]
            queue += [path for path in inside if self._enters(path) and path not in folders]
        return found

    def _enters(self, path: str) -> bool:
        return path.rpartition("/")[2] not in NOT_ENTERED and not path.startswith(self.own)

    def _ignored(self, paths: Iterable[str]) -> list[str]:
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        if not given:
            return []
        said = self.git.done("check-ignore", "--no-index", "-z", "--stdin", given=given).out
        return [os.fsdecode(path) for path in said.split(b"\0")[:-1]]

    def _read(self) -> list[tuple[str, str, str]] | None:
        try:
            with open(self.path, "rb") as file:
                seal, _, data = file.read().partition(b"\0")
        except OSError:
            return None
        if seal != self._seal(data):
            return None
        known = []
        for row in data.split(b"\0")[:-1]:
            kind, was, path = os.fsdecode(row).split(" ", 2)
            known.append((kind, was, path))
        return known

    def _write(self, folders: dict[str, str], files: dict[str, str]) -> None:
        rows = [f"d {was} {path}" for path, was in folders.items()]
        rows += [f"f {was} {path}" for path, was in files.items()]
        make_folder(os.path.dirname(self.path))
        data = os.fsencode("".join(f"{row}\0" for row in rows))
        put(self.path, self._seal(data) + b"\0" + data)

    def _seal(self, data: bytes) -> bytes:
        return seal_of(self.git.common, data).encode()


def _time_at(path: str) -> str:
    try:
        return _time(os.lstat(path))
    except OSError:
        return ""


def _time(found: os.stat_result, began: int = 0) -> str:
    """Return the times of a folder; nothing if it changed since a look began, or is so young that it can change unnoticed."""
    now = time.time_ns()
    # Anybody can put back the time of a folder, but not the time of that.
    recent = (began or now) - RECENT <= max(found.st_mtime_ns, found.st_ctime_ns) <= now + RECENT
    return "" if recent else f"{found.st_mtime_ns}.{found.st_ctime_ns}"


def _mark(path: str) -> str:
    try:
        found = os.lstat(path)
    except OSError:
        return ""
    return f"{found.st_mode}.{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}"
