"""A brief's research_status moves along its states, and the rest of the file stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.door.samples import BRIEF, RESEARCH
from tests.kit.calls import Ultra
from tests.kit.names import PROJECT

STATES = ("pending", "in_progress", "complete", "skipped")
ALLOWED = {
    ("pending", "in_progress"),
    ("pending", "skipped"),
    ("in_progress", "complete"),
    ("in_progress", "skipped"),
}
WITHOUT = BRIEF.replace("research_topics: 1", "research_topics: 0").replace(
    BRIEF[BRIEF.index("### Topic 1") : BRIEF.index("## How to continue")], ""
)


def brief(status: str, topics: bool) -> str:
    text = (BRIEF if topics else WITHOUT).replace("research_status: pending", f"research_status: {status}")
    skipped = topics and status == "skipped"
    return (
        text.replace("slug: rate-limit\n", "slug: rate-limit\nbrief_quality: partial\n") if skipped else text
    )


@pytest.mark.parametrize("topics", [True, False])
@pytest.mark.parametrize("old", STATES)
@pytest.mark.parametrize("new", STATES)
def test_every_move(ultra: Ultra, project: Path, old: str, new: str, topics: bool) -> None:
    before = brief(old, topics)
    (project / "brief.md").write_text(before)
    (project / "research").mkdir()
    (project / "research/01-stores.md").write_text(RESEARCH)
    told = ultra("brief", "status", PROJECT, new)
    ends = not topics and old in STATES[:2] and new in STATES[2:]
    if old == new or (old, new) in ALLOWED or ends:
        assert (told.status, told.data["ok"], told.data["research_status"]) == (0, True, new)
        expected = before.replace(f"research_status: {old}   # nobody", f"research_status: {new}   # nobody")
        if topics and new == "skipped" and old != "skipped":
            expected = expected.replace("begun\n---", "begun\nbrief_quality: partial\n---")
            assert told.data["brief_quality"] == "partial"
        assert (project / "brief.md").read_text() == expected
        assert ultra("validate", "brief", project / "brief.md").data["valid"] is True
    else:
        assert (told.status, told.data["ok"]) == (1, False)
        assert told.data["error"] == f"research_status is {old} and cannot become {new}"
        assert (project / "brief.md").read_text() == before


def test_research_is_complete_only_when_every_topic_has_its_answer(ultra: Ultra, project: Path) -> None:
    second = BRIEF[BRIEF.index("### Topic 1") : BRIEF.index("## Prior Attempts")].replace(
        "Topic 1", "Topic 2"
    )
    text = BRIEF.replace("research_topics: 1", "research_topics: 2").replace(
        "## Prior Attempts", f"{second.replace('Which store', 'Which clock')}## Prior Attempts"
    )
    text = text.replace("research_status: pending", "research_status: in_progress")
    (project / "brief.md").write_text(text)
    (project / "research").mkdir()
    (project / "research/01-stores.md").write_text(RESEARCH)
    for research in ("", RESEARCH):  # nothing, then the answer to another question
        if research:
            (project / "research/02-clock.md").write_text(research)
        told = ultra("brief", "status", PROJECT, "complete")
        assert (told.status, told.data["ok"]) == (1, False)
        assert "no research answers topic 2 (Stores)" in told.data["error"]
        assert (project / "brief.md").read_text() == text
    (project / "research/02-clock.md").write_text(RESEARCH.replace("Which store", "which  `clock`"))
    assert ultra("brief", "status", PROJECT, "complete").data["research_status"] == "complete"


def test_carriage_returns_and_the_mode_stay(ultra: Ultra, project: Path) -> None:
    path = project / "brief.md"
    path.write_bytes(BRIEF.replace("\n", "\r\n").encode())
    path.chmod(0o640)
    assert ultra("brief", "status", PROJECT, "in_progress").status == 0
    assert path.read_bytes() == BRIEF.replace("pending", "in_progress", 1).replace("\n", "\r\n").encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in project.iterdir()] == ["brief.md"]


def test_a_brief_with_gaps_can_still_move(ultra: Ultra, project: Path) -> None:
    (project / "brief.md").write_text(BRIEF.replace("## Goal\n\nEvery", "## Aim\n\nEvery"))
    assert ultra("brief", "status", PROJECT, "in_progress").data["ok"] is True


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nothing", "FM_MISSING"),
        (BRIEF.replace("ultrabrief", "x"), "BRIEF_WRONG_TYPE"),
        (BRIEF.replace("research_topics: 1", "research_topics: x"), "BRIEF_BAD_TYPE"),
    ],
)
def test_a_file_that_is_no_brief_is_left_alone(ultra: Ultra, project: Path, text: str, code: str) -> None:
    (project / "brief.md").write_text(text)
    told = ultra("brief", "status", PROJECT, "in_progress")
    assert (told.status, [one["code"] for one in told.data["errors"]]) == (1, [code])
    assert (project / "brief.md").read_text() == text


def test_what_cannot_be_moved_is_a_sentence(ultra: Ultra, project: Path) -> None:
    told = ultra("brief", "status", PROJECT, "finished")
    assert told.status == 2
    assert told.data["error"].startswith(
        "research_status must be one of pending, in_progress, complete and skipped, not finished"
    )
    told = ultra("brief", "status", PROJECT, "complete")
    assert (told.status, "there is no such file" in told.data["error"]) == (1, True)
    ultra("put", "brief", "--project", PROJECT, "--draft", given=BRIEF)
    told = ultra("brief", "status", PROJECT, "complete")
    assert (told.status, "gate is open" in told.data["error"]) == (1, True)
    assert ultra("brief", "status", "nowhere", "complete").status == 1
