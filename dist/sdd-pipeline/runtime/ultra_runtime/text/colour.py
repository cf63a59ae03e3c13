"""Colour the word that begins a line, for a person at a terminal: what is well, what may be wrong, what is wrong."""

from __future__ import annotations

import os

from ultra_runtime.typed import TextIO

GREEN, YELLOW, RED, BOLD = "32", "33", "31", "1"
COLOURS = {
    "ok": GREEN, "warn": YELLOW, "warning": YELLOW, "fail": RED, "error": RED, "Problem": RED, "Next": BOLD,
}  # fmt: skip


def wants_colour(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal whose user has not set NO_COLOR (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def coloured(text: str) -> str:
    """Return a text with the first word of each line in its colour."""
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    word, space, rest = line.partition(" ")
    return f"\x1b[{COLOURS[word]}m{word}\x1b[0m{space}{rest}" if space and word in COLOURS else line
