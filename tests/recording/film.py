"""Turn screens of a terminal, each with its time, into one animated SVG that needs no script.

Only what changes is written: a line of the screen is one element for as long as it stays the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

SHORTEST, LONGEST, LAST = 0.25, 1.6, 5.0
CELL, ROW, FONT, EDGE = 8.4, 18, 14, 12
BACKGROUND, PLAIN = "#16181d", "#d7dae0"
SEQUENCE = re.compile(r"\x1b\[([0-9;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[\[(][0-9;?]*[A-Za-z]")
BASIC = (
    "#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
    "#6b7280", "#ef8891", "#b0d99b", "#f0d399", "#86c5ff", "#d8a0ea", "#7fd3dd", "#ffffff",
)  # fmt: skip


# What the client shows while it waits, with another word and another number each time, and its tips about the terminal.
SPINNER = re.compile(r"^\s*[^\w\s>❯●⎿─│⏸] \w+…(?: \(.*\))?\s*$")
TIP = re.compile(r"^\s*tmux ")


class Screen(NamedTuple):
    """What a terminal showed from a moment on, with its colours."""

    time: float
    text: str


class Piece(NamedTuple):
    """Some characters of a line in one colour."""

    column: int
    text: str
    colour: str
    bold: bool


class Shown(NamedTuple):
    """One line of the screen, from when until when."""

    row: int
    line: str
    start: float
    end: float


def calm(screen: str) -> str:
    """Return a screen without what moves while nothing happens."""
    lines = []
    for line in screen.split("\n"):
        plain = SEQUENCE.sub("", line)
        lines.append("\x1b[33m✻ Working…" if SPINNER.match(plain) else "" if TIP.match(plain) else line)
    return "\n".join(lines)


def paced(screens: Sequence[Screen]) -> list[Screen]:
    """Give every screen a time that a person can follow: none too short, none too long; the last one stays."""
    screens = [Screen(one.time, calm(one.text)) for one in screens]
    different = [one for at, one in enumerate(screens) if not at or one.text != screens[at - 1].text]
    told, now = [], 0.0
    for at, one in enumerate(different):
        after = different[at + 1].time - one.time if at + 1 < len(different) else LAST
        if at + 1 < len(different) and after < SHORTEST / 2:
            continue  # a screen on its way to the next one
        told.append(Screen(now, one.text))
        now += min(max(after, SHORTEST), LONGEST) if at + 1 < len(different) else LAST
    return [*told, Screen(now, "")]


def svg(screens: Sequence[Screen], columns: int, rows: int, title: str) -> str:
    """Return the picture; the last screen only says when it ends."""
    length = screens[-1].time
    width, height = columns * CELL + 2 * EDGE, rows * ROW + 2 * EDGE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        "<style>text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        f"font-size:{FONT}px;white-space:pre;fill:{PLAIN}}}.b{{font-weight:700}}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        f'<rect width="1" height="1" fill="none"><animate id="t" attributeName="x" from="0" to="1" dur="{length:.2f}s" '
        'begin="0s;t.end"/></rect>',
    ]
    lines += [_element(one, length) for one in shown(screens) if one.line.strip()]
    return "\n".join([*lines, "</svg>"]) + "\n"


def shown(screens: Sequence[Screen]) -> Iterator[Shown]:
    """Yield every line of the screen with the time for which it stays the same."""
    current: dict[int, tuple[str, float]] = {}
    for one in screens:
        now = dict(enumerate(one.text.split("\n"))) if one is not screens[-1] else {}
        for row in sorted({*current, *now}):
            line, since = current.get(row, ("", one.time))
            if now.get(row, "") != line:
                if line:
                    yield Shown(row, line, since, one.time)
                current[row] = (now.get(row, ""), one.time)


def _element(one: Shown, length: float) -> str:
    spans = "".join(
        f'<tspan x="{EDGE + piece.column * CELL:g}"{_style(piece)}>{escape(piece.text, quote=False)}</tspan>'
        for piece in pieces(one.line)
    )
    y = EDGE + one.row * ROW + FONT
    if one.start == 0 and one.end == length:
        return f'<text y="{y}">{spans}</text>'
    begin, end = (f"t.begin+{moment:.2f}s" for moment in (one.start, one.end))
    turn = f'<set attributeName="visibility" to="visible" begin="{begin}" end="{end}"/>'
    return f'<text y="{y}" visibility="hidden">{turn}{spans}</text>'


def _style(piece: Piece) -> str:
    colour = f' fill="{piece.colour}"' if piece.colour != PLAIN else ""
    return f'{colour} class="b"' if piece.bold else colour


def pieces(line: str) -> Iterator[Piece]:
    """Yield the pieces of a line with their colours; white space is left out."""
    colour, bold, column, at = PLAIN, False, 0, 0
    for found in [*SEQUENCE.finditer(line), None]:
        text = line[at : found.start() if found else len(line)]
        for word in re.finditer(r"\S+(?: \S+)*", text):
            yield Piece(column + word.start(), word[0], colour, bold)
        column += len(text)
        if found is None:
            return
        at = found.end()
        if found[1] is not None:
            colour, bold = _attributes(found[1], colour, bold)


def _attributes(codes: str, colour: str, bold: bool) -> tuple[str, bool]:
    numbers = [int(code or 0) for code in re.split("[;:]", codes)]
    while numbers:
        code = numbers.pop(0)
        if code == 0:
            colour, bold = PLAIN, False
        elif code == 1:
            bold = True
        elif code == 2:
            colour = BASIC[8] if colour == PLAIN else colour
        elif code == 22:
            bold = False
        elif code == 39:
            colour = PLAIN
        elif code in (38, 48):
            kind = numbers.pop(0) if numbers else 0
            taken = [numbers.pop(0) for _ in range(3 if kind == 2 else 1) if numbers]
            colour = _palette(kind, taken) if code == 38 else colour
        elif 30 <= code <= 37 or 90 <= code <= 97:
            colour = BASIC[code % 10 + (8 if code >= 90 else 0)]
    return colour, bold


def _palette(kind: int, values: Sequence[int]) -> str:
    if kind == 2:
        return "#" + "".join(f"{value:02x}" for value in values)
    number = values[0] if values else 7
    if number < 16:
        return BASIC[number]
    if number >= 232:
        return "#" + f"{8 + (number - 232) * 10:02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#" + "".join(f"{steps[number // by % 6]:02x}" for by in (36, 6, 1))
