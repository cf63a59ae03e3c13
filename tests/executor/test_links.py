"""Where the links of the status page lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.files import write_tree
from ultra_runtime.status.links import LAST_LINES, BoardLinks, Links, last_lines, quoted


@pytest.mark.parametrize(("path", "address"), [
    ("page/log.txt", "log.txt"), ("page/logs/a b.txt", "logs/a%20b.txt"), ("other/x#1?.md", "../other/x%231%3F.md"),
    ("page/ä%.md", "%C3%A4%25.md"), ('page/"<&>.md', "%22%3C%26%3E.md"),
])  # fmt: skip
def test_a_link_leads_to_its_file(tmp_path: Path, path: str, address: str) -> None:
    write_tree(tmp_path, {path: "x"})
    links = Links(str(tmp_path / "page"))
    assert links.address(str(tmp_path / path)) == address
    assert links.file(str(tmp_path / path), "<words>") == f'<a href="{address}">&lt;words&gt;</a>'
    board = BoardLinks(str(tmp_path / "page"))
    assert board.file(str(tmp_path / path), "w") == f'<a href="file/{address}">w</a>'


@pytest.mark.parametrize("name", ["missing", "folder", "dangling"])
def test_without_a_file_there_are_only_words(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to("nothing")
    assert Links(str(tmp_path)).file(str(tmp_path / name), "a & b") == "a &amp; b"


def test_a_commit_is_short_and_only_the_board_links_it() -> None:
    commit = "0123456789abcdef" * 2
    assert (commit[:10] in Links("/").commit(commit), commit[:11] in Links("/").commit(commit)) == (
        True,
        False,
    )
    assert "href" not in Links("/").commit(commit)
    assert f'href="commit/{commit}"' in BoardLinks("/").commit(commit)
    assert quoted("a/b c") == "a/b%20c"


@pytest.mark.parametrize("count", [0, 1, LAST_LINES, LAST_LINES + 1])
def test_of_a_log_the_last_lines_are_shown(tmp_path: Path, count: int) -> None:
    rows = [f"line {number}" for number in range(count)]
    write_tree(tmp_path, {"log": "\n".join([*rows, "", ""])})
    assert last_lines(str(tmp_path / "log")) == "\n".join(rows[-LAST_LINES:])
    assert last_lines(str(tmp_path / "none")) == ""
