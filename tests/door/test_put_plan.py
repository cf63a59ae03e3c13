"""What is put of a plan: step by step without a project, and in one only what its critics have seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.door.samples import plan, step
from tests.kit.calls import Ultra
from tests.kit.files import tree_of
from tests.kit.names import PROJECT


def test_one_step_of_a_plan(ultra: Ultra, repo: Path) -> None:
    out = repo / ".claude/plans/x.md"
    put = ("put", "plan", "--out", ".claude/plans/x.md")
    assert ultra(*put, given=plan(3)).data["ok"] is True
    new = step(2, "Count better", "src/better.py")
    told = ultra(*put, "--step", "2", given=new)
    assert told.data["ok"] is True, told.out
    assert out.read_text() == plan(3).replace(step(2), new)
    lacking = "".join(line for line in new.splitlines(True) if "commit_message_pattern" not in line)
    told = ultra(*put, "--step", "2", given=lacking)
    assert (told.status, told.data["ok"]) == (1, False)
    assert "MANIFEST_MISSING_KEY" in [one["code"] for one in told.data["errors"]]
    assert ultra(*put, "--step", "9", given=new).data["error"] == "there is no Step 9"
    assert out.read_text() == plan(3).replace(step(2), new)


STRATEGY = """\
### Session 1: All

- **Steps:** 1-2
- **Wave:** 1
"""


@pytest.mark.parametrize("words", [[], ["--step", "2"], ["--section", "Verification"]])
@pytest.mark.parametrize("there", ["nothing", "draft", "plan"])
def test_nothing_gets_into_the_plan_of_a_project_past_its_critics(
    ultra: Ultra, repo: Path, project: Path, there: str, words: list[str]
) -> None:
    if there != "nothing":
        (project / ("plan.md.draft" if there == "draft" else "plan.md")).write_text(plan(2))
    before = tree_of(repo)
    told = ultra("put", "plan", "--project", PROJECT, *words, given=plan(2) if not words else step(2))
    assert (told.status, "--draft" in told.data["next"]) == (1, True)
    assert ("gate is open" in told.data["error"]) is (there == "draft")
    assert tree_of(repo) == before


def test_the_sessions_come_into_a_plan_after_its_gate(ultra: Ultra, project: Path) -> None:
    put = ("put", "plan", "--project", PROJECT, "--section", "Execution Strategy")
    (project / "plan.md").write_text(plan(2))
    told = ultra(*put, given=STRATEGY).data
    assert (told["ok"], told["next"]) == (
        True,
        f"tell the user; to continue: /ultraplan-local:ultraexecute-local --project {PROJECT}",
    )
    assert (project / "plan.2.md").read_text() == plan(2)
    (project / "plan.md.draft").write_text(plan(2))
    assert "gate is open" in ultra(*put, given=STRATEGY).data["error"]


def test_a_plan_of_old_is_not_written_any_more(ultra: Ultra) -> None:
    bare = plan(1).partition("- **Manifest:**")[0].replace('plan_version: "1.7"', 'plan_version: "1.6"')
    told = ultra("put", "plan", "--out", ".claude/plans/x.md", given=bare)
    assert (told.status, "MANIFEST_MISSING" in [one["code"] for one in told.data["errors"]]) == (1, True)
