"""Find and read the source files of a tree."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ultra_plugin.errors import Problem, UltraError, problem

# The only allow-list: byte code, .DS_Store, swap and backup files are not sources.
SUFFIXES = (".j2", ".md", ".yaml", ".json", ".py", ".sh", ".png", ".txt")
BARE_NAMES = ("LICENSE",)
BARE_FOLDERS = ("runtime/bin",)


def is_source(path: str) -> bool:
    """Say whether a path (relative, forward slashes) names a source file."""
    folder, _, name = path.rpartition("/")
    if any(part.startswith((".", "#")) or part == "__pycache__" for part in path.split("/")):
        return False
    return name.endswith(SUFFIXES) or name in BARE_NAMES or (folder in BARE_FOLDERS and "." not in name)


class SourceTree:
    """A folder of templates, fragments, contracts and runtime."""

    renamed: Sequence[Problem] = ()
    """Old names of an upstream that still work."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise UltraError(f"{root}: no such source folder; give it with --source")
        self.root = root
        near = os.path.relpath(root)
        self._label = str(root) if near.startswith("..") else near
        self._list(path for path in self._walk("") if is_source(path))

    def _list(self, paths: Iterable[str]) -> None:
        self._paths = tuple(sorted(paths))
        self._known = frozenset(self._paths)
        self._digests: dict[str, str] = {}

    @property
    def project(self) -> Path:
        """Return the folder that holds the changelog and the packaging of the sources."""
        return self.root.parent

    @property
    def watched(self) -> list[Path]:
        """Return the files on disk that this tree is made of."""
        return [self.root / path for path in self._paths]

    def _walk(self, folder: str) -> Iterator[str]:
        with os.scandir(os.path.join(self.root, folder)) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != "__pycache__" and not entry.name.startswith("."):
                        yield from self._walk(path)
                else:
                    yield path

    def find(self, path: str) -> Path | None:
        """Return the path of a source file, or None; every lookup of the generator uses this."""
        return self.root / path if path in self._known else None

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

    def read(self, path: str) -> bytes:
        """Return the bytes of a source file."""
        place = self.find(path)
        if place is None:
            raise problem(self.shown(path), 0, "no-source", "this source file is missing", "add it")
        try:
            return place.read_bytes()
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
        prefix = f"{under}/" if under else ""
        return [path for path in self._paths if path.startswith(prefix)]

    def folders(self, under: str) -> list[str]:
        """List the names of the folders directly below a folder that hold sources, sorted."""
        start = len(under) + 1
        return sorted({path[start:].split("/", 1)[0] for path in self.files(under) if "/" in path[start:]})

    def digest(self, paths: Iterable[str] | None = None) -> str:
        """Return one SHA-256 over names and contents of some or all sources."""
        total = hashlib.sha256()
        for path in sorted(self._paths if paths is None else paths):
            if path not in self._digests:
                self._digests[path] = hashlib.sha256(self.read(path)).hexdigest()
            total.update(f"{path}\0{self._digests[path]}\0".encode())
        return total.hexdigest()
