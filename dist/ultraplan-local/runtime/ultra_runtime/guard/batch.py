"""Answer many questions in one call: a JSON object a line in, a JSON object a line out."""

from __future__ import annotations

from ultra_runtime.given_text import read_given
from ultra_runtime.jsontext import JsonError, read_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def answers(verdict: Callable[[dict[str, Any]], dict[str, Any]], shape: str) -> list[dict[str, Any]]:
    """Return one answer for each line of standard input; a line that is no question is answered with its error."""
    found = []
    for line in read_given(None, f"pass one {shape} a line on standard input").split(b"\n"):
        if not line.strip():
            continue
        try:
            found.append(verdict(read_object(line).values))
        except (JsonError, KeyError) as problem:
            found.append({"error": f"this line is not {shape}: {problem}"})
    return found
