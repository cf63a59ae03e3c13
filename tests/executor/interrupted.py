"""A run that is cut off in one of its verbs, again and again from the same state."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from tests.executor.driver import drive
from tests.executor.sample import PLAN, PROGRESS, Repo, plan, step

CALLS = (f"run start {PLAN}", "step begin 1", "step verify 1", "step commit 1", "run finish")
LOCK = re.compile(r"/[^'\"\s]+\.lock")
INDEX = re.compile(
    r"index (?:is locked and )?was not updated: (?:if no git runs, remove (\S+)|[^`]+), then `git (reset -- [^`]+)`"
)
MOST_LOCKS = 3


def stand_before(call: str, repo: Repo) -> Repo:
    """Make a repository in which a verb comes next, and keep a copy of it."""
    repo.create(plan(step(1)))
    for earlier in CALLS[: CALLS.index(call)]:
        if earlier == "step verify 1":
            repo.write({"src/part1.py": "part 1\n"})
        repo.ok(earlier)
    if call == "step verify 1":
        repo.write({"src/part1.py": "part 1\n"})
    return keep(repo)


def keep(repo: Repo) -> Repo:
    """Keep a copy of a repository, to come back to."""
    shutil.copytree(repo.folder, kept(repo), symlinks=True)
    return repo


def again(repo: Repo) -> Repo:
    """Return the repository as it was."""
    shutil.rmtree(repo.folder)
    shutil.copytree(kept(repo), repo.folder, symlinks=True)
    return repo


def kept(repo: Repo) -> Path:
    """Return where the copy of a repository is."""
    return repo.folder.with_name("kept")


def goes_on(repo: Repo) -> list[str]:
    """Let an honest model take the run up: it is completed, and each commit was made once.

    An answer may name a lock of git that nobody holds, with its full path and what to do; that is done, and returned.
    """
    followed: list[str] = []
    why = _driven(repo, followed)
    while why and len(followed) < MOST_LOCKS:
        named = [one for one in LOCK.findall(why) if Path(one).is_file()]
        assert named, why
        Path(named[0]).unlink()
        followed.append(named[0])
        why = _driven(repo, followed)
    assert not why, (why, followed)
    assert repo.subjects() == ["first", "feat: part 1"]
    assert json.loads(repo.read(PROGRESS))["status"] == "completed"
    return followed


def follow(repo: Repo, told: str) -> list[str]:
    """Do what an answer says about the index that could not be written, and return the locks that it names."""
    named = INDEX.findall(told)
    for lock, command in named:
        if lock:
            Path(lock).unlink(missing_ok=True)
        repo.git(*command.split())
    return [lock for lock, _ in named if lock]


def _driven(repo: Repo, followed: list[str]) -> str:
    """Return why a run does not go on; what its answers say about the index is followed."""

    def ultra(*words: str) -> dict[str, Any]:
        told = repo(*words).out
        followed.extend(follow(repo, told))
        answer: dict[str, Any] = json.loads(told)
        return answer

    return drive(ultra, PLAN, repo.folder)
