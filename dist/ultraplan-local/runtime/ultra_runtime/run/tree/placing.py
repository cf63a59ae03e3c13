"""Write files, links and folders of a working tree as they were, and take away what was not there."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Placing:
    """Change a working tree path by path, and collect what fails: path -> reason."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.failed: dict[str, str] = {}
        self._made: list[str] = []

    def remove(self, path: str) -> None:
        """Remove a file or a link; a folder stays."""
        try:
            os.unlink(os.path.join(self.root, path))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return
        except OSError as problem:
            self._fail(path, problem)

    def prune(self, folders: Iterable[str]) -> None:
        """Remove those of the folders that are empty, the deepest first."""
        for folder in sorted(folders, key=len, reverse=True):
            try:
                os.rmdir(os.path.join(self.root, folder))
            except OSError:
                continue

    def write(self, path: str, data: bytes, bits: int) -> None:
        """Replace a file by another one, or by a link if its bits are -1."""
        full = os.path.join(self.root, path)
        temporary = os.path.join(os.path.dirname(full), f".{os.urandom(6).hex()}.tmp")
        try:
            self.make_folder(os.path.dirname(path))
            if bits < 0:
                os.symlink(os.fsdecode(data), temporary)
            else:
                with open(temporary, "xb") as file:
                    file.write(data)
                    os.fchmod(file.fileno(), bits)
            os.replace(temporary, full)
        except OSError as problem:
            self._fail(path, problem)
            if os.path.lexists(temporary):
                os.unlink(temporary)

    def make_node(self, path: str, mode: int, device: int) -> None:
        """Make a FIFO, a socket or, where we may, a device."""
        full = os.path.join(self.root, path)
        try:
            self.make_folder(os.path.dirname(path))
            if stat.S_ISFIFO(mode):
                os.mkfifo(full)
            else:
                os.mknod(full, stat.S_IFMT(mode) | 0o600, device)
            os.chmod(full, stat.S_IMODE(mode))
        except OSError as problem:
            self._fail(path, problem)

    def make_folder(self, path: str) -> None:
        """Make a folder with its parents; a link is not one."""
        full = os.path.join(self.root, path)
        if not path or (os.path.isdir(full) and not os.path.islink(full)):
            return
        self.make_folder(os.path.dirname(path))
        os.mkdir(full)
        self._made.append(path)

    def make_folders(self, paths: Iterable[str]) -> None:
        """Make folders that are missing."""
        for path in paths:
            try:
                self.make_folder(path)
            except OSError as problem:
                self._fail(path, problem)

    def set_bits(self, bits: Mapping[str, int], also: int = 0) -> None:
        """Set the permission bits of files and folders, the deepest first."""
        for path in sorted(bits, key=len, reverse=True):
            full = os.path.join(self.root, path)
            try:
                mode = os.lstat(full).st_mode
                if not stat.S_ISLNK(mode) and stat.S_IMODE(mode) != bits[path] | also:
                    os.chmod(full, bits[path] | also)
            except OSError as problem:
                self._fail(path, problem)

    @property
    def made(self) -> list[str]:
        """The folders that were made."""
        return self._made

    def _fail(self, path: str, problem: OSError) -> None:
        self.failed[path] = problem.strerror or str(problem)


def parents(paths: Iterable[str]) -> set[str]:
    """Return all folders above these paths, without the root."""
    found: set[str] = set()
    for path in paths:
        folder = os.path.dirname(path)
        while folder and folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    return found
