"""A plan that turned out wrong is amended: a draft from it, the gate, new specs, and the run goes on with it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.door.samples import DIMENSIONS
from tests.executor.sample import PLAN, PROJECT, Repo, plan, step
from tests.executor.test_modes import SESSIONS

Make = Callable[..., Repo]
AMEND = f"plan amend --project {PROJECT}"
WRONG, RIGHT = step(2, verify="false"), step(2, verify="true")


def fenced(block: object) -> str:
    return f"```json\n{json.dumps(block)}\n```\n"


CRITICS = fenced({**{name: {"score": 5, "issues": []} for name in DIMENSIONS}, "verdict": "READY"}) + fenced(
    {"gaps": {"score": 5, "missing": []}, "creep": {"score": 5, "surplus": []}, "verdict": "ALIGNED"}
)


def amended(repo: Repo, number: int, text: str) -> None:
    """Change one step of the plan, through the gate."""
    repo.ok(AMEND)
    put = f"put plan --project {PROJECT} --draft --step {number}"
    assert repo.ok(put, given=text)["errors"] == []
    assert repo.ok(f"gate plan --project {PROJECT}", given=CRITICS)["passed"] is True


@pytest.fixture
def failed(make: Make) -> Repo:
    """Return a repository whose run failed at a step that nobody can do."""
    repo = make(plan(step(1), WRONG))
    repo.start()
    repo.do_step(1, {"src/part1.py": "1\n"})
    repo.ok("step begin 2")
    for _ in range(3):
        repo.ok("step verify 2")
    return repo


def test_a_failed_run_names_it_and_goes_on_with_the_amended_plan(failed: Repo) -> None:
    ended = failed.ok("run finish")
    assert ended["next"].endswith(f"if the plan is wrong: `ultra {AMEND}`")
    old = failed.read(PLAN)
    amended(failed, 2, RIGHT)
    assert failed.read(f"{PROJECT}/plan.2.md") == old
    assert "accept-plan-change" in failed.refused(f"run start {PLAN} --mode resume")
    begun = failed.ok(f"run start {PLAN} --mode resume --accept-plan-change --go-on")["begun"]
    assert (begun["step"], begun["verify"]) == (2, "true")
    failed.write({"src/part2.py": "2\n"})
    failed.ok("step verify 2 --go-on")
    assert failed.ok("run finish")["result"] == "completed"


def test_the_draft_is_the_plan_and_the_plan_stays_meanwhile(failed: Repo) -> None:
    failed.ok("run finish")
    answer = failed.ok(AMEND)
    assert failed.read(answer["path"]) == failed.read(PLAN)
    assert "## D. Critics" in answer["guide"]
    assert "a plan is being made or amended" in failed.refused(AMEND)


def test_a_run_under_way_is_not_amended(failed: Repo) -> None:
    assert "is in use by the run in progress" in failed.refused(AMEND)


def test_without_a_plan_there_is_nothing_to_amend(failed: Repo) -> None:
    failed.ok("run finish")
    (failed.folder / PLAN).unlink()
    assert "there is no such file" in failed.refused(AMEND)


def test_specs_follow_the_amended_plan_and_old_ones_are_put_aside(make: Make) -> None:
    repo = make(plan(step(1), WRONG, strategy=SESSIONS))
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    spec = f"{PROJECT}/sessions/session-2.md"
    repo.write({f"{PROJECT}/sessions/session-3.md": repo.read(spec)})
    assert "`false`" in repo.read(spec)
    amended(repo, 2, RIGHT)
    assert "`true`" in repo.read(spec)
    assert not repo.has(f"{PROJECT}/sessions/session-3.md")
    assert repo.has(f"{PROJECT}/sessions/old-session-3.md")


def test_a_spec_that_is_older_than_the_plan_is_refused_with_the_remedy(make: Make) -> None:
    repo = make(plan(step(1), WRONG, strategy=SESSIONS))
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    repo.write({PLAN: plan(step(1, verify="test -f src/part1.py"), WRONG, strategy=SESSIONS)})
    said = repo.refused(f"run start {PLAN} --session 1")
    assert "session-1.md is older than the plan" in said
    assert f"ultra sessions write {PLAN} --project {PROJECT}" in said
    repo.ok(f"sessions write {PLAN} --project {PROJECT}")
    assert repo.ok(f"run start {PLAN} --session 1 --go-on")["begun"]["step"] == 1
