"""Read the input of a call, from standard input or a file, without ever waiting for a person."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.regular_file import UnreadableError, read_descriptor, read_regular
from ultra_runtime.words import one_line

STANDARD_INPUT = 0


def read_given(source: str | None, hint: str) -> bytes:
    """Return the bytes of the file, or of standard input when none is named; `hint` says what to do when there is none."""
    if source is not None and source != "-":
        try:
            return read_regular(source)
        except UnreadableError as problem:
            raise RefusedError(f"{one_line(source)}: {problem}", hint) from None
    try:
        if os.isatty(STANDARD_INPUT):
            raise RefusedError("no input: standard input is a terminal", hint)
        return read_descriptor(STANDARD_INPUT)
    except UnreadableError as problem:
        raise RefusedError(f"standard input: {problem}", "pass less text") from None
    except OSError as problem:
        raise RefusedError(f"standard input cannot be read: {problem.strerror}", hint) from None


def as_text(data: bytes, hint: str) -> str:
    """Return the bytes as text, without a byte order mark; refuse an empty one."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = 1 + data.count(b"\n", 0, problem.start)
        raise RefusedError(f"line {line} of the input is not UTF-8", "save it as UTF-8") from None
    if not text.strip():
        raise RefusedError("no input: standard input or the file is empty", hint)
    return text
