"""Read tables and lists of code spans in the sections of a work's files."""

from __future__ import annotations

from ultra_runtime.typed import Sequence

CREATE, MODIFY, DELETE = "CREATE", "MODIFY", "DELETE"
ACTIONS = (CREATE, MODIFY, DELETE)


def read_rows(text: str) -> list[list[str]]:
    """Return the cells of a Markdown table, row by row, without its head."""
    lines = [line.strip() for line in text.split("\n") if line.strip().startswith("|")]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows[1:] if any(cell.strip("-: ") for cell in row)]


def read_code(text: str) -> list[str]:
    """Return the first code span of each list item."""
    found = []
    for line in text.split("\n"):
        item = line.strip()
        if item[:2] in ("- ", "* "):
            mark = len(item[2:].lstrip()) - len(item[2:].lstrip().lstrip("`"))
            inner = item[2:].lstrip()[mark:].partition("`" * mark)[0].strip() if mark else ""
            found += [inner] if inner else []
    return found


def file_fault(row: Sequence[str]) -> str:
    """Return what is wrong with a row of Files, or nothing."""
    path = row[0]
    if not path or path.startswith(("/", "~")) or ".." in path.split("/") or "\\" in path:
        return "has no path in the repository"
    if path.endswith("/") or "*" in path or "?" in path:
        return "must name one file"
    return "" if len(row) > 1 and row[1] in ACTIONS else "has no action CREATE, MODIFY or DELETE"
