"""The last touch to rendered Markdown: no runs of blank lines, and tables that line up."""

from __future__ import annotations

from ultra_plugin.prompt import WIDEST_TABLE, finish


def finished(text: str) -> str:
    return finish("a.md.j2", text).text


def test_a_table_is_lined_up() -> None:
    assert finished("| a | bb |\n|---|---|\n| `long word` | x |\n|1|2|\n") == (
        "| a           | bb  |\n|-------------|-----|\n| `long word` | x   |\n| 1           | 2   |\n"
    )


def test_an_escaped_bar_divides_no_cell() -> None:
    assert (
        finished("| a | b |\n|---|---|\n| x \\| y | z |\n")
        == "| a      | b   |\n|--------|-----|\n| x \\| y | z   |\n"
    )


def test_what_is_no_table_or_too_wide_stays_as_it_is() -> None:
    wide = "word " * (WIDEST_TABLE // 5)
    for text in (
        f"| a | b |\n|---|---|\n| {wide.strip()} | x |\n",
        "| a | b |\n| c | d |\n| e | f |\n",
        "| a | b |\n|---|---|\n| one cell |\n",
        "```\n| a | b |\n|---|---|\n| cc | d |\n```\n",
        "~~~markdown\n| a | b |\n|---|---|\n| cc | d |\n~~~\n",
    ):
        assert finished(text) == text


def test_lines_keep_their_origin() -> None:
    prompt = finish("a.md.j2", "x\n\n\n| a |\n|---|\n| bcd e |\n")
    assert prompt.text == "x\n\n| a     |\n|-------|\n| bcd e |\n"
    assert prompt.lines == (0, 1, 3, 4, 5)
