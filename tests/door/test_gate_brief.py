"""The brief-review gate: rounds, the end of the loop, and what is on the disk at every moment."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.door.samples import BRIEF, COMPLETE, answer
from tests.kit.calls import Ultra
from tests.kit.files import tree_of
from tests.kit.names import PROJECT

GATE = ("gate", "brief", "--project", PROJECT)
DRAFT = ("put", "brief", "--project", PROJECT, "--draft")
KEYS = {
    "ok", "passed", "round", "exhausted", "weakest", "detail", "verdict", "degraded", "failing", "brief_quality",
    "interview_turns", "next",
}  # fmt: skip


@pytest.fixture
def draft(ultra: Ultra, project: Path) -> Path:
    """Return a draft whose gate is open."""
    assert ultra(*DRAFT, given=BRIEF).data["ok"] is True
    return project / "brief.md.draft"


def revise(ultra: Ultra, goal: str) -> None:
    """Put a draft that differs from the one before."""
    assert ultra(*DRAFT, "--section", "Goal", given=goal).data["ok"] is True


def names(project: Path) -> set[str]:
    return {path.name for path in project.iterdir()} - {".gitignore"}


def test_a_pass_makes_the_draft_the_brief(ultra: Ultra, project: Path, draft: Path) -> None:
    told = ultra(*GATE, given=answer({"completeness": 4, "scope_clarity": 4}))
    assert (told.status, set(told.data)) == (0, {*KEYS, "research_topics", "report"})
    assert told.data["research_topics"] == 1
    assert told.data["report"] == f"{PROJECT}/brief.md: complete after 1 review, 1 research topic"
    assert (told.data["passed"], told.data["round"], told.data["exhausted"]) == (True, 1, False)
    assert (told.data["weakest"], told.data["detail"], told.data["failing"]) == (None, [], [])
    assert (told.data["verdict"], told.data["degraded"]) == ("PROCEED", False)
    assert names(project) == {"brief.md"}
    assert ((project / "brief.md").read_text(), told.data["brief_quality"]) == (COMPLETE, "complete")
    assert ultra("validate", "brief", project / "brief.md", "--strict").data["valid"] is True


def test_a_failure_names_the_weakest_and_keeps_the_draft(ultra: Ultra, project: Path, draft: Path) -> None:
    told = ultra(*GATE, given=answer({"testability": 2, "research_plan": 2, "consistency": 3}, "REVISE"))
    data = told.data
    assert (told.status, data["passed"], data["round"], data["exhausted"]) == (0, False, 1, False)
    assert (data["weakest"], data["detail"], data["verdict"]) == (
        "research_plan",
        ["Stores: vague"],
        "REVISE",
    )
    assert [one["dimension"] for one in data["failing"]] == ["research_plan", "testability", "consistency"]
    assert "research_plan" in data["next"]
    assert f"ultra put brief --project {PROJECT} --draft" in data["next"]
    assert names(project) == {"brief.md.draft", ".brief-gate.local.json"}
    assert draft.read_text() == BRIEF


def test_the_third_failure_ends_the_loop_with_a_partial_brief(
    ultra: Ultra, project: Path, draft: Path
) -> None:
    for number in (1, 2):
        data = ultra(*GATE, given=answer({"testability": 1})).data
        assert (data["round"], data["exhausted"], (project / "brief.md").exists()) == (number, False, False)
        ultra(*DRAFT, "--section", "Goal", given=f"Goal {number}.")
    data = ultra(*GATE, given=answer({"testability": 3, "research_plan": 4}, "PROCEED_WITH_RISKS")).data
    assert (data["passed"], data["round"], data["exhausted"], data["weakest"]) == (
        False,
        3,
        True,
        "testability",
    )
    assert names(project) == {"brief.md"}
    assert "no gate is open" in ultra(*GATE, given=answer()).data["error"]
    text = (project / "brief.md").read_text()
    assert "after 3 of 3 rounds without a pass" in text
    assert re.search(r"\nbrief_quality: partial\nreview_digest: [0-9a-f]{64}\n---\n", text)
    section = text.partition("## Brief Quality\n")[2].partition("## How to continue")[0]
    assert "- **Testability, 3 of 5:** testability is weak\n- **Research plan, 4 of 5:**" in section
    assert "Completeness" not in section
    assert text.index("## Brief Quality") < text.index("## How to continue")
    result = ultra("validate", "brief", project / "brief.md", "--parsed")
    assert (result.data["errors"], result.data["parsed"]["brief_quality"]) == ([], "partial")


def test_only_the_mark_and_the_section_are_new_in_a_partial_brief(
    ultra: Ultra, project: Path, draft: Path
) -> None:
    for _ in range(3):
        ultra(*GATE, given="no block")
    lines = (project / "brief.md").read_text().splitlines()
    start = lines.index("## Brief Quality")
    del lines[start : lines.index("## How to continue")]
    lines.remove("brief_quality: partial")
    assert [line for line in lines if not line.startswith("review_digest: ")] == BRIEF.splitlines()


def test_a_pass_in_the_third_round_is_a_pass(ultra: Ultra, project: Path, draft: Path) -> None:
    for number in range(2):
        ultra(*GATE, given=answer({"testability": 1}))
        revise(ultra, f"Goal {number}.")
    data = ultra(*GATE, given=answer()).data
    assert (data["passed"], data["round"], data["exhausted"]) == (True, 3, False)
    assert "brief_quality: complete\n" in (project / "brief.md").read_text()


@pytest.mark.parametrize(
    "given", ["Nothing to read. Verdict: REVISE", "\n", "```json\n{\n```", b"\xff\xfe ```json"]
)
def test_an_answer_that_cannot_be_read_counts_and_is_marked(
    ultra: Ultra, project: Path, draft: Path, given: str | bytes
) -> None:
    data = ultra(*GATE, given=given).data
    assert (data["passed"], data["round"], data["degraded"], data["weakest"]) == (
        False,
        1,
        True,
        "research_plan",
    )
    assert {one["score"] for one in data["failing"]} == {3}
    assert len(data["failing"]) == 5
    assert data["verdict"] == ("REVISE" if "REVISE" in str(given) else "PROCEED_WITH_RISKS")
    assert "reviewed again" in data["next"]


def test_no_answer_at_all_is_no_round(ultra: Ultra, project: Path, draft: Path) -> None:
    told = ultra(*GATE)
    assert (told.status, told.data["ok"]) == (1, False)
    assert "no round was counted" in told.data["error"]
    assert names(project) == {"brief.md.draft"}


def test_a_force_stop_takes_the_last_review(ultra: Ultra, project: Path, draft: Path) -> None:
    ultra(*GATE, given=answer({"scope_clarity": 2}, "REVISE"))
    data = ultra(*GATE, "--accept-partial").data
    assert (data["passed"], data["round"], data["exhausted"], data["verdict"]) == (False, 1, False, "REVISE")
    assert (data["weakest"], "partial" in data["next"]) == ("scope_clarity", True)
    text = (project / "brief.md").read_text()
    assert "- **Scope clarity, 2 of 5:** scope_clarity is weak\n" in text
    assert "after 1 of 3 rounds" in text
    assert names(project) == {"brief.md"}


def test_a_force_stop_may_bring_a_review_or_come_before_the_first(
    ultra: Ultra, project: Path, draft: Path
) -> None:
    data = ultra(*GATE, "--accept-partial", given=answer({"testability": 2})).data
    assert (data["passed"], data["round"], data["weakest"]) == (False, 1, "testability")
    assert "brief_quality: partial" in (project / "brief.md").read_text()
    ultra(*DRAFT, given=BRIEF)
    data = ultra(*GATE, "--accept-partial").data
    assert (data["passed"], data["round"], data["brief_quality"]) == (False, 0, "partial")
    assert (data["failing"], data["weakest"], data["verdict"]) == ([], None, None)
    text = (project / "brief.md").read_text()
    assert "## Brief Quality\n\n- **Not reviewed:**" in text
    assert " of 5:" not in text
    ultra(*DRAFT, given=BRIEF)
    assert ultra(*GATE, "--accept-partial", given=answer()).data["passed"] is True
    assert (project / "brief.md").read_text() == COMPLETE


def test_without_a_draft_there_is_no_gate(ultra: Ultra, project: Path) -> None:
    told = ultra(*GATE, given=answer())
    assert (told.status, "no gate is open" in told.data["error"], "--draft" in told.data["next"]) == (
        1,
        True,
        True,
    )
    assert list(project.iterdir()) == []


def test_a_new_draft_after_the_end_begins_a_new_count(ultra: Ultra, project: Path, draft: Path) -> None:
    ultra(*GATE, given=answer({"testability": 1}))
    revise(ultra, "Another.")
    ultra(*GATE, given=answer())
    (project / ".brief-gate.local.json").write_text(
        json.dumps({"round": 2})
    )  # as a call killed at its end leaves it
    ultra(*DRAFT, given=BRIEF)
    assert ultra(*GATE, given=answer({"testability": 1})).data["round"] == 1


def test_the_earlier_brief_goes_when_the_new_one_is_in_place(
    ultra: Ultra, project: Path, draft: Path
) -> None:
    ultra(*GATE, given=answer())
    ultra(*DRAFT, given=BRIEF.replace("one of them", "some of them"))
    assert names(project) == {"brief.md.draft", "brief.md.prev"}
    ultra(*GATE, given=answer({"testability": 1}))
    revise(ultra, "Another.")
    assert names(project) == {"brief.md.draft", "brief.md.prev", ".brief-gate.local.json"}
    ultra(*GATE, given=answer())
    assert names(project) == {"brief.md"}
    assert "some of them" in (project / "brief.md").read_text()


def test_a_brief_that_somebody_put_beside_the_draft_goes_too(
    ultra: Ultra, project: Path, draft: Path
) -> None:
    (project / "brief.md").write_text("by hand")
    assert ultra(*GATE, given=answer()).data["passed"] is True
    assert ((project / "brief.md").read_text(), names(project)) == (COMPLETE, {"brief.md"})


def test_a_partial_brief_that_passes_later_is_complete(ultra: Ultra, project: Path, draft: Path) -> None:
    ultra(*GATE, "--accept-partial", given=answer({"testability": 1}))
    partial = (project / "brief.md").read_text()
    assert "brief_quality: partial" in partial
    ultra(*DRAFT, given=partial)
    assert ultra(*GATE, given=answer()).data["passed"] is True
    assert (project / "brief.md").read_text() == COMPLETE


def test_a_review_can_be_kinder_than_the_contract(ultra: Ultra, repo: Path, project: Path) -> None:
    """Five stars do not add the section that is missing: the draft is corrected, and no round is lost."""
    ultra(*DRAFT, given=BRIEF.replace("## Goal\n\nEvery", "## Aim\n\nEvery"))
    before = tree_of(repo)
    told = ultra(*GATE, given=answer())
    assert (told.status, [one["code"] for one in told.data["errors"]]) == (1, ["BRIEF_MISSING_SECTION"])
    assert tree_of(repo) == before
    ultra(*DRAFT, given=BRIEF)
    assert ultra(*GATE, given=answer()).data["round"] == 1


@pytest.mark.parametrize("rounds", [0, 2])
def test_a_partial_brief_keeps_the_contract_too(ultra: Ultra, repo: Path, project: Path, rounds: int) -> None:
    """Neither the user's consent nor the last round lets a draft through that is no brief of this version."""
    ultra(*DRAFT, given=BRIEF)
    ultra(*GATE, given=answer())
    for number in range(rounds):
        ultra(*DRAFT, given=BRIEF.replace("too much", f"too much {number}"))
        ultra(*GATE, given=answer({"testability": 2}))
    ultra(*DRAFT, given=BRIEF.replace("too much", "far too much"))
    draft = project / "brief.md.draft"
    draft.write_text(draft.read_text().replace("brief_version: 2.0", "brief_version: 9.0"))
    before = tree_of(repo)
    words = ("--accept-partial",) if not rounds else ()
    told = ultra(*GATE, *words, given=answer({"testability": 2}))
    codes = [one["code"] for one in told.data["errors"]]
    assert (told.status, codes) == (1, ["BRIEF_VERSION_UNSUPPORTED"])
    assert tree_of(repo) == before
    assert (project / "brief.md.prev").read_text() == COMPLETE


def test_an_unchanged_draft_is_not_reviewed_until_it_passes(ultra: Ultra, project: Path, draft: Path) -> None:
    assert ultra(*GATE, given=answer({"testability": 2})).data["round"] == 1
    for given in (answer(), answer({"testability": 2})):
        told = ultra(*GATE, given=given)
        assert (told.status, "no round was counted" in told.data["error"]) == (1, True)
        assert "for the rest of testability ask" in told.data["next"]
    revise(ultra, "Another.")
    assert ultra(*GATE, given=answer()).data["round"] == 2


def test_an_answer_that_could_not_be_read_may_be_asked_for_again(
    ultra: Ultra, project: Path, draft: Path
) -> None:
    assert ultra(*GATE, given="no block").data["round"] == 1
    assert ultra(*GATE, given=answer()).data["round"] == 2


def test_a_low_score_without_a_detail_goes_back_once(ultra: Ultra, project: Path, draft: Path) -> None:
    silent = answer({"testability": 2}, details={"testability": []})
    told = ultra(*GATE, given=silent)
    assert (told.status, "testability fails, but not why" in told.data["error"]) == (1, True)
    assert "reviewed again" in told.data["next"]
    again = ultra(*GATE, given=silent).data
    assert (again["round"], again["weakest"], again["detail"]) == (1, "testability", [])


def test_discarding_the_draft_puts_the_earlier_brief_back(ultra: Ultra, project: Path, draft: Path) -> None:
    ultra(*GATE, given=answer())
    ultra(*DRAFT, given=BRIEF.replace("one of them", "some of them"))
    ultra(*GATE, given=answer({"testability": 1}))
    data = ultra(*GATE, "--discard").data
    assert (data["ok"], data["restored"]) == (True, True)
    assert (names(project), (project / "brief.md").read_text()) == ({"brief.md"}, COMPLETE)
    told = ultra(*GATE, "--discard")
    assert (told.status, "no gate is open" in told.data["error"]) == (1, True)
    (project / "brief.md").unlink()
    ultra(*DRAFT, given=BRIEF)
    assert ultra(*GATE, "--discard").data["restored"] is False
    assert names(project) == set()
    assert ultra(*GATE, "--discard", "--accept-partial").status == 2


def test_a_missing_brief_is_told_from_one_whose_gate_is_open(
    ultra: Ultra, project: Path, draft: Path
) -> None:
    (error,) = ultra("validate", "brief", project / "brief.md").data["errors"]
    assert (error["code"], "brief.md.draft exists" in error["message"]) == ("BRIEF_NOT_FOUND", True)
    draft.unlink()
    (error,) = ultra("validate", "brief", project / "brief.md").data["errors"]
    assert "draft" not in error["message"]


def test_what_can_be_computed_is_filled_in(ultra: Ultra, project: Path) -> None:
    """Date, slug, folder, topics, status and commands come from the project and the text, right or wrong before."""
    bare = BRIEF[: BRIEF.index("created:")] + "task: x\n---\n" + BRIEF[BRIEF.index("# Rate") :]
    bare = bare[: bare.index("## How to continue")]
    assert ultra(*DRAFT, given=bare).data["warnings"] == []
    text = (project / "brief.md.draft").read_text()
    for line in ("created: 2026-01-31", "slug: rate-limit", f"project_dir: {PROJECT}/", "research_topics: 1"):
        assert f"\n{line}\n" in text
    assert text.endswith(BRIEF[BRIEF.index("\n## How to continue") :])


def test_a_count_that_cannot_be_read_is_said(ultra: Ultra, project: Path, draft: Path) -> None:
    (project / ".brief-gate.local.json").mkdir()
    told = ultra(*GATE, given=answer({"testability": 1}))
    assert (told.status, "which counts the rounds, cannot be read" in told.data["error"]) == (1, True)


def test_a_draft_that_somebody_broke_is_said(ultra: Ultra, project: Path, draft: Path) -> None:
    draft.write_text("no front matter")
    for given in (answer(), answer({"testability": 1})):
        for _ in range(3):
            told = ultra(*GATE, given=given)
        assert (told.status, told.data["ok"]) == (1, False)
    assert not (project / "brief.md").exists()


def test_the_answer_for_a_person(ultra: Ultra, draft: Path) -> None:
    told = ultra.say(*GATE, given=answer({"testability": 2}))
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(
        "Round 1 of 3: not passed, PROCEED.\n  testability: 2 of 5; testability is weak\n"
    )
    assert "The answer was not in the expected form" not in told.out
    degraded = ultra.say(*GATE, "--accept-partial", given="no block").out
    assert "\nThe answer was not in the expected form; missing scores count as weak.\n" in degraded
