"""Waves from end to end, with a client whose model is a script."""

from __future__ import annotations

from collections.abc import Callable

from tests.waves.sample import Waves, part

Make = Callable[..., Waves]


def test_two_waves_end_on_the_users_branch(make: Make) -> None:
    repo = make()
    answer = repo.waves("--jobs 2")
    assert answer["result"] == "completed", answer
    assert all(repo.has(part(number)) for number in (1, 2, 3))
    assert repo.git("status", "--porcelain") == ""
    assert (repo.branches(), repo.trees()) == (["main"], [])
    merges = repo.git("log", "--merges", "--format=%s", "--reverse").split("\n")
    assert merges == [f"merge: ultraplan session {number} (Part {number})" for number in (1, 2, 3)]
    assert (
        repo.git("log", "-1", "--format=%s", "--first-parent", "HEAD~3")
        == "chore: track the plan of 2026-01-31-greet for its sessions"
    )
    assert answer["ultraexecute_summary"]["steps_passed"] == 3
    assert repo.ok("status")["stage"] == "review"
