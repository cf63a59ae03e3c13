"""The machine dies, or the disk is full, at any system call of a verb or of its git: afterwards the run goes on."""

from __future__ import annotations

import json
import os
import random
import signal
from pathlib import Path

import pytest

from tests.client.binary import in_ci
from tests.executor.broken_calls import HOW, Point, Tracer
from tests.executor.interrupted import CALLS, again, goes_on, stand_before
from tests.executor.sample import Repo
from tests.kit import tracer

SOAK = os.environ.get("ULTRA_SOAK") == "1"
SAMPLE = 2
"""How many system calls of each verb are broken in a quick run; `make soak` breaks every one of them."""


@pytest.fixture(scope="module", params=CALLS)
def traced(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, bundle: Path, python: Path
) -> tuple[str, Tracer]:
    """Return a verb, and a repository in which it comes next, with a git that can be broken."""
    if tracer.find() is None:
        (pytest.fail if in_ci() else pytest.skip)(tracer.MISSING)
    call, folder = str(request.param), tmp_path_factory.mktemp("traced")
    repo = Repo(folder / "repo", bundle, python)
    found = Tracer(folder / "git", repo)
    stand_before(call, repo)
    return call, found


def chosen(found: Tracer, call: str, how: str) -> list[Point]:
    """Return the system calls that are broken: all of them, or a sample."""
    again(found.repo)
    every = found.points(call, how)
    assert {point.who for point in every} > {0}, every
    return every if SOAK else random.Random(call + how).sample(every, min(SAMPLE, len(every)))  # noqa: S311


@pytest.mark.parametrize("how", HOW)
def test_a_verb_with_a_broken_system_call(traced: tuple[str, Tracer], how: str) -> None:
    call, found = traced
    for point in chosen(found, call, how):
        again(found.repo)
        done = found.break_at(call, how, point)
        said = done.stdout.decode()
        assert b"Traceback" not in done.stderr, (point, done)
        if how == "kill":
            # A proof has a process of its own: if that dies, the verb starts another one and answers.
            assert done.returncode == -signal.SIGKILL or json.loads(said)["ok"], (point, done)
        else:
            assert done.returncode in (0, 1), (point, done)
            assert json.loads(said)["ok"] in (True, False)
            assert "internal error" not in said, (point, said)
        goes_on(found.repo)
        assert found.repo.git("status", "--porcelain", "-uno") == "", (point, said)
    again(found.repo)
