"""Write a file of the runtime's own by a rename, without waiting for the disk."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.words import one_line


def make_folder(path: str) -> None:
    """Create a folder if needed, or refuse."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as problem:
        error = f"{one_line(path)} cannot be created: {problem.strerror}"
        raise RefusedError(error, "make it a writable folder; nothing was changed") from None


def put(path: str, data: bytes, mode: int = 0o666) -> None:
    """Replace a file by a rename, which a killed process cannot leave half done."""
    temporary = f"{path}.{os.getpid()}"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with open(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as problem:
        if os.path.exists(temporary):
            os.unlink(temporary)
        error = f"{one_line(path)} cannot be written: {problem.strerror}"
        raise RefusedError(error, "fix this and retry") from None
