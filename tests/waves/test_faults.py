"""Supervisors, clients and git are killed: what is resumed ends with every session merged exactly once, or named."""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.names import BRANCHES
from tests.kit.quick import SOAK, later, times
from tests.waves.lives import MINE, SERVED, cut_off, live
from tests.waves.processes import kill, kill_all, processes_of
from tests.waves.sample import PLAN, TWO_WAVES, Waves, part

Make = Callable[..., Waves]
CHORE = "chore: track the plan of 2026-01-31-greet for its sessions"
SHARES = times(1, 2)
KILLS = times(10, 1000) // SHARES
RESUMES = 30


def user_is_untouched(repo: Waves) -> None:
    """Check that the user's branch stands at its start or at a whole wave, and that the user's own file is as it was."""
    assert repo.git("symbolic-ref", "--short", "HEAD") == "main"
    subjects = repo.git("log", "--first-parent", "--format=%s").split("\n")
    merges = [f"merge: {BRANCHES} session {number} (Part {number})" for number in (3, 2, 1)]
    came = [subject for subject in subjects if subject not in ("first", CHORE)]
    assert came in ([], merges[1:], merges), subjects
    assert repo.read("mine.txt") == "mine\n"


def merged_once(repo: Waves) -> None:
    """Check that every session is on the user's branch exactly once, and that nothing else is left."""
    user_is_untouched(repo)
    merges = repo.git("log", "--merges", "--format=%s").split("\n")
    assert sorted(merges) == [f"merge: {BRANCHES} session {number} (Part {number})" for number in (1, 2, 3)]
    assert all(repo.read(part(number)) == f"part {number}\n" for number in (1, 2, 3))
    assert all(repo.subjects().count(f"feat: part {number}") == 1 for number in (1, 2, 3))
    assert (repo.branches(), repo.trees(), processes_of(repo)) == (["main"], [], [])
    assert repo.git("status", "--porcelain", "--untracked-files=all") == ""
    assert not (repo.folder / ".claude/worktrees").exists()
    assert not any((repo.folder.parent / "tmp").glob("ultra-*-[0-9]"))


@pytest.mark.soak
def test_a_fast_forward_that_was_cut_off_is_finished(make: Make) -> None:
    repo = cut_off(make, "after advance 1")
    repo.write({part(1): "par", ".git/index.lock": ""})  # as git leaves it when it is killed while it writes
    assert live(repo) == SERVED
    assert repo.ok("waves wait")["result"] == "completed"
    merged_once(repo)


def test_the_lock_of_a_commit_that_waits_for_its_editor_stays(make: Make) -> None:
    repo = cut_off(make, "after advance 1")
    lock, written = repo.folder / ".git/index.lock", repo.folder.parent / "written"
    editor = f"sh -c 'until test -e {shlex.quote(str(written))}; do sleep 0.05; done'"
    # With a file by its name, git keeps the index locked until the message is written.
    words = ["git", "commit", "--allow-empty", "--edit", "-m", "mine", "mine.txt"]
    mine = subprocess.Popen(words, cwd=repo.folder, env={**repo.env, "GIT_EDITOR": editor})
    try:
        while not lock.exists():
            time.sleep(0.01)
        os.utime(lock, (0, 0))
        assert live(repo) == SERVED
        assert lock.exists()
        end = repo.ok("waves wait")
        assert end["result"] == "stopped"
        assert str(lock) in end["why"][0]
    finally:
        written.touch()
        mine.wait()


@pytest.mark.parametrize("where", [later("after clean 1"), "after lease 1"])
def test_locks_of_refs_that_a_killed_git_left_are_removed(make: Make, where: str) -> None:
    repo = cut_off(make, where)
    below = f"{where.split()[-1]}.lock"
    repo.write({f".git/refs/heads/{BRANCHES}/2026-01-31-greet/session-{below}": ""})
    repo.write({".git/refs/ultra/wave/2026-01-31-greet/base.lock": ""})
    assert live(repo) == SERVED
    end = repo.ok("waves wait")
    assert (end["result"], end["why"]) == ("completed", [])
    merged_once(repo)


@pytest.mark.soak
def test_a_file_of_the_user_in_the_way_stays(make: Make) -> None:
    repo = cut_off(make, "after advance 1")
    repo.write({part(1): "mine\n"})
    assert live(repo) == SERVED
    end = repo.ok("waves wait")
    assert (end["result"], repo.read(part(1))) == ("stopped", "mine\n")
    assert "main cannot be moved to " in end["why"][0]
    assert part(1) in end["why"][0]
    (repo.folder / part(1)).unlink()
    assert live(repo) == SERVED
    assert repo.ok("waves wait")["result"] == "completed"
    merged_once(repo)


def ends_at_every_line(make: Make, how: str) -> None:
    """Check that waves which end on either side of every line, in their own process each time, lose nothing."""
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    assert live(repo, how) == SERVED
    assert repo.ok("waves wait")["result"] == "completed"
    merged_once(repo)
    tried = set((repo.folder.parent / "deaths").read_text().splitlines())
    for row in repo.journal():
        name = f"{row['act']} {row.get('session', row.get('wave', ''))}".rstrip()
        assert {f"{how} before {name}", f"{how} after {name}"} <= tried, name
    assert {"begin", "resume", "lease", "over"} <= {row["act"] for row in repo.journal()}


@pytest.mark.soak
def test_a_death_at_every_line_of_the_journal_loses_nothing(make: Make) -> None:
    ends_at_every_line(make, "kill")


@pytest.mark.soak
def test_a_disk_that_is_full_from_any_line_on_loses_nothing(make: Make) -> None:
    ends_at_every_line(make, "full")


@pytest.mark.parametrize("share", range(SHARES))
def test_deaths_at_random_moments_lose_nothing(
    tmp_path: Path, bundle: Path, python: Path, share: int
) -> None:
    """Kill the supervisor, a client, a git, or all of them, until there were enough kills; each time resume."""
    seed = int(os.environ.get("WAVES_SEED") or (time.time_ns() if SOAK else 7 + share))
    print(f"WAVES_SEED={seed}")
    dice = random.Random(seed)  # noqa: S311
    kills, turn = 0, 0
    while kills < KILLS:
        turn += 1
        (tmp_path / str(turn)).mkdir()
        repo = Waves(tmp_path / str(turn) / "repo", bundle, python).create(
            TWO_WAVES, MINE, without_verbs=True
        )
        try:
            kills += killed_on_the_way(repo, dice, KILLS - kills)
            end = repo.wait()
            for _ in range(RESUMES):
                if end.get("result") == "completed":
                    break
                named = "".join(end.get("why", ()))
                assert not end.get("result") or "session " in named or "supervisor" in named, end
                repo.ok(f"waves resume {PLAN}")
                end = repo.wait()
            assert end.get("result") == "completed", end
            merged_once(repo)
        finally:
            kill_all(repo)


def killed_on_the_way(repo: Waves, dice: random.Random, most: int) -> int:
    """Start waves, kill what runs at random moments until they are over, and return how often."""
    repo.ok(f"waves start {PLAN} --jobs 2")
    kills = 0
    while kills < most:
        time.sleep(dice.random() * dice.choice((0.1, 0.3, 1.0)))
        victims = processes_of(repo)
        if victims:
            kill(victims if dice.random() < 0.4 else [dice.choice(victims)])
            kills += 1
        user_is_untouched(repo)
        stand = repo.ok("waves wait --seconds 0.1")
        if stand.get("result") == "completed":
            break
        if not stand["running"]:
            repo.ultra(f"waves resume {PLAN}")  # refused while the lock of a killed supervisor is being left
    return kills
