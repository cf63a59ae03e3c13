"""Find and read the source files of a tree."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path

from ultra_plugin.errors import Problem, UltraError, problem

PLUGINS = "plugins"
# The only allow-list, for everything outside the folders of plugins.
SUFFIXES = (".j2", ".md", ".yaml", ".json", ".py", ".sh", ".png", ".txt")
BARE_NAMES = ("LICENSE",)
BARE_FOLDERS = ("runtime/bin",)
# What systems, editors, version control and Python leave in a plugin's folder; everything else there ships.
LEFT_BEHIND_FOLDERS = frozenset({"__pycache__", ".git"})
LEFT_BEHIND = frozenset({".git", ".DS_Store", "Thumbs.db", "desktop.ini"})
LEFT_BEHIND_ENDS = (".pyc", ".pyo", ".swp", ".swo", "~")
LEFT_BEHIND_STARTS = ("._", ".#", "#")
SPECIAL = "is neither a file, a folder nor a link; remove it"
PACKAGED = Path(__file__).parent / "plugin_src"
Seen = tuple[list[int], str]
"""The status of a file when it was read, and the digest of what was read."""
_TELLING = attrgetter("st_dev", "st_ino", "st_mode", "st_size", "st_mtime_ns", "st_ctime_ns")
_SETTLED, _SETTLED_COARSE = 100_000_000, 2_000_000_000
"""Nanoseconds after which a change of a file must show in its status; more where times are whole seconds."""


def is_source(path: str) -> bool:
    """Say whether a path (relative, forward slashes) names a source file."""
    if is_in_plugin(path):
        *folders, name = path.split("/")
        return not LEFT_BEHIND_FOLDERS & {*folders, name} and not is_left_behind(name)
    folder, _, name = path.rpartition("/")
    if any(part.startswith((".", "#")) or part == "__pycache__" for part in path.split("/")):
        return False
    return name.endswith(SUFFIXES) or name in BARE_NAMES or (folder in BARE_FOLDERS and "." not in name)


def is_in_plugin(path: str) -> bool:
    """Say whether a path is inside the folder of a plugin."""
    return path.startswith(f"{PLUGINS}/") and path.count("/") > 1


def is_left_behind(name: str) -> bool:
    """Say whether a file of this name is a leftover of a tool rather than part of a plugin."""
    return name in LEFT_BEHIND or name.endswith(LEFT_BEHIND_ENDS) or name.startswith(LEFT_BEHIND_STARTS)


def _below(paths: Sequence[str], folder: str) -> Sequence[str]:
    """Return those of some sorted paths that are below a folder."""
    return paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}0")]


def packaged_source() -> Path:
    """Return the source tree of this project: the packaged one, or that of the checkout."""
    return PACKAGED if PACKAGED.is_dir() else Path(__file__).parents[2] / "plugin_src"


class SourceTree:
    """A folder of templates, fragments, contracts and runtime."""

    renamed: Sequence[Problem] = ()
    """Old names of an upstream that still work."""
    left_behind: Sequence[str] = ()
    """Files and folders in the folders of plugins that ship only if a plugin asks for them."""
    beside: Sequence[str] = ()
    """Files beside a fork's plugin that have the names of files of a plugin, as the user would type them."""
    _aside: frozenset[str] = frozenset()

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise UltraError(f"{root}: no such source folder; give it with --source")
        self.root = root
        near = os.path.relpath(root)
        self._label = str(root) if near.startswith("..") else near
        self._links: set[str] = set()
        found = [*self._walk("")]
        self._list(path for path in found if is_source(path))
        self.left_behind = tuple(
            sorted(path for path in found if path not in self._known and is_in_plugin(path))
        )
        self._aside = frozenset(
            path for path in self.left_behind if path.rpartition("/")[2] not in LEFT_BEHIND_FOLDERS
        )

    def _list(self, paths: Iterable[str]) -> None:
        self._paths = sorted(paths)
        self._known = frozenset(self._paths)
        self._digests: dict[str, str] = {}
        self.seen: dict[str, Seen] = {}
        """What an earlier build saw, until `digest` replaces it by what this one sees."""
        self._contents: dict[str, bytes] = {}

    @property
    def project(self) -> Path:
        """Return the folder that holds the changelog and the packaging of the sources."""
        return self.root.parent

    @property
    def watched(self) -> list[Path]:
        """Return the files on disk that this tree is made of."""
        return [self.root / path for path in self._paths]

    def _walk(self, folder: str) -> Iterator[str]:
        """Yield every file, and every folder that is left behind in a plugin."""
        in_plugin = is_in_plugin(f"{folder}/")
        with os.scandir(os.path.join(self.root, folder)) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if in_plugin and entry.is_symlink():
                    self._links.add(path)
                elif in_plugin and not entry.is_dir() and not entry.is_file():
                    raise UltraError(f"{self.shown(path)}: {SPECIAL}")
                if not entry.is_dir(follow_symlinks=False) or (
                    in_plugin and entry.name in LEFT_BEHIND_FOLDERS
                ):
                    yield path
                elif in_plugin or (entry.name != "__pycache__" and not entry.name.startswith(".")):
                    yield from self._walk(path)

    def find(self, path: str) -> Path | None:
        """Return the path of a source file, or None; every lookup of the generator uses this."""
        return self.root / path if path in self._known or path in self._aside else None

    def shown(self, path: str) -> str:
        """Return a source path as the user would type it."""
        return path if self._label == "." else f"{self._label}/{path}"

    def problem(self, path: str, line: int, code: str, message: str, remedy: str) -> Problem:
        """Return a problem of a source file."""
        return Problem(self.shown(path), line, code, message, remedy)

    def placed(self, problem: Problem) -> Problem:
        """Return a problem at the file and line that the user can edit."""
        return problem

    def owns(self, path: str) -> bool:
        """Say whether a source can be removed here when nothing uses it; a fork's upstream is not the fork's."""
        return path in self._known

    def templates(self) -> list[str]:
        """List the names that a template may include or extend."""
        return [path for path in self._paths if path.endswith(".j2")]

    def is_link(self, path: str) -> bool:
        """Say whether a file of a plugin is a symlink."""
        return path in self._links

    def is_executable(self, path: str) -> bool:
        """Say whether the owner of a source file may run it."""
        return bool(os.lstat(f"{self.root}/{path}").st_mode & stat.S_IXUSR)

    def _mark(self, path: str) -> str:
        """Return what ships with a file of a plugin beside its bytes."""
        if not is_in_plugin(path):
            return ""
        return " link" if self.is_link(path) else " program" if self.is_executable(path) else ""

    def read(self, path: str) -> bytes:
        """Return the bytes of a source file; of a plugin's symlink, the path that it points to."""
        if path not in self._contents:
            self._contents[path] = self._read(path)
        return self._contents[path]

    def _read(self, path: str) -> bytes:
        place = self.find(path)
        if place is None:
            raise problem(self.shown(path), 0, "no-source", "this source file is missing", "add it")
        try:
            return os.fsencode(os.readlink(place)) if self.is_link(path) else place.read_bytes()
        except OSError as error:
            raise UltraError(f"{self.shown(path)}: cannot be read: {error.strerror}") from error

    def text(self, path: str) -> str:
        """Return a source file as text."""
        try:
            return self.read(path).decode("utf-8")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            message = f"is not UTF-8 text (byte {error.start})"
            raise problem(self.shown(path), line, "not-utf8", message, "save it as UTF-8") from None

    def files(self, under: str = "") -> list[str]:
        """List the source files below a folder, sorted."""
        return list(_below(self._paths, under)) if under else list(self._paths)

    def left(self, under: str) -> Sequence[str]:
        """List what is left behind below a plugin's folder, sorted."""
        return _below(self.left_behind, under)

    def aside(self, under: str) -> list[str]:
        """List the files below a plugin's folder that ship only if the plugin asks for them, sorted."""
        return [path for path in self.left(under) if path in self._aside]

    def folders(self, under: str) -> list[str]:
        """List the names of the folders directly below a folder that hold sources, sorted."""
        start = len(under) + 1
        return sorted({path[start:].split("/", 1)[0] for path in self.files(under) if "/" in path[start:]})

    def digest(self, paths: Iterable[str] | None = None) -> str:
        """Return one SHA-256 over names and contents of some or all sources."""
        total = hashlib.sha256()
        for path in sorted((*self._paths, *self._aside) if paths is None else paths):
            if path not in self._digests:
                self._digests[path] = self._digest(path)
            total.update(f"{path}\0{self._digests[path]}\0".encode())
        return total.hexdigest()

    def _digest(self, path: str) -> str:
        """Return the digest of one source; a file with the status that it had before is not read again."""
        now, status = time.time_ns(), [] if path in self._contents else self._status(path)
        if status and (known := self.seen.get(path)) and known[0] == status:
            return known[1]
        self.seen.pop(path, None)
        digest = hashlib.sha256(self.read(path)).hexdigest() + self._mark(path)
        if status and _is_settled(status[-1], now):
            self.seen[path] = status, digest
        return digest

    def _status(self, path: str) -> list[int]:
        """Return what of a file's status differs after a change; nothing if it is no file on disk."""
        try:
            found = os.stat(f"{self.root}/{path}", follow_symlinks=not self.is_link(path))
        except OSError:
            return []
        return [*_TELLING(found)]


def _is_settled(changed: int, now: int) -> bool:
    """Say whether a file changed long enough ago that a change from now on gets another time."""
    return changed < now - (_SETTLED if changed % 1_000_000_000 else _SETTLED_COARSE)
