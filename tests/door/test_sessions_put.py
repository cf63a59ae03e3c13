"""`ultra sessions put`: the decomposer's block becomes the Execution Strategy of a plan, and with it the specs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit.calls import Ultra
from tests.kit.files import tree_of
from tests.kit.names import EXAMPLE, PROJECT

PUT = ("sessions", "put", "--project", PROJECT)


def session(steps: list[int], touch: list[str], **more: object) -> dict[str, object]:
    own = {"title": "Some", "steps": steps, "wave": 1, "depends_on": [], "touch": touch, "never_touch": []}
    return {**own, "context": f"Does {steps}.", "handoff": "# It is\nthere.", **more}


FIRST = session(
    [1, 2], ["app/limit.py", "tests/test_limit.py", "app/middleware.py", "tests/test_middleware.py"]
)
DOCS = session([3], ["docs/api.md"], never_touch=["app/limit.py"])
LAST = session([4], ["bench/limit.py", "bench/run.sh"], wave=2, depends_on=[1])


def block(*sessions: object, split: bool = True, **more: object) -> str:
    told = {"split": split, "why": "They share no file.", "sessions": list(sessions), **more}
    return f"Prose.\n\n```json\n{json.dumps(told)}\n```\n"


@pytest.fixture
def planned(project: Path) -> Path:
    """Return a plan whose steps nobody has shared yet."""
    text = (EXAMPLE / "plan.md").read_text()
    text = text[: text.index("## Execution Strategy")] + text[text.index("## Verification") :]
    (project / "plan.md").write_text(text)
    return project / "plan.md"


def test_the_sessions_stand_in_the_plan(ultra: Ultra, planned: Path) -> None:
    told = ultra(*PUT, given=block(FIRST, DOCS, LAST)).data
    assert (told["ok"], told["sessions"], told["specs"]) == (True, 3, [])
    assert told["next"] == "continue: the sessions are in the plan"
    shown = ultra("plan", "show", f"{PROJECT}/plan.md").data
    assert [one["steps"] for one in shown["sessions"]] == [[1, 2], [3], [4]]
    assert shown["sessions"][1]["never_touch"] == ["app/limit.py"]
    assert shown["sessions"][2]["depends_on"] == [1]
    assert ultra("validate", "plan", f"{PROJECT}/plan.md", "--strict").data["valid"] is True
    assert not (planned.parent / "sessions").exists()


def test_with_export_each_spec_has_the_decomposers_words(ultra: Ultra, planned: Path) -> None:
    told = ultra(*PUT, "--export", given=block(FIRST, DOCS, LAST)).data
    assert told["specs"] == [f"{PROJECT}/sessions/session-{number}.md" for number in (1, 2, 3)]
    assert told["next"] == "name the specs in the summary"
    text = (planned.parent / "sessions/session-2.md").read_text()
    assert "## Context\n\nDoes [3].\n" in text
    assert "## Handoff State\n\nIt is\nthere.\n" in text
    for path in told["specs"]:
        assert ultra("validate", "session-spec", path).data["valid"] is True


def test_one_session_leaves_the_plan_as_it_is(ultra: Ultra, planned: Path) -> None:
    before = planned.read_bytes()
    told = ultra(*PUT, given=block(split=False)).data
    assert (told["ok"], told["sessions"], "They share no file." in told["next"]) == (True, 1, True)
    assert planned.read_bytes() == before


@pytest.mark.parametrize(
    ("sessions", "code"),
    [
        ([FIRST, {**DOCS, "touch": ["app/limit.py"]}, LAST], "PLAN_SCOPE_OVERLAP"),
        ([FIRST, DOCS], "PLAN_SESSION_STEPS"),
        ([{**FIRST, "depends_on": [2]}, {**DOCS, "depends_on": [1]}, LAST], "PLAN_CYCLE"),
    ],
)
def test_sessions_that_break_the_contract_are_not_written(
    ultra: Ultra, planned: Path, repo: Path, sessions: list[Any], code: str
) -> None:
    before = tree_of(repo)
    told = ultra(*PUT, "--export", given=block(*sessions))
    assert (told.status, code in [one["code"] for one in told.data["errors"]]) == (1, True)
    assert tree_of(repo) == before


def test_a_secret_in_a_handoff_is_not_written(ultra: Ultra, planned: Path, repo: Path) -> None:
    before = tree_of(repo)
    leak = {**DOCS, "handoff": "The key is AKI" + "AQ3ZK7P5R2M9XW4TB."}
    told = ultra(*PUT, "--export", given=block(FIRST, leak, LAST))
    assert (told.status, [one["code"] for one in told.data["errors"]]) == (1, ["SECRET_FOUND"])
    assert tree_of(repo) == before


def test_what_is_no_answer_of_the_decomposer_or_too_early_is_refused(ultra: Ultra, planned: Path) -> None:
    assert "not in the form" in ultra(*PUT, given=block(FIRST, DOCS, LAST, more=1)).data["error"]
    planned.rename(planned.with_name("plan.md.draft"))
    assert "gate is open" in ultra(*PUT, given=block(FIRST, DOCS, LAST)).data["error"]
    planned.with_name("plan.md.draft").unlink()
    assert "there is no such file" in ultra(*PUT, given=block(FIRST, DOCS, LAST)).data["error"]
