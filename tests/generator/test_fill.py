"""Filled paragraphs: another reader of Markdown finds the same blocks and the same words before and after."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ultra_plugin.fill import WIDTH, fill

READER = MarkdownIt("commonmark").enable("table")
LONG = "word " * 40


def inline(tokens: list[Token]) -> list[tuple[object, ...]]:
    """Return what stands in a paragraph; where its lines end is no part of it, a hard break is."""
    found: list[tuple[object, ...]] = []
    text = ""
    for token in [*tokens, Token("end", "", 0)]:
        if token.type in ("text", "softbreak"):
            text += token.content or "\n"
            continue
        if text:
            found.append(("text", *re.split(r"[ \n]+", text)))
        text = ""
        # This reader keeps the indentation of a line within a span of code; by the specification it is none of it.
        found.append((token.type, " ".join(token.content.split()), *sorted(token.attrs.items())))
    return found


def blocks(text: str) -> list[tuple[object, ...]]:
    """Return the blocks of a text as an independent reader sees them."""
    return [
        (token.type, token.tag, token.level, token.markup, *inline(token.children or []))
        if token.type == "inline"
        else (token.type, token.tag, token.level, token.content, *sorted(token.attrs.items()))
        for token in READER.parse(text)
    ]


WORDS = st.sampled_from(
    ["a", "word", "considerably", "`a span  of code`", "``two ` ticks``", "`open", "*so*", "**very much**", "1.", "7)", "-", "+",
     "*", "***", "#", "##", ">", "|", "a|b", "---", "===", ":-:", "<div>", "<b>", "<!--", "-->", "[a link](to.md)", "[b]", "[c]:",
     "![i](x.png)", "\\", "\\`", "\\*", "```", "~~~", "_", "https://example.org/a_long_address", "&amp;", "é", "“so”", "10."]
)  # fmt: skip
STARTS = st.sampled_from(
    ["", "", "", " ", "  ", "   ", "    ", "     ", "      ", "- ", "* ", "1. ", "2. ", "12) ", "  - ", "   1. ", "-    ", "-     ",
     "> ", "| ", "# ", "### ", "```", "~~~~", "    - ", "      * ", "- - ", "1. - ", "\t", "<p>", "- > ", "- ```", "- # "]
)  # fmt: skip
LINES = st.builds(
    lambda start, words, end: start + " ".join(words) + end,
    STARTS,
    st.lists(WORDS, max_size=25),
    st.sampled_from(["", "", "", "", "  ", "\\"]),
)
TEXTS = st.lists(st.one_of(LINES, LINES, st.just("")), min_size=1, max_size=8).map("\n".join)


@given(TEXTS)
@example(f"- {LONG}\n7. {LONG}\n\n     code {LONG}")
@example(f"{LONG}\n-\n\n     code {LONG}")
@example(f"- ```\n  code\n{LONG}")
@example("- \n* ")
@example("- a\n* ")
@example("- \n  a\n* ")
@example("_\n_ _")
@example("   1. a\n    ***")
@example(f"- ```a {LONG} \\`")
@example(f"{'a ' * 58}\\ a")
def test_blocks_and_words_stay(text: str) -> None:
    filled = fill(text).text
    assert blocks(filled) == blocks(text)
    assert fill(filled).text == filled


def test_a_paragraph_has_lines_of_one_width() -> None:
    filled = fill(f"{LONG}\nshort\nand a `span of  code` here, {LONG}\n").text.split("\n")
    assert filled[-1] == ""
    assert [line for line in filled if len(line) > WIDTH] == []
    for line, after in pairwise(filled[:-1]):
        assert len(line) + 1 + len(after.split(" ")[0]) > WIDTH
    assert "`span of  code`" in "\n".join(filled)


def test_an_item_keeps_its_hanging_indentation() -> None:
    lines = fill(f"12. {LONG}\nlazy\n    - {LONG}\n").text.split("\n")
    assert [line[:6] for line in lines] == ["12. wo", "    wo", "    - ", "      ", ""]
    assert lines[1].endswith("word lazy")


@pytest.mark.parametrize(
    "text",
    [
        f"---\ndescription: {LONG}\nmore: x\n---\n",
        f"# {LONG}\nshort\n",
        f"```\n{LONG}\nshort\n```\n",
        f"- item\n\n  ~~~\n  {LONG}\n  short\n  ~~~\n",
        f"    {LONG}\n    short\n",
        f"Usage:\n    {LONG}\n    short\n",
        f"| a | b |\n|---|---|\n| {LONG}| x |\n",
        f"a | b\n--- | ---\n{LONG} | x\n",
        f"> {LONG}\n> short\n",
        f"<p>\n{LONG}\nshort\n</p>\n",
        f"<!--\n{LONG}\n\nshort\n-->\n",
        f"[a]: https://example.org\n  'the title'\n[b]: {'x' * 130}\n",
        "one\\\ntwo\n",
        "A heading\n=========\n",
    ],
)
def test_what_is_not_prose_stays_byte_for_byte(text: str) -> None:
    assert fill(text).text == text


@pytest.mark.parametrize("word", ["#", "1.", "-", "+", "*", ">", "|", "---", "===", "<div>", "```", "~~~"])
def test_no_line_begins_with_what_begins_something_else(word: str) -> None:
    for much in range(WIDTH - 4, WIDTH + 1):
        text = f"{'x' * much} {word} after {LONG}"
        assert not any(line.startswith(word) for line in fill(text).text.split("\n"))


def test_every_line_says_where_its_first_word_came_from() -> None:
    text = f"# title\n\n{LONG}\nmiddle\n{LONG}\n\n- end\n"
    filled = fill(text)
    before = text.split("\n")
    for line, number in zip(filled.text.split("\n"), filled.lines, strict=True):
        assert line.split(" ")[0] in before[number].split(" ")
    assert filled.lines == (0, 1, 2, 2, 4, 4, 5, 6, 7)


PAGES = sorted(path for path in (Path(__file__).parent.parent.parent / "dist").rglob("*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_page_reads_the_same_however_its_lines_were_broken(path: Path) -> None:
    body = path.read_text().removeprefix("---\n").partition("\n---\n")[2] or path.read_text()
    assert blocks(fill(body).text) == blocks(body)
