"""Replace files as a whole: a reader sees the old bytes or the new ones, even if the writer is killed.

All work is done in the folder as it was opened, so that nobody can put another one in its place.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from ultra_runtime.errors import UltraError
from ultra_runtime.typed import Collection, TracebackType
from ultra_runtime.words import one_line

PREVIOUS = ".prev"
LEFTOVER_SECONDS = 3600
LONGEST_WAIT_SECONDS = 30.0
# Filesystems that cannot flush a folder, or cannot link, report one of these.
UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


class WriteError(UltraError):
    """Why a file was not written; the old file is unchanged."""


class Folder:
    """An open folder, whose files are written, moved and removed by name."""

    def __init__(self, path: str) -> None:
        try:
            self.descriptor = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:
            raise WriteError(f"the folder {one_line(path)} does not exist") from None
        except (OSError, ValueError) as problem:
            raise WriteError(f"the folder {one_line(path)} cannot be opened: {_reason(problem)}") from None

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)

    def lock(self, seconds: float = LONGEST_WAIT_SECONDS) -> None:
        """Wait until no other process has locked this folder; the kernel unlocks it when the process ends."""
        import fcntl

        end = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise WriteError("another call has been writing here for too long") from None
                time.sleep(0.01)
            except OSError:  # a filesystem without locks: renaming is still atomic
                return
            else:
                return

    def look(self, name: str) -> os.stat_result | None:
        """Return the status of the file of that name, which must be replaceable; nothing when there is none."""
        try:
            found = os.lstat(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise WriteError(f"{one_line(name)} is {_kind(found.st_mode)}, not a regular file")
        if not found.st_mode & 0o222:
            raise WriteError(f"{one_line(name)} is read-only")
        return found

    def write(self, name: str, data: bytes) -> None:
        """Replace a file, which keeps its mode; the old one stays next to it until the new one is in place."""
        try:
            old = self.look(name)
            self._remove_leftovers(name)
            temporary = self._write_beside(name, data, old)
            try:
                if old:
                    self._keep(name, old)
                os.replace(temporary, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
                self.flush()
            finally:
                self._drop(temporary)
                if old:
                    self._drop(name + PREVIOUS)
        except (OSError, ValueError) as problem:
            raise WriteError(f"{one_line(name)} cannot be written: {_reason(problem)}") from None

    def keep_earlier(self, name: str, data: bytes) -> str:
        """Keep a file that other bytes will replace under a second, numbered name, and return that; it stays."""
        try:
            old = self.look(name)
            if old is None:
                return ""
            earlier = self._read(name)
            if earlier == data:
                return ""
            kept = free_name(name, os.listdir(self.descriptor))
            temporary = self._write_beside(kept, earlier, old)
            os.replace(temporary, kept, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
            self.flush()
        except (OSError, ValueError) as problem:
            raise WriteError(f"{one_line(name)} cannot be kept: {_reason(problem)}") from None
        return kept

    def move(self, name: str, target: str) -> None:
        """Rename a file in this folder; an existing file of the new name is replaced."""
        try:
            self.look(target)
            if self.look(name) is None:
                raise WriteError(f"there is no {one_line(name)}")
            os.replace(name, target, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
            self.flush()
        except (OSError, ValueError) as problem:
            raise WriteError(f"{one_line(name)} cannot be moved: {_reason(problem)}") from None

    def remove(self, name: str) -> None:
        """Remove a file if it is there."""
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except FileNotFoundError:
            pass
        except OSError as problem:
            raise WriteError(f"{one_line(name)} cannot be removed: {_reason(problem)}") from None

    def flush(self) -> None:
        """Flush the folder's list of names to the disk."""
        try:
            os.fsync(self.descriptor)
        except OSError as problem:
            if problem.errno not in UNSUPPORTED:
                raise

    def _read(self, name: str) -> bytes:
        with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=self.descriptor), "rb") as file:
            return file.read()

    def _write_beside(self, name: str, data: bytes, old: os.stat_result | None) -> str:
        temporary = _temporary(name)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(temporary, flags, 0o600 if old else 0o666, dir_fd=self.descriptor)
        try:
            try:
                _write_all(descriptor, data)
                if old:
                    _take_after(descriptor, old)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except BaseException:
            self._drop(temporary)
            raise
        return temporary

    def _keep(self, name: str, old: os.stat_result) -> None:
        """Keep the old file under a second name."""
        kept = name + PREVIOUS
        self.look(kept)
        temporary = _temporary(kept)
        try:
            os.link(
                name, temporary,
                src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor, follow_symlinks=False,
            )  # fmt: skip
        except OSError:
            temporary = self._write_beside(kept, self._read(name), old)
        try:
            os.replace(temporary, kept, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        finally:
            # After a killed writer both may be names of one file; then os.replace does nothing and reports success.
            self._drop(temporary)

    def _drop(self, name: str) -> None:
        """Remove a file that is only in the way, if that is possible."""
        try:
            os.unlink(name, dir_fd=self.descriptor)
        except OSError:
            return

    def _remove_leftovers(self, name: str) -> None:
        """Remove temporary files of killed writers of this file."""
        oldest = time.time() - LEFTOVER_SECONDS
        for entry in os.listdir(self.descriptor):
            if entry.startswith(f".{name}.") and entry.endswith(".tmp"):
                try:
                    is_old = os.lstat(entry, dir_fd=self.descriptor).st_mtime < oldest
                except FileNotFoundError:
                    continue
                if is_old:
                    self._drop(entry)


def locked(path: str) -> Folder:
    """Return an open folder that no other process has locked, nor can until this one ends or closes it."""
    folder = Folder(path)
    folder.lock()
    return folder


def write_file(path: str, data: bytes) -> None:
    """Replace one file; folders are not created."""
    parent, name = os.path.split(path)
    with Folder(parent) as folder:
        folder.write(name, data)


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name, or one with a number if it is taken: report.md, report.2.md, report.3.md."""
    stem, ending = os.path.splitext(name)
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{stem}.{number}{ending}"
    return free


def _temporary(name: str) -> str:
    return f".{name}.{os.urandom(6).hex()}.tmp"


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _take_after(descriptor: int, old: os.stat_result) -> None:
    """Give a file the owner and mode of another one, as far as we are allowed to."""
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except OSError:
        return


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISLNK, "a symbolic link"), (stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a FIFO"))
    return next((words for is_kind, words in kinds if is_kind(mode)), "a device or socket")


def _reason(problem: Exception) -> str:
    return str(getattr(problem, "strerror", None) or problem)
