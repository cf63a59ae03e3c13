"""Locks that a killed git left: those that only we take go, any other is named with its full path."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import SLUG, Repo, plan, step

Make = Callable[..., Repo]


def locked(repo: Repo, name: str) -> Path:
    """Leave a lock that is a minute old."""
    path = repo.folder / ".git" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    minute_ago = path.stat().st_mtime - 60
    os.utime(path, (minute_ago, minute_ago))
    return path


def test_a_lock_on_the_refs_of_the_run_goes(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    left = [locked(repo, f"refs/ultra/run/{SLUG}/{name}") for name in ("step-1", "seal")]
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert not any(one.exists() for one in left)


@pytest.mark.soak
def test_a_lock_on_the_users_refs_is_named_and_stays(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    for name in ("refs/heads/main", "HEAD"):
        lock = locked(repo, name)
        said = repo.refused("step commit 1")
        assert f"{lock} exists" in said
        assert f"remove {lock}" in said
        assert lock.exists()
        lock.unlink()
    repo.ok("step commit 1")


def test_a_locked_index_is_named_with_what_to_do(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    lock = locked(repo, "index")
    (note,) = repo.ok("step commit 1")["notes"]
    assert note == (
        f"the git index is locked and was not updated: if no git runs, remove {lock}, then `git reset -- src/part1.py`"
    )
    lock.unlink()
    repo.git("reset", "--quiet", "--", "src/part1.py")
    assert repo.git("status", "--porcelain", "-uno") == ""


@pytest.mark.soak
def test_the_index_lock_of_a_killed_verb_goes_and_that_of_another_git_stays(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    folder = repo.folder / ".git"
    lock, mark, copy = folder / "index.lock", folder / "ultra/index-lock", folder / "ultra/index-copy.7"
    for of_us in (True, False):
        mark.write_text(copy.name)
        copy.touch()
        lock.hardlink_to(mark) if of_us else lock.write_text(copy.name)
        repo.ok("step begin 1")
        assert lock.exists() is not of_us
        assert not mark.exists()
        assert not copy.exists()


def killed_in_the_hook(repo: Repo) -> None:
    """Kill `step commit 1` and its git while they hold the lock of the index."""
    hook = repo.folder / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    # The hook runs in git, which writes the copy; its verb is the parent of git.
    hook.write_text(
        '#!/bin/sh\ncase "$GIT_INDEX_FILE" in *index-copy*) kill -9 $(ps -o ppid= -p $PPID) $PPID;; esac\n'
    )
    hook.chmod(0o755)
    told = subprocess.run(
        [repo.bundle / "bin/ultra", "step", "commit", "1"], cwd=repo.folder, env=repo.env, capture_output=True, check=False
    )  # fmt: skip
    assert told.returncode == -signal.SIGKILL, told
    hook.unlink()


def test_a_verb_killed_while_it_writes_the_index(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "one\n"})
    repo.ok("step verify 1")
    killed_in_the_hook(repo)
    lock = repo.folder / ".git/index.lock"
    assert lock.exists()
    repo.start("--mode", "resume")
    assert not lock.exists()
    assert repo.git("status", "--porcelain", "-uno") == ""
    assert repo.ok("run finish")["result"] == "completed"
