"""`ultra plan show` and `ultra validate plan`, with every interpreter of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interpreters import python_on_path, sampled
from tests.kit.calls import Ultra
from tests.kit.names import PROJECT
from tests.plan.conftest import PutPlan
from tests.plan.texts import manifest, plan, session, step, strategy

FIXTURES = Path(__file__).parents[2] / "plugin_src/contracts/fixtures"
NAMES = [path.parent.parent.name for path in sampled()]


def test_a_plan_is_shown(ultra: Ultra, put_plan: PutPlan) -> None:
    path = put_plan((FIXTURES / "plan/valid.md").read_bytes())
    told = ultra("plan", "show", path)
    data = told.data
    assert (told.status, data["ok"], data["type"], data["valid"]) == (0, True, "plan", True)
    assert [one["number"] for one in data["steps"]] == [1, 2, 3]
    first = data["steps"][0]
    assert first["verify"] == {
        "command": "pytest -q tests/test_limit.py",
        "expected": "passed",
        "literal": True,
    }
    assert first["test_first"]["command"] == "pytest tests/test_limit.py"
    assert first["manifest"]["must_contain"] == [{"path": "src/limit.py", "pattern": "^class TokenBucket"}]
    assert data["steps"][1]["test_first"]["command"] is None
    assert (data["waves"], data["verification"]) == ([[1, 2]], ["pytest -q", "The answer reads well."])
    words = ultra.say("plan", "show", path)
    assert words.status == 0
    assert "Plan, version 1.7, 3 steps" in words.out
    assert "Wave 1: session 1 (Limit: steps 1, 2) and session 2 (Docs: step 3)" in words.out


def test_a_session_spec_is_shown(ultra: Ultra, put_plan: PutPlan) -> None:
    path = put_plan((FIXTURES / "session-spec/valid.md").read_bytes())
    data = ultra("plan", "show", path).data
    assert (data["type"], data["entry_condition"]["kind"]) == ("session-spec", "none")
    assert data["exit_conditions"][0] == "grep -q 429 docs/limits.md"


def test_a_broken_plan_is_shown_with_its_codes(ultra: Ultra, put_plan: PutPlan) -> None:
    told = ultra("plan", "show", put_plan(plan(step(1), step(3))))
    assert (told.status, told.data["valid"]) == (0, False)
    assert [entry["code"] for entry in told.data["errors"]] == ["PLAN_STEP_NUMBERING"]


@pytest.mark.parametrize(("words", "code"), [(["nowhere.md"], "PLAN_NOT_FOUND"), (["."], "PLAN_READ_ERROR")])
def test_what_cannot_be_shown(ultra: Ultra, words: list[str], code: str) -> None:
    told = ultra("plan", "show", *words)
    assert (told.status, told.data["ok"]) == (1, False)
    assert [entry["code"] for entry in told.data["errors"]] == [code]
    assert code in ultra.say("plan", "show", *words).out


def test_a_text_that_is_no_plan_cannot_be_shown(ultra: Ultra, put_plan: PutPlan) -> None:
    told = ultra("plan", "show", put_plan("# Notes\n"))
    assert (told.status, told.data["errors"][0]["code"]) == (1, "PLAN_UNRECOGNIZED")


def test_strict_demands_what_legacy_plans_lack(ultra: Ultra, put_plan: PutPlan) -> None:
    path = put_plan(plan(step(1, block=""), version=""))
    told = ultra("validate", "plan", path, "--parsed")
    assert (told.status, told.data["parsed"]["legacy_plan"]) == (0, True)
    assert [entry["code"] for entry in told.data["warnings"]] == ["PLAN_VERSION_MISMATCH"]
    for flags in (["--strict"], ["--soft"]):
        told = ultra("validate", "plan", path, *flags)
        codes = [entry["code"] for entry in told.data["errors"]]
        assert codes == (["MANIFEST_MISSING"] if flags == ["--strict"] else [])


def test_there_is_no_soft_mode(ultra: Ultra, put_plan: PutPlan) -> None:
    path = put_plan(plan(step(1, block="")))
    assert ultra("validate", "plan", path, "--soft").data["valid"] is False


def test_an_entry_names_line_and_step(ultra: Ultra, put_plan: PutPlan) -> None:
    text = plan(step(1), step(2, block=""))
    (entry,) = ultra("validate", "plan", put_plan(text)).data["errors"]
    line = text.split("\n").index("### Step 2: Make part 2") + 1
    assert (entry["code"], entry["step"], entry["line"]) == ("MANIFEST_MISSING", 2, line)
    assert "Add the item Manifest" in entry["message"]


def test_findings_are_looked_up_in_the_review(ultra: Ultra, put_plan: PutPlan, project: Path) -> None:
    known = "b" * 40
    (project / "review.md").write_text(f"---\ntype: ultrareview\nfindings:\n  - {known}\n---\n")
    text = plan(step(1)).replace("1.7\n", f"1.7\nsource_findings: [{known}, {'c' * 40}]\n", 1)
    told = ultra("validate", "plan", put_plan(text), "--parsed").data
    assert [entry["code"] for entry in told["warnings"]] == ["PLAN_UNKNOWN_FINDING"]
    assert "c" * 40 in told["warnings"][0]["message"]
    assert told["parsed"]["source_findings"] == [known, "c" * 40]


@pytest.mark.parametrize("interpreter", sampled(), ids=NAMES)
def test_every_interpreter_says_the_same(
    bundle: Path, repo: Path, put_plan: PutPlan, tmp_path: Path, interpreter: Path
) -> None:
    ultra = Ultra(bundle, repo, python_on_path(interpreter, tmp_path))
    hostile = manifest(pattern="(?i)" + "[\\0-\U0010ffff]" * 300)
    texts = {
        "good": plan(step(1), step(2), after=strategy(session(1, "1"), session(2, "2"))),
        "hostile": plan(step(1, block=hostile)),
        "legacy": plan(step(1, block=""), version=""),
        "bytes": "\ufeff\r\n\x00",
    }
    told = {name: ultra("validate", "plan", put_plan(text)).data for name, text in texts.items()}
    codes = {name: [entry["code"] for entry in one["errors"] + one["warnings"]] for name, one in told.items()}
    assert codes == {
        "good": [],
        "hostile": ["MANIFEST_PATTERN_INVALID"],
        "legacy": ["PLAN_VERSION_MISMATCH"],
        "bytes": ["PLAN_UNRECOGNIZED"],
    }
    path = put_plan((FIXTURES / "plan/valid.md").read_bytes())
    assert ultra("sessions", "write", path).data["ok"]
    spec = f"{PROJECT}/sessions/session-1.md"
    assert ultra("validate", "session-spec", spec).data["valid"]
    assert ultra("plan", "show", spec).data["type"] == "session-spec"
