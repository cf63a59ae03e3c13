"""Finish a rendered Markdown file: remove source-only keys and runs of blank lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ultra_plugin.agents import declared, taken_lines
from ultra_plugin.model import Budget

WIDEST_TABLE = 140
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"-+")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A finished Markdown file, and the rendered line behind each of its lines."""

    text: str
    budget: Budget | None
    lines: tuple[int, ...]
    budget_line: int = 0
    """The rendered line, from 0, where the budget begins."""


def finish(path: str, rendered: str, tidy: bool = True) -> Prompt:
    """Return the file as users will read it; `tidy` removes extra blanks and aligns tables."""
    lines = rendered.split("\n")
    dropped = taken_lines(path, lines)
    budget = declared(path, lines, dropped).budget
    budget_line = next((number for number in sorted(dropped) if lines[number].startswith("budget:")), 0)
    kept: list[str] = []
    numbers: list[int] = []
    fence = ""
    for number, line in enumerate(lines):
        if number in dropped:
            continue
        bare = line.lstrip(" ")
        if bare.startswith(("```", "~~~")):
            mark = bare[:3]
            fence = "" if fence == mark else fence or mark
        elif tidy and not fence:
            line = line.rstrip()
            if not line and kept and not kept[-1]:
                continue
        kept.append(line)
        numbers.append(number)
    if not tidy:
        return Prompt("\n".join(kept), budget, tuple(numbers), budget_line)
    while kept and not kept[-1]:
        kept.pop()
        numbers.pop()
    _align_tables(kept)
    return Prompt("\n".join(kept) + "\n", budget, tuple(numbers), budget_line)


def _align_tables(lines: list[str]) -> None:
    """Align the columns of every table outside code, unless it becomes too wide."""
    fence = ""
    start = 0
    for number, line in enumerate([*lines, ""]):
        if line.lstrip(" ").startswith(("```", "~~~")):
            mark = line.lstrip(" ")[:3]
            fence = "" if fence == mark else fence or mark
        if line.startswith("|") and not fence:
            continue
        if number - start > 2:
            lines[start:number] = _aligned(lines[start:number])
        start = number + 1


def _aligned(rows: list[str]) -> list[str]:
    cells = [[cell.strip() for cell in _BAR.split(row.strip()[1:].removesuffix("|"))] for row in rows]
    if len({len(row) for row in cells}) != 1 or not all(_RULE.fullmatch(cell) for cell in cells[1]):
        return rows
    widths = [max(3, *(len(row[at]) for row in cells if row is not cells[1])) for at in range(len(cells[0]))]
    if sum(widths) + 3 * len(widths) + 1 > WIDEST_TABLE:
        return rows
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells]
    lines[1] = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return lines
