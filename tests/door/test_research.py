"""Research of a project: what is open, who looks, the confidence that lands in the file, and what comes next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.door.samples import BRIEF, COMPLETE, RESEARCH
from tests.kit.calls import Ultra
from tests.kit.names import COMMANDS, PROJECT

BEGIN = ("research", "begin", "--project", PROJECT)
PUT = ("put", "research", "--project", PROJECT, "--topic", "1")
COMPUTE = ("confidence", "--dimensions", "1", "--project", PROJECT, "--topic", "1")
EVIDENCE = "1 | local-structure | code | yes | src/limit.py:1"
TOPIC = BRIEF[BRIEF.index("### Topic 1") : BRIEF.index("## Prior Attempts")]
SECOND = (
    TOPIC.replace("Topic 1: Stores", "Topic 2: The Clock!")
    .replace("Which store can", "Which clock does")
    .replace("Scope:** both", "Scope:** external")
    .replace("cost:** quick", "cost:** standard")
)
TWO = COMPLETE.replace(TOPIC, TOPIC + SECOND).replace("research_topics: 1", "research_topics: 2")
EXTERNAL = ["web-docs", "web-releases", "web-issues", "web-security"]


@pytest.fixture
def brief(project: Path) -> Path:
    """Return a brief with two topics."""
    (project / "brief.md").write_text(TWO)
    (project / "research").mkdir()
    return project / "brief.md"


def test_begin_tells_all_that_is_needed_and_moves_the_status(
    ultra: Ultra, project: Path, brief: Path
) -> None:
    data = ultra(*BEGIN).data
    first, second = data["topics"]
    assert first == {
        "topic": 1,
        "title": "Stores",
        "question": "Which store can count per user?",
        "answered": False,
        "plan_steps": "the choice of the store",
        "scope": "both",
        "confidence_needed": "high",
        "cost": "quick",
        "slug": "stores",
        "agents": ["local-structure", "local-dependencies", "web-docs"],
    }
    assert (second["slug"], second["scope"], second["agents"]) == ("the-clock", "external", EXTERNAL)
    assert (data["new_topic"], data["agents_in_all"], data["second_model"]) == (3, 7, False)
    assert data["price"].startswith("7 agents (")
    assert data["billing"] == "agents use the account that this client is logged in with"
    assert (data["project"], data["brief"]) == (PROJECT, f"{PROJECT}/brief.md")
    assert "research topic 1 and 2, one after the other" in data["next"]
    assert data["research_status"] == "in_progress"
    assert brief.read_text() == TWO.replace("research_status: pending", "research_status: in_progress")
    assert ultra(*BEGIN).data["research_status"] == "in_progress"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("which lock guards the change of `add`", "which lock guards the change of `add`"),
        ("`add`", "add"),
        ("**the choice of** `add`", "**the choice of** `add`"),
        ("**the choice**", "the choice"),
        ("`a` or `b`", "`a` or `b`"),
        ('"the choice"', "the choice"),
    ],
)
def test_a_field_keeps_the_marks_that_are_not_around_the_whole_of_it(
    ultra: Ultra, project: Path, brief: Path, written: str, read: str
) -> None:
    brief.write_text(TWO.replace("the choice of the store", written, 1))
    assert ultra(*BEGIN).data["topics"][0]["plan_steps"] == read


def test_flags_win_over_the_topic(ultra: Ultra, brief: Path, tmp_path: Path) -> None:
    (tmp_path / "gemini").write_text("#!/bin/sh\n")
    (tmp_path / "gemini").chmod(0o755)
    ultra.env["PATH"] += f":{tmp_path}"
    ultra.env["ANTHROPIC_API_KEY"] = "x"
    data = ultra(*BEGIN, "--local", "--quick").data
    assert [one["agents"] for one in data["topics"]] == [["local-structure", "local-dependencies"]] * 2
    assert ([one["scope"] for one in data["topics"]], data["second_model"]) == (["local"] * 2, None)
    assert "ANTHROPIC_API_KEY" in data["billing"]
    assert ultra(*BEGIN).data["second_model"] is True
    assert ultra(*BEGIN, "--local", "--external").status == 2


def test_a_file_that_answers_another_question_leaves_the_topic_open(
    ultra: Ultra, project: Path, brief: Path
) -> None:
    (project / "research/01-old.md").write_text(RESEARCH.replace("store", "bucket"))
    (project / "research/02-clock.md").write_text(RESEARCH.replace("Which store can", "which CLOCK  does"))
    data = ultra(*BEGIN).data
    first, second = data["topics"]
    assert (first["answered"], first["replaces"], first["slug"]) == (False, "01-old.md", "old")
    assert "01-old.md answers a different question and will be replaced" in data["next"]
    assert (second["answered"], second["confidence"], second["enough"]) == (True, 0.8, True)
    warned = ultra("validate", "research", project / "research").data["warnings"]
    assert [one["code"] for one in warned] == ["RESEARCH_TOPIC_UNANSWERED"]
    assert "01-old.md answers a different question from topic 1" in warned[0]["message"]
    told = ultra("plan", "begin", "--project", PROJECT).data["warnings"]
    assert any("RESEARCH_TOPIC_UNANSWERED" in one for one in told)
    assert ultra(*PUT, "--slug", "old", given=RESEARCH).data["ok"] is True
    assert ultra("validate", "research", project / "research").data["warnings"] == []
    assert "run `ultra brief status" in ultra(*BEGIN).data["next"]


def test_an_answer_that_is_not_sure_enough_is_said(ultra: Ultra, project: Path, brief: Path) -> None:
    (project / "research/01-stores.md").write_text(RESEARCH.replace("0.8", "0.45"))
    assert ultra(*BEGIN).data["topics"][0]["enough"] is False
    codes = {
        one["code"]: one["message"]
        for one in ultra("validate", "research", project / "research").data["warnings"]
    }
    assert "confidence 0.45, but topic 1" in codes["RESEARCH_NO_CONFIDENCE"]
    assert "needs high (0.75 or more)" in codes["RESEARCH_NO_CONFIDENCE"]


def test_the_computed_confidence_lands_in_the_file(ultra: Ultra, project: Path, brief: Path) -> None:
    typed = ultra(*PUT, "--slug", "stores", given=RESEARCH.replace("0.8", "0.99")).data["warnings"]
    assert [one["code"] for one in typed] == ["RESEARCH_NO_CONFIDENCE"]
    assert "no confidence was computed" in typed[0]["message"]
    computed = ultra(*COMPUTE, given="1 | web-docs | official | partly | https://a.example/x").data
    assert (computed["confidence"], computed["enough"], computed["weak"]) == (0.35, False, [1])
    told = ultra(*PUT, given=RESEARCH.replace("0.8", "0.99")).data
    assert (told["warnings"], told["next"].startswith("confidence is 0.35, as computed")) == ([], True)
    text = (project / "research/01-stores.md").read_text()
    assert "\nconfidence: 0.35\n" in text
    assert "\ndimensions: 1\n" in text
    ultra(*COMPUTE, given=EVIDENCE)
    ultra(*PUT, "--section", "Sources", given="- src/limit.py")
    assert "\nconfidence: 0.8\n" in (project / "research/01-stores.md").read_text()
    bare = RESEARCH.replace("confidence: 0.8\n", "")
    ultra(*PUT, given=bare)
    assert "\nconfidence: 0.8\n" in (project / "research/01-stores.md").read_text()


def test_what_was_computed_for_another_question_is_not_taken(
    ultra: Ultra, project: Path, brief: Path
) -> None:
    ultra(*COMPUTE, given=EVIDENCE)
    other = RESEARCH.replace("Which store", "Which bucket")
    told = ultra(*PUT, "--slug", "stores", given=other).data
    assert [one["code"] for one in told["warnings"]] == ["RESEARCH_NO_CONFIDENCE"]


def test_put_says_what_is_really_next(ultra: Ultra, project: Path, brief: Path) -> None:
    ultra(*BEGIN)
    ultra(*COMPUTE, given=EVIDENCE)
    assert "continue with topic 2, The Clock!" in ultra(*PUT, "--slug", "stores", given=RESEARCH).data["next"]
    second = RESEARCH.replace("Which store can", "Which clock does")
    words = ("put", "research", "--project", PROJECT, "--topic", "2", "--slug", "the-clock")
    assert f"run `ultra brief status {PROJECT} complete`" in ultra(*words, given=second).data["next"]
    ultra("brief", "status", PROJECT, "complete")
    assert f"{COMMANDS['plan']} --project {PROJECT}" in ultra(*words, given=second).data["next"]


@pytest.mark.parametrize("status", ["pending", "in_progress", "skipped", "complete"])
def test_the_last_answer_completes_research_that_has_begun(ultra: Ultra, brief: Path, status: str) -> None:
    before = TWO.replace("research_status: pending", f"research_status: {status}")
    brief.write_text(before)
    ultra(*PUT, "--slug", "stores", "--complete", given=RESEARCH)
    assert brief.read_text() == before
    second = RESEARCH.replace("Which store can", "Which clock does")
    words = ("put", "research", "--project", PROJECT, "--topic", "2", "--slug", "the-clock")
    ultra(*words, given=second)
    assert brief.read_text() == before
    ultra(*words, "--complete", given=second)
    assert brief.read_text() == before.replace("research_status: in_progress", "research_status: complete")


def test_a_brief_without_a_project_and_no_brief_at_all(ultra: Ultra, repo: Path, brief: Path) -> None:
    data = ultra("research", "begin", "--brief", f"{PROJECT}/brief.md").data
    assert data["project"] == PROJECT
    (repo / "my.md").write_text(TWO)
    data = ultra("research", "begin", "--brief", "my.md").data
    assert (data["project"], data["brief"], len(data["topics"])) == (None, "my.md", 2)
    assert (repo / "my.md").read_text() == TWO
    before = brief.read_bytes()
    data = ultra("research", "begin", "--brief", "my.md", "--project", PROJECT).data
    assert (data["project"], data["brief"], len(data["topics"])) == (PROJECT, "my.md", 2)
    assert ((repo / "my.md").read_text(), brief.read_bytes()) == (TWO, before)
    data = ultra("research", "begin", "--external").data
    assert (data["agents"], data["agents_in_all"]) == (EXTERNAL, 4)
    assert "guide research interview" in data["next"]


def test_without_a_brief_to_research_it_is_refused(ultra: Ultra, project: Path) -> None:
    told = ultra(*BEGIN)
    assert (told.status, "BRIEF_NOT_FOUND" in told.data["error"]) == (1, True)
    assert f"{COMMANDS['brief']} first" in told.data["next"]
    ultra("put", "brief", "--project", PROJECT, "--draft", given=BRIEF)
    assert "brief.md.draft exists" in ultra(*BEGIN).data["error"]
    (project / "brief.md.draft").unlink()
    (project / "brief.md").write_text("nothing")
    assert "FM_MISSING" in ultra(*BEGIN).data["error"]
    for words in (("--topic", "1"), ("--project", PROJECT)):
        assert ultra("confidence", "--dimensions", "1", *words, given=EVIDENCE).status == 2
