"""The machine dies, or the disk is full, at any call of a verb: the run goes on afterwards, and nothing is done twice."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from pathlib import Path

import pytest

from tests.executor.interrupted import CALLS, again, goes_on, stand_before
from tests.executor.sample import Repo
from tests.kit.quick import SOAK, later

FOLDER = Path(__file__).parent
SAMPLE = 1
"""How many calls of each verb fail in a quick run; `make soak` lets every one of them fail."""


@pytest.fixture(scope="module", params=CALLS)
def before(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, bundle: Path, python: Path
) -> tuple[str, Repo]:
    """Return a verb, and a repository in which it comes next."""
    call = str(request.param)
    return call, stand_before(call, Repo(tmp_path_factory.mktemp("before") / "repo", bundle, python))


def fails_at(repo: Repo, call: str, how: str, number: int) -> subprocess.CompletedProcess[bytes]:
    """Run a verb that fails at its call of that number."""
    words: list[str | Path] = [
        "python3",
        "-I",
        "-S",
        "-X",
        "utf8",
        FOLDER / "deadly.py",
        repo.bundle / "runtime",
        how,
        str(number),
    ]
    words += [*call.split(), "--json"]
    return subprocess.run(
        words, cwd=repo.folder, env=repo.env, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip


def points(repo: Repo, call: str, how: str) -> list[int]:
    """Return the numbers of the calls that fail: all of them, or a sample."""
    done = fails_at(again(repo), call, how, 10**6)
    assert done.returncode == 99, done
    every = range(1, int(done.stderr.split()[-1]) + 1)
    return list(every) if SOAK else sorted(random.Random(call + how).sample(every, min(SAMPLE, len(every))))  # noqa: S311


@pytest.mark.parametrize("how", [later("kill"), "full"])
def test_a_verb_that_fails_at_any_call(before: tuple[str, Repo], how: str) -> None:
    call, repo = before
    for number in points(repo, call, how):
        done = fails_at(again(repo), call, how, number)
        if how == "kill":
            assert done.returncode == -signal.SIGKILL, (number, done)
        else:
            assert done.returncode in (0, 1), (number, done)
            assert json.loads(done.stdout)["ok"] in (True, False)
        locks = goes_on(repo)
        # Only the commit itself takes a lock that nobody can tell from another git's: that of the branch, which is named.
        of_branch = {str(repo.folder / ".git" / name) for name in ("HEAD.lock", "refs/heads/main.lock")}
        assert how == "kill" or not locks, (number, locks)
        assert of_branch.issuperset(locks), (number, locks)
    again(repo)
