"""Locks that a killed git left: those on our own refs go, any other is named with its full path."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

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
