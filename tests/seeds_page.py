"""Write the page that says how each statement of the seed documents is met: python -m tests.seeds_page."""

from __future__ import annotations

from typing import Any

import yaml

from tests.kit.names import ROOT
from ultra_plugin.prompt import WIDEST_TABLE

ROWS = ROOT / "tests/seeds.yaml"
PAGE = ROOT / "docs/seeds.md"
TITLES = ("statement", "holds, shown by", "differs, because")
HEAD = """\
# The seed documents, statement by statement

The pipeline was built from four seed documents: 000 the handover contracts, 001 the brief, 002 the executor and 003 the
session spec. Each row is one of their statements, in few words: it holds, with the test that shows it, or it differs on
purpose, with the reason.
"""


def read_rows() -> dict[str, list[dict[str, Any]]]:
    """Return the statements by seed and section."""
    rows: dict[str, list[dict[str, Any]]] = yaml.safe_load(ROWS.read_text())
    return rows


def page(rows: dict[str, list[dict[str, Any]]]) -> str:
    """Return the page as Markdown."""
    every = [row for section in rows.values() for row in section]
    held = sum("holds" in row for row in every)
    lines = [HEAD, f"{len(every)} statements: {held} hold, {len(every) - held} differ."]
    for section, members in rows.items():
        cells = [
            (row["says"], f"`{row['holds']}`" if "holds" in row else "", row.get("differs", ""))
            for row in members
        ]
        lines += ["", f"## {section}", "", *table([TITLES, *cells])]
    return "\n".join(lines) + "\n"


def table(rows: list[tuple[str, ...]]) -> list[str]:
    """Return the lines of a table; a narrow one lines up."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + 3 * len(widths) + 1 > WIDEST_TABLE:
        widths = [1] * len(widths)
    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    lines = [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))} |"
        for row in rows
    ]
    return [lines[0], rule, *lines[1:]]


if __name__ == "__main__":
    PAGE.write_text(page(read_rows()))
