"""A plan that takes the place of a completed one starts anew; nothing else does without being asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.executor.sample import PLAN, PROGRESS, Repo, plan, step

Make = Callable[..., Repo]
OTHER = plan(step(1, files=["src/other.py"]), step(2))


def completed(make: Make) -> Repo:
    """Return a repository whose plan of one step has been carried out."""
    repo = make(plan(step(1)))
    repo.start()
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
    return repo


@pytest.mark.soak
def test_another_plan_after_a_completed_run_simply_starts(make: Make) -> None:
    repo = completed(make)
    repo.write({PLAN: OTHER})
    answer = repo.start()
    assert (answer["run"], answer["steps"], answer["first"]) == ("started", 2, 1)
    repo.do_step(1, {"src/other.py": "other\n"})


@pytest.mark.soak
def test_the_same_plan_is_not_run_twice_unasked(make: Make) -> None:
    assert "is completed" in completed(make).refused(f"run start {PLAN}")


def test_a_claim_of_completion_does_not_drop_a_run(make: Make) -> None:
    repo = make(plan(step(1), step(2)))
    repo.start()
    repo.ok("step begin 1")
    repo.ok("run abort")
    repo.write({PLAN: OTHER, PROGRESS: repo.read(PROGRESS).replace('"stopped"', '"completed"')})
    assert repo.refused(f"run start {PLAN}")
