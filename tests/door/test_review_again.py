"""A review after a review: what changed since then is looked at, and what was left open is not forgotten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.door.samples import plan
from tests.door.test_review import ADD, CONFORM, block, finding, judged, ruled
from tests.kit.calls import Ultra
from tests.kit.names import PROJECT
from tests.kit.repository import git
from ultra_runtime.review.severities import SEVERITIES

TRIAGE = ("triage", "--project", PROJECT)


@pytest.fixture
def reviewed(ultra: Ultra, work: Path) -> list[str]:
    """Return the ids of a review of one commit: a grave finding, a small one, and a criterion that is not shown."""
    start = git(work, "rev-parse", "HEAD")
    (work / "a.py").write_text("x = 1\ny = 2\n")
    git(work, "add", "a.py")
    git(work, "commit", "--quiet", "--message=work")
    ultra(*TRIAGE, "--since", start)
    small = finding(rule="small", severity="MINOR", evidence="y = 2", message="small")
    ultra(*ADD, given=block(finding(), small))
    ultra(*CONFORM, given=block(criteria=judged("shown", "shown", "partly shown")))
    told = ruled(ultra)
    findings = told["findings"]
    assert isinstance(findings, list)
    return [one["id"] for one in findings]


def fix(work: Path, ids: list[str]) -> None:
    """Commit what a plan that takes up some findings would change."""
    listed = "".join(f"  - {one}\n" for one in ids)
    text = plan(1).replace('plan_version: "1.7"\n', f'plan_version: "1.7"\nsource_findings:\n{listed}')
    (work / PROJECT / "plan.md").write_text(text)
    git(work, "update-ref", "refs/ultra/run/2026-01-31-rate-limit/start", "HEAD")
    (work / "a.py").write_text("x = 3\ny = 2\n")
    git(work, "commit", "--quiet", "--all", "--message=fix")


def test_after_the_fixes_the_scope_is_what_changed_since_the_review(
    ultra: Ultra, work: Path, reviewed: list[str]
) -> None:
    _, seen = git(work, "rev-list", "--reverse", "HEAD").split()
    fix(work, reviewed[:1])
    told = ultra(*TRIAGE).data
    assert (told["source"], told["scope_sha_start"]) == ("review", seen)
    scope = json.loads((work / told["scope_file"]).read_text())
    assert scope["earlier_review"] == f"{PROJECT}/review.md"
    diff = (work / told["diff"]).read_text()
    assert ("+x = 3" in diff, "+y = 2" in diff) == (True, False)
    ultra(*ADD, given=block())
    ultra(*CONFORM, given=block(criteria=judged("shown", "shown", "shown")))
    ruled(ultra)
    (work / PROJECT / "review.md").touch()
    again = ultra(*TRIAGE).data
    assert (again["source"], again["scope_sha_start"]) == ("review", seen), "the same review, once more"
    (work / PROJECT / "plan.md").write_text(plan(1))
    assert ultra(*TRIAGE).data["source"] == "run"


def test_a_finding_that_is_carried_on_gets_the_line_of_today(
    ultra: Ultra, work: Path, reviewed: list[str]
) -> None:
    fix(work, reviewed[:1])
    (work / "a.py").write_text("# a head\n# of two lines\nx = 3\ny = 2\n")
    told = ultra(*TRIAGE).data
    (carried,) = json.loads((work / told["findings_file"]).read_text())["findings"]
    assert (carried["evidence"], carried["line"]) == ("y = 2", 4)


def test_a_small_task_is_reviewed_against_its_plan(ultra: Ultra, work: Path) -> None:
    (work / PROJECT / "brief.md").unlink()
    (work / PROJECT / "plan.md").write_text(
        plan(1).replace("plan_version", "task: Count words\nplan_version")
    )
    (work / "a.py").write_text("x = 1\ny = 2\n")
    assert ultra(*TRIAGE, "--since", "HEAD").data["brief"] == f"{PROJECT}/plan.md"
    ultra(*ADD, given=block(finding()))
    ultra(*CONFORM, given=block(criteria=judged("not shown")))
    findings = ruled(ultra)["findings"]
    assert isinstance(findings, list)
    assert {one["at"].partition(":")[0] for one in findings} == {"a.py", f"{PROJECT}/plan.md"}
    head = (work / PROJECT / "review.md").read_text().partition("# Review")[0]
    assert 'task: "Count words"' in head
    assert f"brief_path: {PROJECT}/plan.md\n" in head


def test_a_small_change_spares_reviewers_and_the_review_says_so(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text("x = 1\n" * 60)
    told = ultra(*TRIAGE, "--since", "HEAD").data
    assert (told["spared"], told["agents"]) == (["security-reviewer", "maintainability-reviewer"], 4)
    assert "4 agents" in told["price"]
    assert "spawn only correctness-reviewer, conformance-reviewer and test-reviewer" in told["next"]
    ultra(*CONFORM, given=block(criteria=judged("shown", "shown", "shown")))
    ultra(*ADD, given=block())
    added = ultra("review", "add", "correctness-reviewer", "--project", PROJECT, given=block()).data
    assert added["missing"] == []
    ruled(ultra)
    said = "A small change, so security-reviewer and maintainability-reviewer were not asked."
    assert said in (work / PROJECT / "review.md").read_text()
    (work / "a.py").write_text("x = 1\n" * 61)
    assert ultra(*TRIAGE, "--since", "HEAD").data["spared"] == []


def test_what_was_left_open_is_in_the_next_review_unless_it_is_settled(
    ultra: Ultra, work: Path, reviewed: list[str]
) -> None:
    criterion, grave, small = reviewed
    fix(work, [grave, criterion])
    told = ultra(*TRIAGE).data
    assert told["earlier"] == {"carried": 1, "gone": 1}
    ultra(*ADD, given=block())
    ultra(*CONFORM, given=block(criteria=judged("shown", "shown", "shown")))
    first = (work / PROJECT / "review.md").read_text()
    ruled(ultra)
    assert (work / PROJECT / "review.2.md").read_text() == first
    review = (work / PROJECT / "review.md").read_text()
    assert f"### {small}\n" in review
    assert "- **Message:** small (found by earlier-review)" in review
    assert f"is no longer in the files: `{grave[:8]}`" in review
    assert f"### {criterion}" not in review
    assert f"Fixed by the plan and not found again: `{criterion[:8]}`." in review
    assert ultra("validate", "plan", f"{PROJECT}/plan.md").data["warnings"] == []
    settled = [{"id": small, "why": "a.py:2 is used now"}]
    stats = work.parent / "stats"
    told = ruled(ultra, "--data", str(stats), settled=settled)
    assert (told["verdict"], told["merged"], told["counts"]) == ("ALLOW", 0, dict.fromkeys(SEVERITIES, 0))
    (line,) = map(json.loads, next(stats.iterdir()).read_text().splitlines())
    read = [one for one in ultra(*TRIAGE).data["files"] if one["depth"] != "skipped"]
    assert (line["files"], line["verdict"], line["findings"]) == (len(read), "ALLOW", told["counts"])
    review = (work / PROJECT / "review.md").read_text()
    assert f"### {small}\n" not in review
    assert f"Settled since the previous review: `{small[:8]}`, a.py:2 is used now" in review
    assert ultra("validate", "review", f"{PROJECT}/review.md", "--strict").data["warnings"] == []


def test_what_is_found_again_is_told_once_and_cannot_be_settled(
    ultra: Ultra, work: Path, reviewed: list[str]
) -> None:
    fix(work, reviewed[:1])
    ultra(*TRIAGE)
    again = finding(rule="small", severity="MINOR", evidence="y = 2", message="still small")
    told = ultra(*ADD, given=block(again)).data
    assert told["counts"]["MINOR"] == 1
    refused = ruled(ultra, settled=[{"id": reviewed[2], "why": "no"}])
    assert "was found in this review too" in str(refused["error"])
    ruled(ultra)
    assert "still small" in (work / PROJECT / "review.md").read_text()


def test_a_second_triage_of_the_same_scope_keeps_the_answers_and_another_scope_says_what_goes(
    ultra: Ultra, work: Path
) -> None:
    (work / "a.py").write_text("x = 1\n" * 100)
    assert ultra(*TRIAGE, "--since", "HEAD").data["kept"] == []
    file = work / ultra(*ADD, given=block(finding())).data["findings_file"]
    told = ultra(*TRIAGE, "--since", "HEAD").data
    assert work / told["findings_file"] == file
    assert (told["kept"], told["removed"], told["agents"]) == (["test-reviewer"], [], 5)
    assert "answered for this scope: spawn only correctness-reviewer" in told["next"]
    assert len(json.loads(file.read_text())["findings"]) == 1
    (work / "a.py").write_text("x = 1\nz = 1\n" * 100)
    told = ultra(*TRIAGE, "--since", "HEAD").data
    assert (told["kept"], told["removed"], told["agents"]) == ([], ["test-reviewer"], 6)
    assert not file.exists()


def test_a_review_that_was_written_is_begun_anew(ultra: Ultra, work: Path, reviewed: list[str]) -> None:
    told = ultra(*TRIAGE, "--since", git(work, "rev-list", "--max-parents=0", "HEAD")).data
    assert (told["kept"], told["removed"], told["earlier"]["carried"]) == ([], [], 2)
