"""docs/design.md describes the tree as it is: its files exist, its rooms are those of the runtime, in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.runtime.test_rooms import ROOMS
from ultra_plugin.fill import WIDTH

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/design.md").read_text()
HOMES = {"ultra_runtime": "plugin_src/runtime", "ultra_plugin": "generator"}
WALKS = {title: text for title, _, text in (part.partition("\n") for part in PAGE.split("\n## ")[2:])}
MOST_LINES = 20


def named_files(text: str) -> list[str]:
    """Return the paths in backticks: what has a slash and no space."""
    return re.findall(r"`([\w.<>-]+/[^` ]*)`", text)


def exists(name: str) -> bool:
    """Tell whether a path of the page is there; <plugin> stands for any plugin."""
    home = ROOT / HOMES.get(name.partition("/")[0], ".")
    return any(home.glob(name.replace("<plugin>", "*")))


@pytest.mark.parametrize("name", sorted(set(named_files(PAGE))))
def test_a_file_that_the_page_names_exists(name: str) -> None:
    assert exists(name)


def test_a_file_that_does_not_exist_is_seen() -> None:
    assert not exists("ultra_runtime/guard/tea.py")
    assert not exists("dist/<plugin>/tea.md")


def test_links_lead_somewhere_and_lines_fit() -> None:
    assert [link for link in re.findall(r"\]\(([^)#]+)\)", PAGE) if not (ROOT / "docs" / link).exists()] == []
    assert [line for line in PAGE.split("\n") if len(line) > WIDTH] == []


def test_the_picture_shows_the_rooms_in_their_order() -> None:
    picture = re.findall(r"^    (\S+)  +\S", PAGE.split("\n## ")[1], re.MULTILINE)
    assert [name.replace("/", ".") for name in picture] == list(ROOMS)


def test_there_are_three_short_walks_with_file_names() -> None:
    assert list(WALKS) == ["A field of the brief", "A shell command", "ultra step verify"]
    for title, text in WALKS.items():
        assert len(text.strip().split("\n")) <= MOST_LINES, title
        assert len(named_files(text)) >= 8, title


def test_contributing_maps_every_room_of_the_runtime() -> None:
    shown = (ROOT / "CONTRIBUTING.md").read_text().split("\n## ")[0]
    assert sorted(room for room in ROOMS if room.replace(".", "/") not in shown) == []
