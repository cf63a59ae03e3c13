"""What a brief says of its review is what happened, and the review ends with a brief in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.door.samples import BRIEF, COMPLETE, answer
from tests.kit.calls import Ultra
from tests.kit.names import PROJECT
from tests.kit.repository import git

PUT = ("put", "brief", "--project", PROJECT)
GATE = ("gate", "brief", "--project", PROJECT)
WITHOUT_GOAL = BRIEF.replace("## Goal\n", "## Aim\n")


def reviewed(ultra: Ultra) -> tuple[bool, bool]:
    """Return what `plan begin` says, as data and in words."""
    told = ultra("plan", "begin", "--project", PROJECT).data
    return told["reviewed"], not any(one.startswith("not reviewed") for one in told["warnings"])


@pytest.mark.parametrize("claim", ["complete", "partial"])
def test_a_brief_that_no_gate_let_through_is_not_reviewed(ultra: Ultra, project: Path, claim: str) -> None:
    given = COMPLETE.replace("brief_quality: complete", f"brief_quality: {claim}")
    assert ultra(*PUT, given=given).data["ok"] is True
    text = (project / "brief.md").read_text()
    assert "\nbrief_quality: partial\n" in text
    assert "## Brief Quality\n\n- **Not reviewed:**" in text
    assert reviewed(ultra) == (False, False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("review_digest: ", "source: manual\nreview_digest: "),
        ("brief_quality: complete", "brief_quality: partial"),
        ("## Intent\n", "## Intent\n\nMore.\n"),
        ("research_status: pending", "research_status: complete"),
        ("slug: ", "auto_research: true\nslug: "),
        ("\n", "\r\n"),
    ],
)
def test_what_a_brief_claims_by_hand_is_not_believed(ultra: Ultra, project: Path, old: str, new: str) -> None:
    ultra(*PUT, "--draft", given=BRIEF)
    ultra(*GATE, given=answer())
    path = project / "brief.md"
    text = path.read_text()
    path.write_bytes(
        text.replace(old, new).encode() if old else COMPLETE.encode().replace(b"review_digest", b"x")
    )
    kept = old in ("research_status: pending", "\n")
    assert reviewed(ultra) == (kept, kept)


def test_what_changes_after_the_gate_leaves_a_brief_reviewed(ultra: Ultra, project: Path) -> None:
    ultra(*PUT, "--draft", given=BRIEF)
    ultra(*GATE, given=answer())
    assert ultra("brief", "status", PROJECT, "--auto").data["ok"] is True
    assert ultra("brief", "status", PROJECT, "skipped").data["brief_quality"] == "partial"
    assert reviewed(ultra) == (True, True)
    assert ultra("validate", "brief", project / "brief.md", "--strict").data["errors"] == []


def test_a_brief_without_a_claim_stays_as_it_is(ultra: Ultra, project: Path) -> None:
    ultra(*PUT, given=BRIEF)
    assert (project / "brief.md").read_text() == BRIEF
    assert reviewed(ultra) == (False, False)


def test_a_brief_that_is_changed_after_its_gate_is_not_reviewed(ultra: Ultra, project: Path) -> None:
    ultra(*PUT, "--draft", given=BRIEF)
    ultra(*GATE, given=answer())
    assert reviewed(ultra) == (True, True)
    ultra(*PUT, "--section", "Goal", given="Something else.")
    assert "brief_quality: partial" in (project / "brief.md").read_text()
    assert reviewed(ultra) == (False, False)


def test_a_brief_whose_review_failed_is_reviewed(ultra: Ultra) -> None:
    ultra(*PUT, "--draft", given=BRIEF)
    ultra(*GATE, given=answer({"testability": 1}))
    ultra(*GATE, "--accept-partial")
    assert reviewed(ultra) == (True, True)


@pytest.mark.parametrize("passes", [True, False])
def test_the_third_round_ends_with_a_brief_whose_soft_faults_are_warnings(
    ultra: Ultra, project: Path, passes: bool
) -> None:
    ultra(*PUT, "--draft", given=WITHOUT_GOAL)
    for number in range(2):
        assert ultra(*GATE, given=answer({"testability": 2})).data["passed"] is False
        ultra(*PUT, "--draft", "--section", "Intent", given=f"Reason {number}.")
    data = ultra(*GATE, given=answer() if passes else answer({"testability": 2})).data
    assert (data["ok"], data["brief_quality"], data["round"]) == (True, "partial", 3)
    assert [one["code"] for one in data["warnings"]] == ["BRIEF_MISSING_SECTION"]
    text = (project / "brief.md").read_text()
    assert "- **BRIEF_MISSING_SECTION:** " in text
    assert not (project / "brief.md.draft").exists()


def test_a_force_stop_ends_with_a_brief_whose_soft_faults_are_warnings(ultra: Ultra, project: Path) -> None:
    ultra(*PUT, "--draft", given=WITHOUT_GOAL)
    data = ultra(*GATE, "--accept-partial").data
    assert (data["ok"], [one["code"] for one in data["warnings"]]) == (True, ["BRIEF_MISSING_SECTION"])
    assert (project / "brief.md").exists()


def test_a_pass_before_the_last_round_does_not_hide_a_fault(ultra: Ultra, project: Path) -> None:
    ultra(*PUT, "--draft", given=WITHOUT_GOAL)
    told = ultra(*GATE, given=answer())
    assert (told.status, [one["code"] for one in told.data["errors"]]) == (1, ["BRIEF_MISSING_SECTION"])
    assert (project / "brief.md.draft").exists()


def test_a_failed_round_starts_with_the_weakest_dimension_and_says_so(ultra: Ultra) -> None:
    ultra(*PUT, "--draft", given=BRIEF)
    told = ultra(*GATE, given=answer({"testability": 3, "scope_clarity": 2})).data
    assert told["next"].startswith("start with scope_clarity, the weakest, and tell the user so;")


def test_the_wish_for_research_is_kept_in_the_brief(ultra: Ultra, project: Path) -> None:
    ultra(*PUT, given=BRIEF)
    told = ultra("brief", "status", PROJECT, "--auto").data
    assert (told["auto_research"], told["research_status"]) == (True, "pending")
    assert (project / "brief.md").read_text() == BRIEF.replace(
        "begun\n---", "begun\nauto_research: true\n---"
    )
    assert ultra("validate", "brief", project / "brief.md", "--strict").data["valid"] is True
    assert ultra("brief", "status", PROJECT).status == 2


def test_how_to_continue_has_the_questions_of_the_topics(ultra: Ultra, project: Path) -> None:
    text = BRIEF.partition("## How to continue")[0]
    ultra(*PUT, "--draft", given=text)
    end = (project / "brief.md.draft").read_text().partition("## How to continue\n\n")[2]
    assert end == BRIEF.partition("## How to continue\n\n")[2]
    assert end.rstrip("\n").split("\n")[-1].startswith("- Topic 1: ")
    assert end.rstrip("\n").endswith("?")


def test_a_draft_names_its_defaults(ultra: Ultra) -> None:
    guide = " ".join(ultra.say("guide", "brief", "draft").out.split())
    defaults = ("- None explicitly stated", "no constraints assumed", "None: a fresh task")
    for default in (*defaults, 'Without topics: "No research needed: " and why'):
        assert default in guide


def test_git_sees_nothing_else(ultra: Ultra, repo: Path) -> None:
    ultra(*PUT, given=COMPLETE)
    assert git(repo, "status", "--porcelain", "--untracked-files=all").count("brief") == 1
