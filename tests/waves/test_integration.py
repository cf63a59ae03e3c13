"""What a wave is checked for before it reaches the user's branch, and a user who works meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.kit.names import BRANCHES
from tests.waves.processes import processes_of
from tests.waves.sample import PLAN, QUICK, TWO_WAVES, Waves, part, plan, session, step

Make = Callable[..., Waves]
WAVE = "refs/ultra/wave/2026-01-31-greet/wave-1"


def two(*steps: str, verification: str = "") -> str:
    """Return a plan with two sessions of one step each in one wave."""
    sessions = [session(1, "1", 1, ["src/"]), session(2, "2", 1, ["lib/"])]
    return plan(*steps, strategy="\n".join(sessions), verification=verification)


def test_a_conflict_in_spite_of_touch_is_named_and_nothing_is_chosen(make: Make) -> None:
    """One session moves the only file of a folder, the other adds a file to that folder."""
    moved = step(1, files=["old/a.py", "new/a.py"], expected_paths=["new/a.py"])
    text = plan(
        moved, step(2, files=["old/b.py"]),
        strategy="\n".join([session(1, "1", 1, ["old/a.py", "new/a.py"]), session(2, "2", 1, ["old/b.py"])]),
    )  # fmt: skip
    repo = make(text, files={**QUICK, "old/a.py": "a = 1\n" * 20})
    repo.play({"1": ["rename"]})
    end = repo.waves("--jobs 2")
    assert (end["result"], repo.states()) == ("failed", {1: "passed", 2: "merge-failed"})
    assert "session 2: it conflicts in " in end["why"][0]
    assert "b.py" in end["why"][0]
    assert repo.git("log", "-1", "--format=%s", WAVE) == f"merge: {BRANCHES} session 1 (Part 1)"
    assert repo.git("log", "-1", "--format=%s").startswith("chore: ")
    assert repo.git("status", "--porcelain") == ""
    assert repo.branches() == [
        "main",
        *(f"{BRANCHES}/2026-01-31-greet/session-{number}" for number in (1, 2)),
    ]
    assert repo.trees() == []


def test_a_red_verification_names_the_merge_that_turned_it_red(make: Make) -> None:
    text = two(
        step(1, files=["src/part1.py"]), step(2, files=["lib/part2.py"]),
        verification="test ! -e lib/part2.py",
    )  # fmt: skip
    repo = make(text, files=QUICK)
    start = repo.git("rev-parse", "main")
    end = repo.waves("--jobs 2")
    assert end["result"] == "partial"
    assert "`test ! -e lib/part2.py` failed with exit status 1" in end["why"][0]
    assert "the merge of session 2 (" in end["why"][0]
    assert repo.git("rev-parse", "main~1") == start
    assert not repo.has("src/part1.py")
    assert repo.git("show", f"{WAVE}:src/part1.py") == "part 1"
    assert (repo.trees(), processes_of(repo)) == ([], [])
    # What turned it red is undone by hand on the branch of the session; then the wave passes.
    repo.git("switch", "--quiet", f"{BRANCHES}/2026-01-31-greet/session-2")
    assert f"main: `git switch main`, then `ultra waves resume {PLAN}`" in str(resumed(repo)["why"])
    repo.git("switch", "--quiet", "main")


def resumed(repo: Waves) -> dict[str, object]:
    """Resume the waves and return the answer at their end."""
    repo.ok(f"waves resume {PLAN}")
    return repo.wait()


@pytest.mark.soak
def test_commits_that_the_user_makes_meanwhile_are_merged_onto_after_a_resume(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    repo.play({"1": ["slow"], "2": ["slow"]})
    repo.ok(f"waves start {PLAN} --jobs 2")
    repo.until("lease", 2)
    repo.write({"notes.txt": "mine\n"})
    repo.git("add", "notes.txt")
    repo.git("commit", "--quiet", "--message=docs: my notes")
    mine = repo.git("rev-parse", "HEAD")
    end = repo.wait()
    assert end["result"] == "stopped"
    assert (
        end["why"][0]
        == f"main has commits that were made meanwhile ({repo.git('rev-parse', '--short', mine)} docs: my notes): "
        f"`ultra waves resume {PLAN}` merges onto them"
    )
    assert repo.git("rev-parse", "HEAD") == mine
    assert f"{BRANCHES}/2026-01-31-greet/session-1" in repo.branches()
    assert resumed(repo)["result"] == "completed"
    assert repo.git("merge-base", mine, "HEAD") == mine
    assert all(repo.has(name) for name in ("notes.txt", part(1), part(2), part(3)))
    assert len(repo.git("log", "--merges", "--format=%s").split("\n")) == 3
    assert sum(call["session"] == "1" for call in repo.seen()) == 1


def test_a_stop_ends_what_runs_and_a_resume_goes_on(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    repo.play({"1": ["hang", "honest"]})
    repo.ok(f"waves start {PLAN} --jobs 2")
    repo.until("audit", 1)
    again = repo.refused(f"waves start {PLAN}")
    assert "are in progress | `ultra waves wait` shows their state" in again
    assert "under way" in repo.refused(f"run start {PLAN} --mode fg")
    assert repo.ok(f"waves resume {PLAN}")["running"] is True
    assert "in progress, 0 of 3 sessions merged" in repo.ok("status")["waves"]
    repo.ok("waves stop --now")
    end = repo.wait()
    assert (end["result"], end["why"]) == ("stopped", ["a person stopped it"])
    assert (repo.trees(), processes_of(repo)) == ([], [])
    command = repo.ok("continue")["command"]
    assert command.endswith("--resume")
    assert repo.ok(f"run start {PLAN} --mode resume")["strategy"] == "parallel"
    assert resumed(repo)["result"] == "completed"
    assert sum(call["session"] == "2" for call in repo.seen()) == 1
