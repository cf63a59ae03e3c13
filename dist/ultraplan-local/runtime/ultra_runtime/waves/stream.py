"""Read what the client says about itself at the end of its stream: how it ended, what it used, and its rate limit."""

from __future__ import annotations

import os

from ultra_runtime.struct import Struct
from ultra_runtime.text.jsontext import JsonError, read_object
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LOOKED_AT = 2 * 1024 * 1024
RESULT, ANSWER, LIMIT_EVENT, REJECTED = "result", "assistant", "rate_limit_event", "rejected"
OUT_OF_MONEY = "error_max_budget_usd"
TOKENS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Spoken(Struct):
    """What the stream of one attempt says."""

    ended: bool
    """Whether the client gave a result."""
    is_error: bool
    kind: str
    """The client's own name for how it ended."""
    dollars: float
    tokens: int
    resets: int
    """When the rate limit that ended it resets, in seconds since 1970; 0 if none did."""
    last: str
    """Its last words."""
    answered: bool = False
    """Whether its model has answered, which costs money also without a result."""


def read_stream(path: str) -> Spoken:
    """Return what the end of a log says; an incomplete line is ignored."""
    spoken = Spoken(False, False, "", 0.0, 0, 0, "")
    rejected = 0
    for line in _lines(path):
        if not line.startswith(b"{"):
            spoken.last = line.decode("utf-8", "replace").strip() or spoken.last
            continue
        try:
            message = read_object(line).values
        except JsonError:
            continue
        spoken.answered = spoken.answered or message.get("type") == ANSWER
        if message.get("type") == LIMIT_EVENT:
            rejected = _resets(message.get("rate_limit_info"))
        elif message.get("type") == RESULT:
            _take_result(spoken, message)
    if rejected and spoken.is_error:
        spoken.resets = rejected
    spoken.last = one_line(spoken.last, 300)
    return spoken


def _take_result(spoken: Spoken, message: dict[str, Any]) -> None:
    spoken.ended = True
    spoken.is_error = message.get("is_error") is True
    spoken.kind = str(message.get("subtype") or "")
    cost = message.get("total_cost_usd")
    spoken.dollars = float(cost) if isinstance(cost, (int, float)) else spoken.dollars
    usage = message.get("usage")
    if isinstance(usage, dict):
        counts = [usage.get(name) for name in TOKENS]
        spoken.tokens += sum(one for one in counts if isinstance(one, int))
    spoken.last = str(message.get(RESULT) or spoken.last)


def _resets(info: object) -> int:
    if not isinstance(info, dict) or info.get("status") != REJECTED:
        return 0
    at = info.get("resetsAt")
    return at if isinstance(at, int) else 0


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOOKED_AT))
            return file.read().split(b"\n")
    except OSError:
        return []
