"""Waves from end to end, with a client whose model is a script."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.kit.names import BRANCHES
from tests.waves.sample import PLAN, QUICK, TWO_WAVES, Waves, part

Make = Callable[..., Waves]


def test_two_waves_end_on_the_users_branch(make: Make) -> None:
    repo = make()
    data = repo.folder.parent / "data"
    answer = repo.waves("--jobs 2", f"--data {data}")
    assert answer["result"] == "completed", answer
    assert all(repo.has(part(number)) for number in (1, 2, 3))
    assert repo.git("status", "--porcelain") == ""
    assert (repo.branches(), repo.trees()) == (["main"], [])
    merges = repo.git("log", "--merges", "--format=%s", "--reverse").split("\n")
    assert merges == [f"merge: {BRANCHES} session {number} (Part {number})" for number in (1, 2, 3)]
    assert (
        repo.git("log", "-1", "--format=%s", "--first-parent", "HEAD~3")
        == "chore: track the plan of 2026-01-31-greet for its sessions"
    )
    assert answer["ultraexecute_summary"]["steps_passed"] == 3
    for call in repo.seen():
        number, words = call["session"], call["argv"]
        assert words[0] == "-p"
        assert f"--session {number} " in words[1]
        assert words[words.index("--tools") + 1] == "Bash,Read,Edit,Write,Grep,Glob"
        assert call["cwd"].endswith(f"/.claude/worktrees/2026-01-31-greet/session-{number}")
        (log,) = repo.folder.glob(f".claude/projects/*/logs/waves/session-{number}-attempt-1.log")
        assert log.stat().st_size > 0
    report = repo.read(answer["report"])
    assert [f"\n| {number}" in report for number in (1, 2, 3)] == [True] * 3
    assert repo.ok("status")["stage"] == "review"
    (line,) = (data / "ultraexecute-stats.jsonl").read_text().splitlines()
    values = json.loads(line)
    assert values.pop("ts")
    assert values == {
        "plan": "plan.md", "plan_type": "plan", "mode": "waves", "result": "completed", "steps_total": 3,
        "steps_passed": 3, "steps_failed": 0, "steps_skipped": 0, "failed_at_step": None, "sessions": 3,
        "sessions_merged": 3, "waves": 2, "recovery_dispatched": False, "recovery_depth": 0,
    }  # fmt: skip


@pytest.mark.soak
def test_statistics_tell_of_recoveries_and_come_from_each_supervisor_that_ended(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    repo.play({"1": ["lie", "honest"], "2": ["login", "honest"]})
    assert repo.waves("--jobs 2", "--data ../data")["result"] == "failed"
    repo.ok(f"waves resume {PLAN} --jobs 1")
    assert repo.wait()["result"] == "completed"
    lines = (repo.folder.parent / "data/ultraexecute-stats.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [(row["result"], row["sessions_merged"], row["recovery_depth"]) for row in rows] == [
        ("failed", 0, 1),
        ("completed", 3, 1),
    ]


@pytest.mark.soak
def test_statistics_that_cannot_be_written_change_nothing(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK, without_verbs=True)
    assert repo.waves("--jobs 2", "--data /dev/null/below")["result"] == "completed"
