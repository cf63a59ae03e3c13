"""Read a JSON file: one object, or one error with the reason."""

from __future__ import annotations

from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.text.jsontext import JsonError, read_object
from ultra_runtime.typed import Any


class NotJsonError(UnreadableError):
    """A file that exists but is not a JSON object."""


def load_json(path: str) -> dict[str, Any]:
    """Return the object in a file, or raise the reason; its strings may be names of files."""
    try:
        return read_object(read_regular(path), names=True).values
    except JsonError as problem:
        raise NotJsonError(str(problem)) from None


def read_json(path: str) -> dict[str, Any]:
    """Return the object in a file; an empty one when it is missing or unreadable."""
    try:
        return load_json(path)
    except UnreadableError:
        return {}
