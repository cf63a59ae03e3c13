"""What the session of the client has used since its run began, from the record that the client keeps of it."""

from __future__ import annotations

import os

from ultra_runtime.files.root import names_in
from ultra_runtime.rendered import verb
from ultra_runtime.struct import Struct
from ultra_runtime.text.jsontext import JsonError, read_object
from ultra_runtime.typed import Any, Mapping

SESSION = "CLAUDE_CODE_SESSION_ID"
CONFIG = "CLAUDE_CONFIG_DIR"
BEGINS = verb("run start")
WRITTEN, NEW, MADE, CACHED = (
    "output_tokens", "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens",
)  # fmt: skip


class Tokens(Struct):
    """Tokens that the model wrote, that it read, and how many of those came from the cache."""

    written: int = 0
    read: int = 0
    cached: int = 0


def session_tokens() -> Tokens | None:
    """Return the tokens of this session since its last run was started; none if the client keeps no record."""
    session = os.environ.get(SESSION, "")
    if not session.replace("-", "").isalnum():
        return None
    home = os.environ.get(CONFIG) or os.path.join(os.path.expanduser("~"), ".claude")
    folder = os.path.join(home, "projects")
    paths = [os.path.join(folder, name, f"{session}.jsonl") for name in names_in(folder)]
    found = next((path for path in paths if os.path.isfile(path)), None)
    return _count(found) if found else None


def _count(path: str) -> Tokens | None:
    messages: dict[
        str, Mapping[str, Any]
    ] = {}  # one answer is on several lines, each with the numbers of all
    begun = False
    try:
        with open(path, "rb") as file:
            for line in file:
                message = _answer(line) if b'"usage"' in line else {}
                if BEGINS.encode() in line and message:
                    messages, begun = {}, True
                if message:
                    messages[str(message.get("id"))] = message["usage"]
    except OSError:
        return None
    if not begun:
        return None
    total = Tokens()
    for usage in messages.values():
        number = {name: value for name, value in usage.items() if type(value) is int}
        total.written += number.get(WRITTEN, 0)
        total.cached += number.get(CACHED, 0)
        total.read += number.get(NEW, 0) + number.get(MADE, 0) + number.get(CACHED, 0)
    return total


def _answer(line: bytes) -> Mapping[str, Any]:
    """Return the message of a line, if it is an answer of the model with its numbers."""
    try:
        message = read_object(line).values.get("message")
    except JsonError:
        return {}
    return message if isinstance(message, dict) and isinstance(message.get("usage"), dict) else {}
