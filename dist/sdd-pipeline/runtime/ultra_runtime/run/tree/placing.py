"""Write files, links and folders of a working tree as they were, and take away what was not there."""

from __future__ import annotations

import errno
import os
import stat

from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

ROOT = "."
USABLE = 0o700


class Placing:
    """Change a working tree path by path, and collect what fails: path -> reason."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.failed: dict[str, str] = {}
        self._made: list[str] = []

    def remove(self, path: str) -> None:
        """Remove a file or a link; a folder stays."""
        if is_behind_a_link(self.root, path):
            return
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
                if not is_behind_a_link(self.root, folder):
                    os.rmdir(os.path.join(self.root, folder))
            except OSError:
                continue

    def write(self, path: str, data: bytes, bits: int, node: Sequence[int] = ()) -> None:
        """Replace a file by another one, or by a link if its bits are -1; write into it if it is still that node.

        A file with several names is told by its node. Any other is replaced at once, and keeps its owner and attributes.
        """
        full = os.path.join(self.root, path)
        temporary = os.path.join(os.path.dirname(full), f".{os.urandom(6).hex()}.tmp")
        try:
            self.make_folder(os.path.dirname(path))
            if bits < 0:
                os.symlink(os.fsdecode(data), temporary)
            elif node and node_of(full) == list(node):
                os.chmod(full, bits | 0o600)
                with open(full, "r+b") as file:
                    file.write(data)
                    file.truncate()
                    os.fchmod(file.fileno(), bits)
                return
            else:
                with open(temporary, "xb") as file:
                    file.write(data)
                    _liken(file.fileno(), full)
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
        if not path:
            return
        self.make_folder(os.path.dirname(path))
        full = os.path.join(self.root, path)
        if os.path.islink(full):
            raise OSError(errno.EEXIST, f"{one_line(path)} is a symbolic link")
        if not os.path.isdir(full):
            os.mkdir(full)
            _liken(full, full)
            self._made.append(path)

    def make_folders(self, paths: Iterable[str]) -> None:
        """Make folders that are missing."""
        for path in paths:
            try:
                self.make_folder(path)
            except OSError as problem:
                self._fail(path, problem)

    def open_up(self, folders: Iterable[str]) -> dict[str, int]:
        """Let us change what is in folders, the topmost first, and return those that we could not -> their bits."""
        closed: dict[str, int] = {}
        known: dict[str, bool] = {}
        for path in sorted(folders, key=lambda one: (one != ROOT, len(one))):
            full = os.path.join(self.root, path)
            bits = -1 if is_behind_a_link(self.root, path, known) else folder_bits(full)
            if bits >= 0 and bits & USABLE != USABLE:
                closed[path] = bits
                self._set_mode(path, bits | USABLE)
        return closed

    def set_bits(self, bits: Mapping[str, int]) -> None:
        """Set the permission bits of files and folders, the deepest first."""
        known: dict[str, bool] = {}
        for path in sorted(bits, key=len, reverse=True):
            if not is_behind_a_link(self.root, path, known):
                self._set_mode(path, bits[path])

    def _set_mode(self, path: str, bits: int) -> None:
        full = os.path.join(self.root, path)
        try:
            mode = os.lstat(full).st_mode
            if not stat.S_ISLNK(mode) and stat.S_IMODE(mode) != bits:
                os.chmod(full, bits)
        except OSError as problem:
            self._fail(path, problem)

    @property
    def made(self) -> list[str]:
        """The folders that were made."""
        return self._made

    def _fail(self, path: str, problem: OSError) -> None:
        self.failed[path] = problem.strerror or str(problem)


def is_behind_a_link(root: str, path: str, known: dict[str, bool] | None = None) -> bool:
    """Tell whether a folder above a path is a link: what is there lies elsewhere. Answers about folders are `known`."""
    folder, known = os.path.dirname(path), {} if known is None else known
    if folder and folder not in known:
        known[folder] = os.path.islink(os.path.join(root, folder)) or is_behind_a_link(root, folder, known)
    return known.get(folder, False)


def folder_bits(full: str) -> int:
    """Return the permission bits of a folder; -1 if there is none."""
    try:
        mode = os.lstat(full).st_mode
    except OSError:
        return -1
    return stat.S_IMODE(mode) if stat.S_ISDIR(mode) else -1


def node_of(full: str) -> list[int]:
    """Return what identifies a file under all of its names; nothing if there is none."""
    try:
        status = os.lstat(full)
    except OSError:
        return []
    return [status.st_dev, status.st_ino]


def _liken(new: int | str, full: str) -> None:
    """Give a new file or folder the owner and the attributes of the file that it replaces, or the owner of the folder above.

    Nobody but root can give away a file; where that is not allowed, it stays ours.
    """
    like = full if os.path.isfile(full) and not os.path.islink(full) else os.path.dirname(full)
    status, mine = os.lstat(like), os.stat(new)
    if (status.st_uid, status.st_gid) != (mine.st_uid, mine.st_gid):
        _try(os.chown, new, status.st_uid, status.st_gid)
    for name in os.listxattr(like) if like == full and hasattr(os, "listxattr") else ():
        _try(os.setxattr, new, name, os.getxattr(like, name))


def _try(change: Callable[..., None], *values: object) -> None:
    try:
        change(*values)
    except OSError:
        return


def parents(paths: Iterable[str]) -> set[str]:
    """Return all folders above these paths, without the root."""
    found: set[str] = set()
    for path in paths:
        folder = os.path.dirname(path)
        while folder and folder not in found:
            found.add(folder)
            folder = os.path.dirname(folder)
    return found
