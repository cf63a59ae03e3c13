"""Read a regular file and never wait: a FIFO, a device or a socket is refused."""

from __future__ import annotations

import os
import stat

from ultra_runtime.errors import UltraError

LARGEST = 32 * 1024 * 1024


class UnreadableError(UltraError):
    """A file that cannot be read, with the reason in words."""

    def __init__(self, reason: str, missing: bool = False) -> None:
        super().__init__(reason)
        self.missing = missing


def read_regular(path: str) -> bytes:
    """Return the bytes of a regular file up to the largest size."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        raise UnreadableError("there is no such file", missing=True) from None
    except OSError as problem:
        raise UnreadableError(f"it cannot be opened: {problem.strerror}") from None
    except ValueError:  # a NUL or half a surrogate pair
        raise UnreadableError("no file can have this name", missing=True) from None
    try:
        return _read(descriptor)
    except OSError as problem:
        raise UnreadableError(f"it cannot be read: {problem.strerror}") from None
    finally:
        os.close(descriptor)


def read_if_any(path: str) -> bytes:
    """Return the bytes of a regular file; none when it cannot be read."""
    try:
        return read_regular(path)
    except UnreadableError:
        return b""


def read_text(path: str) -> str:
    """Return the text of a regular file; an empty one when it cannot be read."""
    return read_if_any(path).decode("utf-8", "replace")


def _read(descriptor: int) -> bytes:
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise UnreadableError("it is a directory, not a file")
    if not stat.S_ISREG(mode):
        raise UnreadableError("it is not a regular file")
    return read_descriptor(descriptor)


def read_descriptor(descriptor: int) -> bytes:
    """Return what is left to read of an open file, up to the largest size."""
    pieces = []
    size = 0
    while piece := os.read(descriptor, 1024 * 1024):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST:
            raise UnreadableError(f"it is larger than {LARGEST // 1024 // 1024} MB")
    return b"".join(pieces)
