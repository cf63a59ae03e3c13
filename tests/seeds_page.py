"""Write the page that says how each statement of the seed documents is met: python -m tests.seeds_page."""

from __future__ import annotations

from typing import Any

import yaml

from tests.kit.names import PLUGIN_SOURCE, ROOT

ROWS = ROOT / "tests/seeds.yaml"
PAGE = PLUGIN_SOURCE / "docs/SEEDS.md"
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
        lines += [
            "",
            f"## {section}",
            "",
            "| statement | holds, shown by | differs, because |",
            "|---|---|---|",
        ]
        for row in members:
            shown = f"`{row['holds']}`" if "holds" in row else ""
            lines.append(f"| {row['says']} | {shown} | {row.get('differs', '')} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(read_rows()))
