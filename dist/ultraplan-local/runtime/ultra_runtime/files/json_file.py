"""Read a JSON file: one object, or one kind of error that says why there is none."""

from __future__ import annotations

from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.text.jsontext import JsonError, read_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NotJsonError(UnreadableError):
    """A file that is there and holds no JSON object."""


def load_json(path: str) -> dict[str, Any]:
    """Return the object that a file holds, or raise with the reason."""
    try:
        return read_object(read_regular(path)).values
    except JsonError as problem:
        raise NotJsonError(str(problem)) from None


def read_json(path: str) -> dict[str, Any]:
    """Return the object that a file holds; an empty one when it is not there or cannot be read."""
    try:
        return load_json(path)
    except UnreadableError:
        return {}
