"""The review command in the real client: triage, five reviewers, one coordinator, and a verdict that is arithmetic."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.client.fixtures import Play
from tests.client.model import Call, Say, ScriptedModel, SubAgent, Together
from tests.kit.model import answered, bash, fenced, given, spawn, validated
from tests.kit.names import COMMANDS, EXAMPLE, NAME, PROJECT
from tests.kit.repository import git

TYPED = COMMANDS["review"]
REVIEWERS = {
    "correctness-reviewer": "# Review for correctness",
    "conformance-reviewer": "# Review against the brief",
    "security-reviewer": "# Review for security",
    "test-reviewer": "# Review the tests",
    "maintainability-reviewer": "# Review for maintainability",
}
LOOKING = ["Glob", "Grep", "Read"]
CODE = """\
def allow(count: int, most: int) -> bool:
    try:
        return count < most
    except Exception:
        pass
    return True
"""
EARLY = {
    "severity": "MAJOR",
    "rule": "off-by-one",
    "path": "app/limit.py",
    "line": 3,
    "evidence": "return count < most",
    "message": "The last request of the budget is refused.",
    "fix": "Compare with <=.",
}
LATE = {**EARLY, "severity": "BLOCKER", "line": 40, "evidence": "return  count < most"}
LOST = {
    **EARLY,
    "severity": "MINOR",
    "rule": "swallowed-error",
    "line": 4,
    "evidence": "except Exception:\n        pass",
    "message": "Errors vanish.",
}
MADE_UP = {**EARLY, "rule": "made-up", "evidence": "import redis"}
SAME_CAUSE = {**LOST, "rule": "bare-except", "evidence": "except Exception:", "severity": "SUGGESTION"}
ASKED = [line[2:] for line in (EXAMPLE / "brief.md").read_text().split("\n")[28:31]]
CRITERIA = [
    {"criterion": ASKED[0], "state": "partly shown", "where": "no test is there"},
    {"criterion": ASKED[1], "state": "not shown", "where": "app/limit.py:3"},
    {"criterion": ASKED[2], "state": "shown", "where": "bench/limit.py:1"},
]
SHOWN = [{**one, "state": "shown"} for one in CRITERIA]


def found(*findings: object, **more: object) -> str:
    """Return a reviewer's answer."""
    return fenced({**more, "findings": list(findings), "looked_at": ["app/limit.py"]})


ANSWERS = {
    "correctness-reviewer": found(EARLY, LOST, MADE_UP),
    "conformance-reviewer": found(LATE, criteria=CRITERIA),
    "security-reviewer": found(),
    "test-reviewer": found(),
    "maintainability-reviewer": found(SAME_CAUSE),
}


@pytest.fixture
def worked(project: Path) -> Path:
    """Return a repository in which a run has just ended: code, text, a lock file and a built file have changed."""
    target = project / PROJECT
    target.mkdir(parents=True)
    shutil.copy(EXAMPLE / "brief.md", target)
    start = git(project, "rev-parse", "HEAD")
    (target / "progress.json").write_text(
        json.dumps({"status": "completed", "session_start_sha": start, "started_at": "2026-01-31"})
    )
    for path, text in {
        "app/limit.py": CODE,
        "docs/api.md": "# API\n",
        "package-lock.json": "{}\n",
        "dist/app.js": "1\n",
    }.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text)
    git(project, "add", "--force", "app", "docs", "package-lock.json", "dist")
    git(project, "commit", "--quiet", "--message=feat: limit")
    return project


def cast(answers: dict[str, str]) -> list[SubAgent]:
    return [SubAgent(REVIEWERS[name], Say(text)) for name, text in answers.items()]


def spawned() -> Together:
    logs = f"{PROJECT}/logs/review-scope"
    return Together(*(spawn(name, f"{PROJECT}/brief.md {logs}.diff {logs}.json") for name in REVIEWERS))


def added(answers: dict[str, str]) -> list[Call]:
    return [
        given(f"ultra review add {name} --project {PROJECT} --json", text) for name, text in answers.items()
    ]


def decided(
    merge: Sequence[object] = (), severity: Sequence[object] = (), summary: str = "One request too early."
) -> str:
    """Return the coordinator's answer."""
    return fenced(
        {
            "summary": summary,
            "remediation": ["Compare with <=."],
            "merge": list(merge),
            "settled": [],
            "severity": list(severity),
        }
    )


def verdict(text: str) -> Call:
    return given(f"ultra review verdict --project {PROJECT} --json", text)


def ids(model: ScriptedModel, project: Path) -> dict[str, str]:
    kept = json.loads((project / PROJECT / "logs/review-findings.json").read_text())
    return {one["rule"]: one["id"] for one in kept["findings"]}


@pytest.mark.soak
def test_from_triage_to_a_review_with_findings_told_once(play: Play, worked: Path, bundle: Path) -> None:
    triage = bash(f"ultra triage --project {PROJECT} --json")
    model = play(f"{TYPED} --project {PROJECT}", triage, spawned(), *added(ANSWERS), agents=cast(ANSWERS))

    results = model.tool_results()
    assert not [result for result in results if result.is_error]
    assert "A finding without evidence in the file is dropped" in model.main.text
    scope = answered(results[0])
    depths = {one["path"]: (one["depth"], one["reason"]) for one in scope["files"]}
    assert (scope["source"], scope["agents"]) == ("run", 4)
    assert scope["billing"].startswith("agents ")
    assert depths["app/limit.py"][0] == "deep-reviewed"
    assert depths["docs/api.md"] == ("summary-only", "text for people")
    assert depths["package-lock.json"][0] == "skipped"
    assert depths["dist/app.js"] == ("skipped", "generated: in dist/")
    assert "+        return count < most" in (worked / scope["diff"]).read_text()

    agents = [result.call.input["subagent_type"] for result in results if result.call.name == "Agent"]
    assert agents == [f"{NAME}:{name}" for name in REVIEWERS]
    for heading in REVIEWERS.values():
        assert sorted(model.agent(heading).tools) == LOOKING
        assert "copy the evidence word for word" in " ".join(model.agent(heading).text.split())
    first = answered(results[6])
    assert (first["kept"], [one["why"] for one in first["dropped"]]) == (
        2,
        ["the evidence is not in the file"],
    )
    last = answered(results[-1])
    assert (last["missing"], last["counts"]) == ([], {"BLOCKER": 1, "MAJOR": 1, "MINOR": 1, "SUGGESTION": 1})

    named = ids(model, worked)
    merge = [{"keep": named["swallowed-error"], "drop": [named["bare-except"]], "why": "One cause."}]
    text = decided(merge)
    model = play(
        f"{TYPED} --project {PROJECT}",
        spawn("review-coordinator", last["findings_file"]),
        verdict(text),
        bash(f"ultra validate review {PROJECT}/review.md --strict --json"),
        agents=[SubAgent("# Coordinate a review", Say(text))],
    )
    assert sorted(model.agent("# Coordinate a review").tools) == LOOKING
    _, ruled, valid = model.tool_results()
    answer = answered(ruled)
    assert (answer["verdict"], answer["merged"], answer["goals"]) == ("BLOCK", 1, 2)
    assert answer["counts"] == {"BLOCKER": 1, "MAJOR": 1, "MINOR": 1, "SUGGESTION": 0}
    assert f"{COMMANDS['plan']} --brief {PROJECT}/review.md" in answer["next"]
    assert answered(valid)["valid"] is True

    review = (worked / PROJECT / "review.md").read_text()
    assert re.findall(r"^### ([0-9a-f]{40})$", review, re.MULTILINE) == [
        named["off-by-one"],
        named["criterion-partly-shown"],
        named["swallowed-error"],
    ]
    assert "found by correctness-reviewer, conformance-reviewer" in review
    assert "- **Location:** app/limit.py:3\n" in review
    assert f"- not shown: {ASKED[1]} (app/limit.py:3)" in review
    assert "This success criterion is partly shown (no test is there): " in review
    assert "and leaves the other findings as they are" in answer["next"]
    assert "`package-lock.json` (a lock file, written by a package manager)" in review
    assert validated(bundle, worked, "project", PROJECT)["errors"] == [
        one for one in validated(bundle, worked, "project", PROJECT)["errors"] if "PROGRESS" in one["code"]
    ]


def test_a_reviewer_that_wants_to_write_or_commit_cannot(play: Play, worked: Path) -> None:
    before = git(worked, "rev-parse", "HEAD")
    tries = [
        bash(f"ultra put review --project {PROJECT} --from README.md --json"),
        bash("git commit --allow-empty --message=mine"),
        Call("Edit", {"file_path": str(worked / "app/limit.py"), "old_string": "<", "new_string": ">"}),
    ]
    agents = [SubAgent(REVIEWERS["correctness-reviewer"], *tries, Say(found()))]
    model = play(TYPED, spawn("correctness-reviewer", "Review"), agents=agents)
    refused = model.agent(REVIEWERS["correctness-reviewer"]).tool_results()
    assert [result.is_error for result in refused] == [True, True, True]
    assert (worked / "app/limit.py").read_text() == CODE
    assert git(worked, "rev-parse", "HEAD") == before
    assert not (worked / PROJECT / "review.md").exists()


def test_wrong_arguments_have_a_usage_and_an_unknown_commit_a_sentence(play: Play, worked: Path) -> None:
    model = play(
        f"{TYPED} --since deadbeef",
        bash("ultra guide review usage"),
        bash("ultra triage --since deadbeef --json"),
        bash("ultra triage --json"),
    )
    assert "For anything else show `ultra guide review usage` and stop" in model.main.text
    assert f"Usage: {TYPED} [--project DIR] [--since SHA]" in model.main.text
    unknown, newest = (answered(result) for result in model.tool_results()[1:])
    assert (unknown["ok"], unknown["error"]) == (False, "there is no commit deadbeef here")
    assert newest["project"] == PROJECT
