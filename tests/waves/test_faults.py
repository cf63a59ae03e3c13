"""Supervisors, clients and git are killed: what is resumed ends with every session merged exactly once, or named."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.calls import ISOLATED
from tests.waves.processes import processes_of
from tests.waves.sample import PLAN, PROJECT, QUICK, TWO_WAVES, Waves, part

Make = Callable[..., Waves]
DEADLY = Path(__file__).with_name("deadly_supervisor.py")
SOAK = os.environ.get("ULTRA_SOAK") == "1"
KILLS = 300 if SOAK else 6
KILLED = -signal.SIGKILL


def user_is_untouched(repo: Waves) -> bool:
    """Tell whether the user's tree is clean and on the way from the start to the end of the waves."""
    inside = repo.git(
        "status", "--porcelain", "--untracked-files=all", "--", ".", ":(exclude).claude/worktrees"
    )
    return not inside and repo.git("symbolic-ref", "--short", "HEAD") == "main"


def merged_once(repo: Waves) -> None:
    """Check that every session is on the user's branch exactly once, and that nothing else is left."""
    merges = repo.git("log", "--merges", "--format=%s").split("\n")
    assert sorted(merges) == [f"merge: ultraplan session {number} (Part {number})" for number in (1, 2, 3)]
    assert all(repo.read(part(number)) == f"part {number}\n" for number in (1, 2, 3))
    assert repo.subjects().count("feat: part 1") == 1
    assert (repo.branches(), repo.trees(), processes_of(repo)) == (["main"], [], [])
    assert user_is_untouched(repo)
    assert not (repo.folder / ".claude/worktrees").exists()


def serve(repo: Waves, **env: str) -> int:
    """Serve the waves with a supervisor that dies, and return how it ended."""
    names = [DEADLY, repo.bundle / "runtime", repo.folder, PLAN, PROJECT, repo.folder.parent / "deaths"]
    words = [*ISOLATED, *map(str, names)]
    done = subprocess.run(
        words, env={**repo.env, **env}, capture_output=True, cwd=repo.folder, timeout=120, check=False
    )
    assert done.returncode in (0, KILLED), done.stderr.decode()
    return done.returncode


def kill(pids: list[int]) -> None:
    """Kill processes; one that has ended meanwhile needs no killing."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def begun(make: Make) -> Waves:
    """Return a repository whose waves have begun, and whose processes are all gone, as after a reboot."""
    repo = make(TWO_WAVES, files=QUICK)
    repo.ok(f"waves start {PLAN} --jobs 2")
    kill(processes_of(repo))
    return repo


def test_a_fast_forward_that_was_cut_off_is_finished(make: Make) -> None:
    repo = begun(make)
    assert serve(repo, ONLY_DEATH="after advance 1") == KILLED
    repo.write({part(1): "par", ".git/index.lock": ""})  # as git leaves it when it is killed while it writes
    assert serve(repo, ONLY_DEATH="none") == 0
    assert repo.ok("waves wait")["result"] == "completed"
    merged_once(repo)


def test_a_file_of_the_user_in_the_way_stays(make: Make) -> None:
    repo = begun(make)
    assert serve(repo, ONLY_DEATH="after advance 1") == KILLED
    repo.write({part(1): "mine\n"})
    assert serve(repo, ONLY_DEATH="none") == 0
    end = repo.ok("waves wait")
    assert (end["result"], repo.read(part(1))) == ("stopped", "mine\n")
    assert "main cannot be moved to " in end["why"][0]
    assert part(1) in end["why"][0]
    (repo.folder / part(1)).unlink()
    repo.ok(f"waves resume {PLAN}")
    assert repo.wait()["result"] == "completed"
    merged_once(repo)


def test_a_death_at_every_line_of_the_journal_loses_nothing(make: Make) -> None:
    repo = begun(make)
    for _ in range(300):
        ended = serve(repo)
        assert "feat:" not in repo.git("log", "--first-parent", "--format=%s")
        if not ended:
            break
    died = (repo.folder.parent / "deaths").read_text().splitlines()
    for act in (
        "lease 3",
        "end 2",
        "audit 1",
        "merge 1",
        "merged 2",
        "verified 1",
        "advance 1",
        "advanced 2",
        "clean 3",
        "over ",
    ):
        assert {f"before {act}", f"after {act}"} <= set(died), act
    assert repo.ok("waves wait")["result"] == "completed"
    merged_once(repo)


@pytest.mark.parametrize("seed", [int(os.environ.get("WAVES_SEED", "7"))])
def test_deaths_at_random_moments_lose_nothing(make: Make, seed: int) -> None:
    print(f"WAVES_SEED={seed}")
    dice = random.Random(seed)  # noqa: S311
    repo = make(TWO_WAVES, files=QUICK)
    repo.ok(f"waves start {PLAN} --jobs 2")
    for _ in range(KILLS):
        time.sleep(dice.random() * (1.5 if SOAK else 1.0))
        victims = processes_of(repo)
        some = victims if dice.random() < 0.4 else dice.sample(victims, min(len(victims), 1))
        kill(some)
        assert "feat:" not in repo.git("log", "--first-parent", "--format=%s")
        state = repo.ultra("waves wait --seconds 0.1")
        if state.get("result") == "completed":
            break
        if not state["running"]:
            repo.ok(f"waves resume {PLAN}")
    end = repo.wait()
    if end.get("result") != "completed":  # the last kill may have ended the supervisor
        repo.ok(f"waves resume {PLAN}")
        end = repo.wait()
    if end["result"] == "completed":
        merged_once(repo)
    else:  # each kill of a client costs an attempt, and the recoveries of a session may be used up
        merges = repo.git("log", "--merges", "--format=%s").split("\n")
        lacking = [
            number for number in (1, 2, 3) if not any(f"session {number} " in merge for merge in merges)
        ]
        assert lacking
        assert len(set(merges)) == len(merges)
        assert end["result"] == "partial"
        assert any(f"session {lacking[0]}: it still lacks" in reason for reason in end["why"])
