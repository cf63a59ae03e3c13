"""The picture of a recorded session: its parts, the picture that is checked in, and the session itself."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.client.session import Client
from tests.executor.sample import PROJECT
from tests.flagship.greeting import COMMITS
from tests.kit.names import ROOT
from tests.recording.__main__ import PLACE
from tests.recording.film import (
    LAST,
    LONGEST,
    PLAIN,
    SHORTEST,
    Piece,
    Screen,
    Shown,
    calm,
    paced,
    pieces,
    shown,
    svg,
)
from tests.recording.session import record

LARGEST = 250_000
MOMENTS = (
    "--project",
    "Step 1/3 committed",
    "Step 2/3 failed, attempt 1 of 3",
    "Step 2/3 failed, attempt 2 of 3",
    "Result: failed",
    "--resume",
    "Step 3/3 committed",
    "Result: completed",
)


def test_pieces_have_place_and_colour() -> None:
    line = "a \x1b[1;31mred one\x1b[0m  \x1b[38;2;1;2;255mblue\x1b[39m \x1b[38;5;46mgreen"
    assert list(pieces(line)) == [
        Piece(0, "a", PLAIN, False),
        Piece(2, "red one", "#e06c75", True),
        Piece(11, "blue", "#0102ff", False),
        Piece(16, "green", "#00ff00", False),
    ]


def test_a_line_is_written_once_for_as_long_as_it_stays() -> None:
    screens = [Screen(0, "a\nb"), Screen(1, "a\nc"), Screen(3, "a\nb"), Screen(4, "")]
    assert sorted(shown(screens), key=lambda one: (one.row, one.start)) == [
        Shown(0, "a", 0, 4),
        Shown(1, "b", 0, 1),
        Shown(1, "c", 1, 3),
        Shown(1, "b", 3, 4),
    ]


def test_times_are_for_people() -> None:
    screens = [Screen(0, "a"), Screen(0.05, "b"), Screen(100, "b"), Screen(200, "c"), Screen(200.2, "d")]
    told = paced(screens)
    assert [one.text for one in told] == ["b", "c", "d", ""]
    assert [one.time for one in told] == pytest.approx(
        [0, LONGEST, LONGEST + SHORTEST, LONGEST + SHORTEST + LAST]
    )


def test_what_only_moves_is_left_out() -> None:
    assert calm("\x1b[31m✶ Transmuting… (16s · 22 tokens)\n  tmux detected · scroll\n● Working… on") == (
        "\x1b[33m✻ Working…\n\n● Working… on"
    )


def test_a_picture_is_well_formed_and_has_no_script() -> None:
    made = svg(paced([Screen(0, "<b> & 'x'"), Screen(1, "y")]), 20, 2, 'a "title"')
    tree = ET.fromstring(made)  # noqa: S314 - our own text
    assert "<b> & 'x'" in "".join(tree.itertext())
    assert "script" not in made


def test_the_recording_of_the_readme_is_small_and_shows_the_whole_story() -> None:
    text = PLACE.read_text()
    assert len(text.encode()) < LARGEST
    spoken = [(float(start), words) for start, words in told(text)]
    times = [next((start for start, words in spoken if moment in words), None) for moment in MOMENTS]
    assert None not in times, dict(zip(MOMENTS, times, strict=True))
    assert times == sorted(time for time in times if time is not None), times
    assert f"]({PLACE.relative_to(ROOT)})" in (ROOT / "README.md").read_text().partition("```")[0]
    assert "/tmp/" not in text


def told(picture: str) -> list[tuple[str, str]]:
    """Return when each line begins, and its words."""
    rows = re.findall(
        r'<text y="\d+"[^>]*>(?:<set[^>]*begin="t\.begin\+([\d.]+)s"[^>]*/>)?(.*?)</text>', picture
    )
    return [(start or "0", " ".join(re.sub(r"<[^>]*>", " ", row).split())) for start, row in rows]


@pytest.mark.soak
def test_the_session_is_what_it_shows(client: Client, bundle: Path, tmp_path: Path) -> None:
    repo, screens = record(client, bundle, tmp_path / "greet")
    assert repo.subjects()[1:] == COMMITS
    assert repo.progress()["status"] == "completed"
    seen = [" ".join(re.sub(r"\x1b\[[0-9;]*m", "", one.text).split()) for one in screens]
    firsts = [next(at for at, one in enumerate(seen) if moment in one) for moment in MOMENTS]
    assert firsts == sorted(firsts)
    assert (tmp_path / "greet" / PROJECT / "logs/report.md").is_file()
