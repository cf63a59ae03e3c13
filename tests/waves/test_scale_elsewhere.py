"""Many sessions on other machines: none is lost, none is done twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from tests.kit.names import BRANCHES
from tests.kit.quick import times
from tests.kit.repository import git
from tests.waves.elsewhere import Machines
from tests.waves.sample import WITHOUT_VERBS, Waves, part, plan, session, step

Make = Callable[..., Waves]
MANY = {"ssh": times(4, 50), "slurm": times(6, 200)}
SECONDS = times(300, 3600)


def many(count: int) -> str:
    """Return a plan of so many sessions of one step each, all in one wave."""
    sessions = [session(number, str(number), 1, [part(number)]) for number in range(1, count + 1)]
    return plan(*(step(number) for number in range(1, count + 1)), strategy="\n".join(sessions))


@pytest.mark.soak
@pytest.mark.timeout(2 * SECONDS)
def test_none_is_lost_and_none_is_done_twice(
    machines: Machines, elsewhere: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.waves.sample.DONE_SECONDS", SECONDS)
    count = MANY[machines.on]
    repo = elsewhere(machines, many(count), without_verbs=WITHOUT_VERBS)
    end = repo.waves(f"--on {machines.on} --jobs {min(count, 32)}")
    assert end["result"] == "completed", end["why"]
    merges = Counter(repo.git("log", "--merges", "--format=%s").split("\n"))
    assert merges == Counter(
        f"merge: {BRANCHES} session {number} (Part {number})" for number in range(1, count + 1)
    )
    done = Counter(subject for subject in repo.subjects() if subject.startswith("feat: part "))
    assert done == Counter(f"feat: part {number}" for number in range(1, count + 1))
    assert {row["attempts"] for row in end["ultraexecute_summary"]["sessions"]} == {1}
    assert git(repo.hub, "for-each-ref") == ""
