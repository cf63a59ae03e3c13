"""Every Markdown file that ships reads as if a careful person had typed it."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

from tests.kit.table import each
from ultra_plugin.fill import WIDTH
from ultra_plugin.prompt import WIDEST_TABLE

DIST = Path(__file__).parent.parent.parent / "dist"
PAGES = sorted(DIST.rglob("*.md"))
READER = MarkdownIt("commonmark").enable("table")

page = each(PAGES)


def is_literal(path: Path) -> bool:
    """Tell whether a file is an artifact, or one to be filled in: its lines are its contract's."""
    return bool({"templates", "examples"} & {*path.parts})


filled_page = each(path for path in PAGES if not is_literal(path))


def body(path: Path) -> str:
    """Return a page with its front matter blanked, so that line numbers stay."""
    text = path.read_text()
    if not text.startswith("---\n"):
        return text
    head, _, rest = text[4:].partition("\n---\n")
    return "\n" * (head.count("\n") + 3) + rest


@cache
def code_lines(text: str) -> set[int]:
    return {
        number
        for token in READER.parse(text)
        if token.type in ("fence", "code_block", "html_block") and token.map
        for number in range(*token.map)
    }


def test_there_is_something_to_read() -> None:
    assert len(PAGES) > 50


@page
def test_blank_lines_and_line_ends(path: Path) -> None:
    text = body(path)
    lines = text.split("\n")
    code = code_lines(text)
    assert [number for number, line in enumerate(lines) if line != line.rstrip() and number not in code] == []
    whole = path.read_text()
    assert not whole.endswith("\n\n")
    assert whole.endswith("\n")
    runs = [number for number, pair in enumerate(pairwise(whole.split("\n")[:-1])) if pair == ("", "")]
    assert [number for number in runs if number not in code] == []


@page
def test_nothing_is_left_of_a_template(path: Path) -> None:
    text = body(path)
    code = code_lines(text)
    prose = "\n".join(
        re.sub(r"`[^`]*`", "", line) for number, line in enumerate(text.split("\n")) if number not in code
    )
    assert re.findall(r"\{\{|\}\}|\{%|%\}|\{#|#\}", prose) == []


@page
def test_headings_build_on_each_other(path: Path) -> None:
    levels = [int(token.tag[1]) for token in READER.parse(body(path)) if token.type == "heading_open"]
    assert levels.count(1) <= 1
    assert levels[:1] in ([1], []) or is_literal(path)
    assert [level for above, level in pairwise(levels) if level > above + 1] == []


@page
def test_lines_are_no_longer_than_they_have_to_be(path: Path) -> None:
    text = body(path)
    code = code_lines(text)
    for number, line in enumerate(text.split("\n")):
        if (
            len(line) <= WIDTH
            or number in code
            or line.lstrip().startswith(("|", "#", "<"))
            or is_literal(path)
        ):
            continue
        words = re.sub(r"`[^`]*`", lambda span: "x" * len(span.group()), line.strip()).split(" ")
        assert len(words) <= 2, f"{path}:{number + 1}"  # the mark of an item, and what cannot be broken


@filled_page
def test_no_line_of_a_paragraph_ends_before_it_is_full(path: Path) -> None:
    lines = body(path).split("\n")
    for token in READER.parse(body(path)):
        if token.type != "paragraph_open" or not token.map or lines[token.map[0]].startswith(">"):
            continue  # what is quoted stays as it was quoted
        for above, below in pairwise(range(*token.map)):
            first = re.match(r"[^\s`]*`[^`]*`\S*|\S+", lines[below].lstrip(" >"))
            assert first, f"{path}:{below + 1}"
            assert len(lines[above]) + 1 + len(first.group()) > WIDTH, f"{path}:{above + 1}"


@page
def test_tables_line_up(path: Path) -> None:
    lines = body(path).split("\n")
    for token in READER.parse(body(path)):
        # In a list item a table is as its template has it: there only prompts have one, and blanks cost tokens.
        if token.type == "table_open" and token.map and token.level == 0:
            rows = lines[slice(*token.map)]
            cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip())[1:-1]] for row in rows]
            needed = sum(max(map(len, column)) + 3 for column in zip(*cells, strict=True)) + 1
            assert len({*map(len, rows)}) == 1 or needed > WIDEST_TABLE, f"{path}:{token.map[0] + 1}"
