"""Stats: one line of allowed fields, and never a reason to stop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit.calls import Ultra

BRIEF = (
    "slug=rate-limit", "mode=quick", "interview_turns=4", "review_iterations=2", "brief_quality=partial",
    "research_topics=0", "auto_research=true", "auto_result=cancelled",
)  # fmt: skip


def test_a_line_has_the_fields_of_the_contract_and_the_time(ultra: Ultra, tmp_path: Path) -> None:
    for _ in range(2):
        told = ultra("stats", "brief", *BRIEF, "--data", tmp_path / "new")
        assert (told.status, told.data["written"]) == (0, True)
    lines = [json.loads(line) for line in (tmp_path / "new/ultrabrief-stats.jsonl").read_text().splitlines()]
    assert len(lines) == 2
    assert set(lines[0]) == {"ts", *(word.split("=")[0] for word in BRIEF)}
    assert (lines[0]["interview_turns"], lines[0]["auto_research"], lines[0]["mode"]) == (4, True, "quick")
    ultra(
        "stats", "research", "slug=a", "scope=both", "agents=9", "confidence=0.72", "--data", tmp_path / "new"
    )
    assert json.loads((tmp_path / "new/ultraresearch-stats.jsonl").read_text())["confidence"] == 0.72


@pytest.mark.parametrize(
    "word",
    [
        "task=Limit",
        "ts=now",
        "slug",
        "mode=Limit the rate of all requests",
        "mode=limit-the-rate-of-all-requests",
        "interview_turns=many",
        "interview_turns=-1",
        "auto_research=maybe",
        "auto_result=fine",
        "slug=a b",
    ],
)
def test_what_is_not_a_field_is_not_written(ultra: Ultra, tmp_path: Path, word: str) -> None:
    told = ultra("stats", "brief", word, "--data", tmp_path)
    assert (told.status, told.data["written"]) == (0, False)
    assert told.data["why"]
    assert not (tmp_path / "ultrabrief-stats.jsonl").exists()


@pytest.mark.parametrize("data", [(), ("--data", "${CLAUDE_PLUGIN_DATA}"), ("--data", "/dev/null/x")])
def test_without_a_folder_there_is_no_line_and_no_error(ultra: Ultra, data: tuple[str, ...]) -> None:
    told = ultra("stats", "brief", "slug=a", *data)
    assert (told.status, told.data["written"]) == (0, False)
    assert ultra("stats", "nothing", "a=b").status == 0
