"""The verbs of a review: only what is proved counts, nothing that was said is lost, and the verdict is arithmetic."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.door.samples import plan
from tests.kit.calls import Ultra
from tests.kit.names import COMMANDS, EXAMPLE, PROJECT, SOURCES
from tests.kit.repository import git

TRIAGE = ("triage", "--project", PROJECT)
ADD = ("review", "add", "test-reviewer", "--project", PROJECT)
CONFORM = ("review", "add", "conformance-reviewer", "--project", PROJECT)
CRITERIA = [line[2:] for line in (EXAMPLE / "brief.md").read_text().split("\n")[28:31]]
TOKEN = "AKI" + "AQ3ZK7P5R2M9XW4TB"  # in pieces, so that no scanner takes this file for a leak


def finding(**changes: object) -> dict[str, object]:
    told = {"severity": "MAJOR", "rule": "r", "path": "a.py", "line": 1, "evidence": "x = 1"}
    return {**told, "message": "m", "fix": "f", **changes}


def block(*findings: object, **more: object) -> str:
    return f"```json\n{json.dumps({**more, 'findings': list(findings), 'looked_at': []})}\n```"


def answer(**changes: object) -> str:
    return block(finding(**changes))


def judged(*states: str, where: str = "nowhere") -> list[dict[str, str]]:
    return [
        {"criterion": text, "state": state, "where": where}
        for text, state in zip(CRITERIA, states, strict=False)
    ]


def ruled(ultra: Ultra, *words: str, **decided: object) -> dict[str, object]:
    """Return what the verdict answers to a coordinator who decides nothing but this."""
    told = {"summary": "s", "remediation": [], "merge": [], "settled": [], "severity": [], **decided}
    given = f"```json\n{json.dumps(told)}\n```"
    return ultra("review", "verdict", "--project", PROJECT, *words, given=given).data


def test_what_is_not_proved_is_dropped_with_the_reason(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text("y = 0\nx  =  1\n")
    ultra(*TRIAGE, "--since", "HEAD")
    told = ultra(*ADD, given=answer(evidence="x = 2")).data
    assert (told["kept"], [one["why"] for one in told["dropped"]]) == (0, ["the evidence is not in the file"])
    kept = ultra(*ADD, given=answer()).data
    assert kept["kept"] == 1
    findings = json.loads((work / kept["findings_file"]).read_text())["findings"]
    assert [(one["line"], one["reviewers"]) for one in findings] == [(2, ["test-reviewer"])]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"evidence": " "}, "findings[1].evidence is empty"),
        ({"severity": "HIGH"}, "findings[1].severity must be BLOCKER, "),
        ({"line": "1"}, 'findings[1].line must be a whole number, not "1"'),
        ({"fix": None}, "findings[1].fix must be text, not null"),
        (
            {"rule": "Not A Slug"},
            'findings[1].rule must be a short name of letters, digits and hyphens, not "Not A Slug"',
        ),
        ({"opinion": "bad"}, "findings[1].opinion is not a key of this form"),
    ],
)
def test_a_block_that_is_not_in_its_form_is_refused_whole(
    ultra: Ultra, work: Path, changes: dict[str, object], fault: str
) -> None:
    (work / "a.py").write_text("x = 1\n")
    ultra(*TRIAGE, "--since", "HEAD")
    told = ultra(*ADD, given=answer(**changes))
    assert (told.status, fault in told.data["error"]) == (1, True)
    assert not (work / PROJECT / "logs/review-findings.json").exists()


def test_the_coverage_of_the_review_names_every_file_with_its_reason(ultra: Ultra, work: Path) -> None:
    for path, text in {"a.py": "x = 1\n", "b.py": "y = 2\n", "package-lock.json": "{}\n"}.items():
        (work / path).write_text(text)
    files = ultra(*TRIAGE, "--since", "HEAD").data["files"]
    assert {"a.py", "b.py", "package-lock.json"} <= {one["path"] for one in files}
    ultra(*ADD, given=answer())
    told = ruled(ultra)
    skipped = [f"{one['path']} ({one['reason']})" for one in files if one["depth"] == "skipped"]
    assert told["skipped"] == skipped
    nothing = {"summary": "s", "remediation": [], "merge": [], "settled": [], "severity": []}
    given = f"```json\n{json.dumps(nothing)}\n```"
    said = ultra.say("review", "verdict", "--project", PROJECT, given=given).out.splitlines()
    assert said[:3] == [
        "WARN: 0 BLOCKER, 1 MAJOR, 0 MINOR, 0 SUGGESTION",
        f"not reviewed: {'; '.join(skipped)}",
        told["path"],
    ]
    assert "package-lock.json (a lock file, written by a package manager)" in skipped
    review = (work / PROJECT / "review.md").read_text()
    coverage = review.partition("## Coverage\n")[2].partition("\n## ")[0]
    task = re.search(r"^task: (.*)$", (work / PROJECT / "brief.md").read_text(), re.MULTILINE)
    looked = sum(one["depth"] != "skipped" for one in files)
    head = git(work, "rev-parse", "HEAD")
    assert task
    for line in (f'task: "{task[1]}"', f"scope_sha_end: {head}", f"reviewed_files_count: {looked}"):
        assert f"\n{line}\n" in review, line
    chapters = {part.partition(":**")[0]: part for part in coverage.split("- **")}
    for one in files:
        assert f"`{one['path']}` ({one['reason']})" in chapters[one["depth"]], one


def test_a_review_is_written_strictly_and_planning_reads_it_softly(ultra: Ultra, project: Path) -> None:
    text = (EXAMPLE / "review.md").read_text().replace("## Coverage\n", "## Covered\n")
    told = ultra("put", "review", "--project", PROJECT, given=text)
    assert (told.status, [one["code"] for one in told.data["errors"]]) == (1, ["REVIEW_MISSING_SECTION"])
    (project / "review.md").write_text(text)
    assert ultra("plan", "begin", "--brief", f"{PROJECT}/review.md").data["source"] == "review"


def test_what_is_missing_or_no_block_is_refused_with_what_to_do(ultra: Ultra, work: Path) -> None:
    assert "ultra triage" in ultra(*ADD, given="It looks fine.").data["next"]
    (work / "a.py").write_text("x = 1\n")
    ultra(*TRIAGE, "--since", "HEAD")
    assert "no ```json block" in ultra(*ADD, given="It looks fine.").data["error"]
    none = ultra(*ADD, given='```json\n{"findings": "none"}\n```')
    assert 'findings must be a list, not "none"' in none.data["error"]
    assert ruled(ultra)["error"] == "no reviewer has answered yet"
    ultra(*ADD, given=answer())
    merged = ruled(ultra, merge=[{"keep": "0" * 40, "drop": [], "why": "?"}])
    assert "there is no finding 0000" in str(merged["error"])
    assert ruled(ultra, summary="# A heading\nand words")["verdict"] == "WARN"
    assert "\nA heading\nand words" in (work / PROJECT / "review.md").read_text()


def test_the_sixteenth_finding_is_one_too_many(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text("x = 1\n")
    ultra(*TRIAGE, "--since", "HEAD")
    many = [finding(rule=f"r-{number}") for number in range(16)]
    assert "findings must have at most 15 entries, not 16" in ultra(*ADD, given=block(*many)).data["error"]
    assert ultra(*ADD, given=block(*many[1:])).data["kept"] == 15


def test_a_finding_that_quotes_a_secret_is_dropped_and_the_review_goes_on(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text(f'x = 1\nKEY = "{TOKEN}"\n')
    ultra(*TRIAGE, "--since", "HEAD")
    leaks = [finding(rule="leak", evidence=f'KEY = "{TOKEN}"'), finding(message=f"{TOKEN} is in the code")]
    told = ultra(*ADD, given=block(*leaks, finding(rule="leak", evidence='KEY = "')))
    assert (told.data["kept"], TOKEN in told.out) == (1, False)
    assert all("quote the part of the line before it" in one["why"] for one in told.data["dropped"])
    assert ruled(ultra)["verdict"] == "WARN"


def test_a_reviewer_who_answers_again_replaces_what_he_said(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text("x = 1\n")
    ultra(*TRIAGE, "--since", "HEAD")
    ultra(*ADD, given=answer())
    assert ultra(*ADD, given=block()).data["counts"]["MAJOR"] == 0
    ultra(*ADD, given=answer(severity="BLOCKER"))
    ultra(*ADD[:2], "security-reviewer", *ADD[3:], given=answer(message="other words"))
    left = ultra(*ADD, given=block()).data["counts"]
    assert left == {"BLOCKER": 0, "MAJOR": 1, "MINOR": 0, "SUGGESTION": 0}
    wrong = ultra("review", "add", "tester", "--project", PROJECT, given=block())
    assert (wrong.status, "unknown reviewer: tester" in wrong.data["error"]) == (2, True)


def test_a_criterion_that_is_not_shown_blocks_and_one_that_is_partly_shown_warns(
    ultra: Ultra, work: Path
) -> None:
    (work / "a.py").write_text("x = 1\n")
    ultra(*TRIAGE, "--since", "HEAD")
    ultra(*CONFORM, given=block(criteria=judged("shown", "partly shown", "shown")))
    assert ruled(ultra)["verdict"] == "WARN"
    told = ultra(*CONFORM, given=block(criteria=judged("shown", "partly shown", "not shown"))).data
    assert told["counts"] == {"BLOCKER": 1, "MAJOR": 1, "MINOR": 0, "SUGGESTION": 0}
    assert ruled(ultra)["verdict"] == "BLOCK"
    review = (work / PROJECT / "review.md").read_text()
    assert f"- **Rule:** criterion-not-shown\n- **Location:** {PROJECT}/brief.md:31\n" in review
    assert f"This success criterion is not shown (nowhere): {CRITERIA[2]}" in review
    assert CRITERIA[2] in review
    found = json.loads((work / told["findings_file"]).read_text())["findings"]
    lower = [{"id": found[0]["id"], "to": "MINOR", "why": "It will do."}]
    assert "so it stays BLOCKER" in str(ruled(ultra, severity=lower)["error"])


def test_the_coordinator_merges_and_corrects_and_the_gravest_left_decides(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text("x = 1\ny = 2\n")
    ultra(*TRIAGE, "--since", "HEAD")
    for reviewer, text in {
        "test-reviewer": answer(),
        "security-reviewer": answer(rule="s", evidence="y = 2", severity="BLOCKER"),
    }.items():
        file = ultra("review", "add", reviewer, "--project", PROJECT, given=text).data["findings_file"]
    one, two = (found["id"] for found in json.loads((work / file).read_text())["findings"])
    assert ruled(ultra)["verdict"] == "BLOCK"
    assert "1 of the files had uncommitted changes." in (work / PROJECT / "review.md").read_text()
    assert ruled(ultra, severity=[{"id": one, "to": "MINOR", "why": "a"}])["verdict"] == "WARN"
    lower = [{"id": name, "to": "SUGGESTION", "why": "a"} for name in (one, two)]
    assert ruled(ultra, severity=lower)["verdict"] == "ALLOW"
    merged = ruled(ultra, merge=[{"keep": two, "drop": [one], "why": "a"}])
    assert (merged["verdict"], merged["merged"], merged["goals"]) == ("BLOCK", 1, 1)
    assert ruled(ultra, severity=[{"id": one, "to": "MINOR"}])["ok"] is False
    assert ruled(ultra, summary="")["ok"] is False
    assert ruled(ultra, remediation="do it")["ok"] is False
    assert "opinion is not a key" in str(ruled(ultra, opinion="good")["error"])


def test_the_next_command_is_offered_with_its_own_reason(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text("x = 1\n")
    ultra(*TRIAGE, "--since", "HEAD")
    ultra(*ADD, given=answer())
    assert "it plans fixes for BLOCKER and MAJOR" in str(ruled(ultra)["next"])
    (work / PROJECT / "plan.md").write_text(plan(3))
    (work / PROJECT / "progress.json").write_bytes(
        (SOURCES / "contracts/fixtures/progress/valid.json").read_bytes()
    )
    told, standing = ruled(ultra)["next"], ultra("status", "--project", PROJECT).data
    assert standing["stage"] == "execute"
    assert told == f"offer the user `{standing['next']}`: {standing['reason']}"


def test_clean_work_ends_the_project_and_degraded_work_says_so(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text("x = 1\n" * 100)
    ultra(*TRIAGE, "--since", "HEAD")
    for name in ("test", "correctness", "maintainability"):
        ultra("review", "add", f"{name}-reviewer", "--project", PROJECT, given=block())
    ultra(*CONFORM, given=block(criteria=judged("shown", "shown", "shown")))
    early = ruled(ultra)
    assert (early["verdict"], early["missing"]) == ("ALLOW", ["security-reviewer"])
    assert f"{COMMANDS['review']} --project {PROJECT}` reviews again" in str(early["next"])
    ultra("review", "add", "security-reviewer", "--project", PROJECT, given=block())
    told = ruled(ultra, "--degraded")
    assert (told["verdict"], told["missing"]) == ("ALLOW", [])
    assert "the project is complete" in str(told["next"])
    review = (work / PROJECT / "review.md").read_text()
    assert ("findings: []" in review, "Degraded: no agent could be spawned" in review) == (True, True)
    assert ultra("validate", "review", f"{PROJECT}/review.md").data["valid"] is True
