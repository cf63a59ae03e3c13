"""Find every json block of a text, such as the joined answers of several agents."""

from __future__ import annotations

from ultra_runtime.text.jsontext import JsonError, read_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LANGUAGE = "json"


def json_blocks(text: str) -> list[tuple[dict[str, Any], str]]:
    """Return the values of each block that can be read, with the words before it and the block itself."""
    found: list[tuple[dict[str, Any], str]] = []
    piece: list[str] = []
    block: list[str] | None = None
    for line in text.splitlines():
        piece.append(line)
        bare = line.strip()
        if block is None:
            if bare.startswith("```") and bare.lstrip("`").strip().lower() == LANGUAGE:
                block = []
        elif bare.startswith("```"):
            values = _read("\n".join(block))
            if values is not None:
                found.append((values, "\n".join(piece)))
                piece = []
            block = None
        else:
            block.append(line)
    if not found:
        values = _read(text)
        return [(values, f"```json\n{text}\n```")] if values is not None else []
    return found


def _read(text: str) -> dict[str, Any] | None:
    try:
        return read_object(text.encode("utf-8", "replace")).values
    except JsonError:
        return None
