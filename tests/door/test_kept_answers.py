"""Answers of agents that the hook has kept, and the verbs that take them: nobody types them again, nobody takes old ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.door.samples import BRIEF, DIMENSIONS
from tests.door.samples import answer as brief_review
from tests.kit.calls import Ultra
from tests.kit.names import EXAMPLE, NAME, PROJECT

SESSION = {"CLAUDE_CODE_SESSION_ID": "session-a"}
GATE = ("gate", "plan", "--project", PROJECT)
PUT = ("put", "plan", "--project", PROJECT, "--draft")


def fenced(block: Mapping[str, object]) -> str:
    return f"Verdict: READY\n\n```json\n{json.dumps(block)}\n```\n"


CRITIC = fenced({**{name: {"score": 5, "issues": []} for name in DIMENSIONS}, "verdict": "READY"})
GUARDIAN = fenced(
    {"gaps": {"score": 5, "missing": []}, "creep": {"score": 5, "surplus": []}, "verdict": "ALIGNED"}
)


def answered(ultra: Ultra, agent: str, answer: str, session: str = "session-a") -> None:
    """Let an agent end with an answer."""
    given = {
        "session_id": session,
        "cwd": str(ultra.folder),
        "agent_type": f"{NAME}:{agent}",
        "last_assistant_message": answer,
    }
    assert ultra.hook("agent_answer", given).out == ""


@pytest.fixture
def draft(ultra: Ultra, project: Path) -> Path:
    """Return a draft that keeps its contract."""
    ultra(*PUT, given=(EXAMPLE / "plan.md").read_text(), env=SESSION)
    return project / "plan.md.draft"


def test_the_gate_takes_what_was_kept(ultra: Ultra, draft: Path, project: Path) -> None:
    answered(ultra, "plan-critic", CRITIC)
    answered(ultra, "scope-guardian", GUARDIAN)
    told = ultra(*GATE, "--kept", "--data", str(project / "data"), env=SESSION).data
    assert (told["passed"], "missing" in told, "failing" in told) == (True, False, False)
    assert (project / "plan.md").exists()
    (line,) = (project / "data/ultraplan-stats.jsonl").read_text().splitlines()
    assert json.loads(line)["source"] == "brief"


def test_a_failed_round_of_a_kept_review_starts_with_the_weakest_and_says_so(
    ultra: Ultra, project: Path
) -> None:
    ultra("put", "brief", "--project", PROJECT, "--draft", given=BRIEF, env=SESSION)
    answered(ultra, "brief-reviewer", brief_review({"testability": 3, "scope_clarity": 2}))
    told = ultra("gate", "brief", "--project", PROJECT, "--kept", env=SESSION).data
    assert [one["dimension"] for one in told["failing"]] == ["scope_clarity", "testability"]
    assert told["next"].startswith("start with scope_clarity, the weakest, and tell the user so;")


def test_an_answer_is_used_once(ultra: Ultra, draft: Path) -> None:
    low = CRITIC.replace(
        '"risk": {"score": 5, "issues": []}', '"risk": {"score": 1, "issues": ["none named"]}'
    )
    answered(ultra, "plan-critic", low)
    answered(ultra, "scope-guardian", GUARDIAN)
    assert ultra(*GATE, "--kept", env=SESSION).data["passed"] is False
    again = ultra(*GATE, "--kept", env=SESSION)
    assert (again.status, "no answer of plan-critic or scope-guardian is kept" in again.data["error"]) == (
        1,
        True,
    )


def test_a_changed_draft_needs_new_answers(ultra: Ultra, draft: Path) -> None:
    answered(ultra, "plan-critic", CRITIC)
    ultra(*PUT, "--section", "Verification", given="- `true`\n", env=SESSION)
    assert ultra(*GATE, "--kept", env=SESSION).status == 1


@pytest.mark.parametrize("session", ["session-b", ""])
def test_another_session_has_its_own_answers(ultra: Ultra, draft: Path, session: str) -> None:
    answered(ultra, "plan-critic", CRITIC, session)
    assert ultra(*GATE, "--kept", env=SESSION).status == 1


def test_an_answer_without_its_form_is_sent_back_and_not_kept(ultra: Ultra, draft: Path) -> None:
    given = {"session_id": "session-a", "cwd": str(ultra.folder), "agent_type": f"{NAME}:plan-critic"}
    told = ultra.hook("agent_answer", {**given, "last_assistant_message": "no block"})
    assert json.loads(told.out)["decision"] == "block"
    assert ultra(*GATE, "--kept", env=SESSION).status == 1


def test_without_kept_the_answer_comes_from_standard_input(ultra: Ultra, draft: Path) -> None:
    assert ultra(*GATE, given=CRITIC + GUARDIAN, env=SESSION).data["passed"] is True


def test_the_name_of_a_session_is_no_path(ultra: Ultra, draft: Path, repo: Path) -> None:
    answered(ultra, "plan-critic", CRITIC, "../../../elsewhere")
    assert not list(repo.parent.rglob("plan-critic.md"))


def test_old_sessions_are_forgotten(ultra: Ultra, draft: Path, repo: Path) -> None:
    for number in range(22):
        answered(ultra, "plan-critic", CRITIC, f"session-{number}")
    assert len(list((repo / ".git/ultra/answers").iterdir())) == 20


def test_a_review_takes_each_kept_answer_once(ultra: Ultra, work: Path) -> None:
    (work / "a.py").write_text("x = 1\n")
    ultra("triage", "--project", PROJECT, "--since", "HEAD", env=SESSION)
    nothing = {"summary": "s", "remediation": [], "merge": [], "settled": [], "severity": []}
    for agent, call, block in (
        ("test-reviewer", ("add", "test-reviewer"), {"findings": [], "looked_at": []}),
        ("review-coordinator", ("verdict",), nothing),
    ):
        answered(ultra, agent, fenced(block))
        review = ("review", *call, "--project", PROJECT, "--kept")
        assert ultra(*review, env=SESSION).status == 0
        again = ultra(*review, env=SESSION)
        assert (again.status, f"no answer of {agent} is kept" in again.data["error"]) == (1, True)


def test_all_needs_what_was_kept(ultra: Ultra, work: Path) -> None:
    told = ultra("review", "add", "all", "--project", PROJECT, given="x")
    assert (told.status, "all needs --kept" in told.data["error"]) == (2, True)


def test_an_answer_to_an_earlier_scope_is_not_taken_for_the_next(ultra: Ultra, work: Path) -> None:
    """Nor does a triage drop what another session was answered."""
    (work / "a.py").write_text("x = 1\n")
    other = {"CLAUDE_CODE_SESSION_ID": "session-b"}
    triage = ("triage", "--project", PROJECT, "--since", "HEAD")
    review = ("review", "add", "test-reviewer", "--project", PROJECT, "--kept")
    ultra(*triage, env=SESSION)
    for session in ("session-a", "session-b"):
        answered(ultra, "test-reviewer", fenced({"findings": [], "looked_at": []}), session)
    ultra(*triage, env=SESSION)
    assert "no answer of test-reviewer is kept" in ultra(*review, env=SESSION).data["error"]
    assert ultra(*review, env=other).status == 0
