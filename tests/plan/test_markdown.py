"""Headings, sections, list items and fenced blocks, with the lines they stand on."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ultra_runtime.text.markdown import Document, Item, parse, split_field

TEXT = """\
before

# Title
## First ##
- **Files:** a,
  b
- Verify: `x`

  more of it
- Scope fence:
  - Touch: c
  - Never touch:
    d
1. counted
### Inner
~~~ YAML extra
## not a heading
  ```
~~~
## Second
- Manifest:
    ```yaml
    manifest:
      key: 1
    ```
    after
end
"""


def headings(document: Document) -> list[tuple[int, str, int, int]]:
    return [(one.level, one.title, one.line, one.end) for one in document.headings]


def shape(items: list[Item]) -> list[object]:
    return [(item.line, item.name, item.value, shape(item.children)) for item in items]


def test_headings_have_their_lines_and_ends() -> None:
    assert headings(parse(TEXT)) == [
        (1, "Title", 3, 28), (2, "First", 4, 20), (3, "Inner", 15, 20), (2, "Second", 20, 28),
    ]  # fmt: skip


def test_numbers_follow_the_first_line() -> None:
    moved = parse(TEXT, 101)
    assert headings(moved) == [
        (level, title, line + 100, end + 100) for level, title, line, end in headings(parse(TEXT))
    ]
    second = moved.section("Second")
    assert second is not None
    assert moved.body(second)[0] == "- Manifest:"
    assert moved.slice(second.line, second.line + 1) == ["## Second"]


def test_items_nest_and_go_on() -> None:
    first = parse(TEXT).section("first")
    assert first is not None
    assert shape(first.items) == [
        (5, "Files", "a,\nb", []),
        (7, "Verify", "`x`\nmore of it", []),
        (10, "Scope fence", "", [(11, "Touch", "c", []), (12, "Never touch", "d", [])]),
        (14, "", "counted", []),
    ]
    fence = first.field("SCOPE  fence")
    assert fence is not None
    assert fence.child("touch") is fence.children[0]
    assert first.field("Wave") is None


def test_blocks_belong_to_their_item_and_section() -> None:
    document = parse(TEXT)
    inner, second = document.section("Inner", 3), document.section("Second")
    assert inner is not None
    assert second is not None
    (plain,), (block,) = inner.blocks, second.blocks
    assert (plain.info, plain.language, plain.line, plain.end_line, plain.closed) == (
        "YAML extra",
        "yaml",
        16,
        19,
        True,
    )
    assert plain.lines == ["## not a heading", "  ```"]
    assert (block.indent, block.lines) == (4, ["manifest:", "  key: 1"])
    item = second.items[0]
    assert (item.blocks, item.value) == ([block], "after\nend")
    assert document.blocks == [plain, block]


def test_below_and_body_hold_subsections() -> None:
    document = parse(TEXT)
    title = document.section("title", 1)
    assert title is not None
    assert [one.title for one in document.below(title)] == ["First", "Inner", "Second"]
    assert document.sections[0].after == 5
    assert (document.sections[0].line, document.sections[0].end) == (0, 28)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# a", [(1, "a")]),
        ("####### a", []),
        ("#a", []),
        ("   ## a", [(2, "a")]),
        ("    ## a", []),
        ("\t# a", []),
        ("#", [(1, "")]),
        ("## a ###", [(2, "a")]),
        ("## a#", [(2, "a#")]),
        ("## a \\#", [(2, "a \\#")]),
        ("```\n# a\n```\n# b", [(1, "b")]),
        ("```\n# a\n~~~\n# b\n``` x\n# c\n````\n# d", [(1, "d")]),
        ("````\n```\n# a\n````\n# b", [(1, "b")]),
        ("``` a ``` b\n# c", [(1, "c")]),
        ("~~~ a ~ ` b\n# c", []),
        ("- a\n  ```\n# b\n  ```\n# c", [(1, "c")]),
        ("```\n# a", []),
        ("```\n    ```\n# a\n   ```\n# b", [(1, "b")]),
        ("- ```\n  # a\n  ```\n# b", [(1, "b")]),
        ("> # a\n# b", [(1, "b")]),
    ],
)
def test_what_counts_as_a_heading(text: str, found: list[tuple[int, str]]) -> None:
    assert [(one.level, one.title) for one in parse(text).headings] == found


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("**Files:** a", ("Files", "a")),
        ("**Files**: a", ("Files", "a")),
        ("__Files:__ a", ("Files", "a")),
        ("*Files:* a", ("Files", "a")),
        ("Files: a", ("Files", "a")),
        ("Files:", ("Files", "")),
        ("On failure : a", ("On failure", "a")),
        ("http://a", ("", "http://a")),
        ("src/a.py:12", ("", "src/a.py:12")),
        ("`a: b`", ("", "`a: b`")),
        ("**bold** text", ("", "**bold** text")),
        ("**open: text", ("", "**open: text")),
        (": a", ("", ": a")),
        (":a: b", ("", ":a: b")),
        *((form.format("x" * 60), ("x" * 60, "a")) for form in ("{}: a", "**{}**: a", "*{}*: a", "_{}_: a")),
        *((form.format("x" * 61), ("", form.format("x" * 61))) for form in ("{}: a", "**{}**: a", "*{}*: a")),
    ],
)
def test_what_counts_as_a_field(text: str, field: tuple[str, str]) -> None:
    assert split_field(text) == field


def test_line_ends_and_mark_do_not_count() -> None:
    plain = parse(TEXT)
    windows = parse("\ufeff" + TEXT.replace("\n", "\r\n"))
    assert headings(windows) == headings(plain)
    assert [block.lines for block in windows.blocks] == [block.lines for block in plain.blocks]


@pytest.mark.parametrize("text", ["-a", "1.a", "1234567890. a", "1)a", ". a", "1 a", "–  a", "1"])
def test_what_is_no_item(text: str) -> None:
    assert parse(text).sections[0].items == []


@pytest.mark.parametrize("text", ["- a", "* a", "+ a", "1. a", "12) a", "123456789. a", "-\ta"])
def test_what_is_an_item(text: str) -> None:
    assert [item.value for item in parse(text).sections[0].items] == ["a"]


@pytest.mark.parametrize(("blank", "value"), [("", "more"), ("\n", "")])
def test_text_right_after_a_block_goes_on_with_its_item(blank: str, value: str) -> None:
    assert parse(f"- a:\n  ```\n  x\n  ```\n{blank}more").sections[0].items[0].value == value


def test_a_paragraph_after_a_blank_line_ends_the_list() -> None:
    (item,) = parse("- a\nlazy\n\nnot of it\n").sections[0].items
    assert item.value == "a\nlazy"


PIECES = st.sampled_from(
    ["# a", "## b", "### Step 1: c", "- **Files:** a", "  - b", "    more", "```", "~~~", "  ```yaml", "````", "",
     "\ttext", "1. x", "`", "**", ":", "- ", "#", " ", "\ufeff", "\r", "\u2028", "é"]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=8), max_size=40), st.integers(1, 50))
def test_any_text_is_divided_without_gaps(lines: list[str], first: int) -> None:
    text = "\n".join(lines)
    document = parse(text, first)
    root = document.sections[0]
    assert root.end - first == len(document.lines)
    assert (root.level, root.title, root.line) == (0, "", first - 1)
    assert (document.below(root), document.body(root)) == (document.headings, document.lines)
    for one in document.headings:
        assert root.line < one.line < one.end <= root.end
        below = document.below(one)
        assert all(one.level < inner.level and inner.end <= one.end for inner in below)
        after = document.sections[one.after] if one.after < len(document.sections) else None
        assert one.end == (after.line if after else root.end)
    covered = [number for block in document.blocks for number in range(block.line, block.end_line + 1)]
    assert len(covered) == len(set(covered))
    assert not {one.line for one in document.headings} & set(covered)
    assert sum(len(one.blocks) for one in document.sections) == len(document.blocks)


OF_BLOCKS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", " ", "  ", "   "]),
        st.sampled_from(
            ["", "x", "#", "##", "######", "#######", "`", "``", "```", "````", "~", "~~", "~~~", "~~~~~"]
        ),
        st.sampled_from(["", " x", "x", " ", " `", " x `", " ~", " #", " x #", " x#", "\t"]),
    ),
)


def without_blanks(block: tuple[int, str, str]) -> tuple[int, str, list[str]]:
    """Return a block without blanks at the ends of lines and empty lines at its end, which the oracle drops in part."""
    line, info, text = block
    return line, info, [row.rstrip() for row in text.rstrip().split("\n")]


@given(st.lists(OF_BLOCKS, max_size=8))
def test_headings_and_fences_are_those_of_commonmark(lines: list[str]) -> None:
    """A paragraph needs no blank line before a heading or a fence, so lines of text change nothing else."""
    document = parse("\n".join(lines))
    tokens = MarkdownIt("commonmark").disable(["lheading", "reference"]).parse("\n".join(lines))
    heads = [
        (int(one.tag[1:]), after.content, one.map[0] + 1)
        for one, after in itertools.pairwise(tokens)
        if one.type == "heading_open" and one.map
    ]
    assert [(one.level, one.title, one.line) for one in document.headings] == heads
    fences = [
        (one.map[0] + 1, one.info.strip(), one.content) for one in tokens if one.type == "fence" and one.map
    ]
    ours = [(one.line, one.info, "\n".join(one.lines)) for one in document.blocks]
    assert list(map(without_blanks, ours)) == list(map(without_blanks, fences))
