"""The machine dies, or the disk is full, at any system call of a verb or of its git: the run goes on, nothing is lost."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.client.binary import in_ci
from tests.executor.broken_calls import HOW, Point, Tracer
from tests.executor.interrupted import CALLS, again, follow, goes_on, keep, stand_before
from tests.executor.sample import Repo, plan, step
from tests.kit import programs
from tests.kit.quick import SOAK, later

SAMPLE = 1
"""How many system calls of each verb are broken in a quick run; `make soak` breaks every one of them."""


def traced(folder: Path, bundle: Path, python: Path) -> Tracer:
    """Return a repository whose git can be broken."""
    if programs.strace() is None:
        (pytest.fail if in_ci() else pytest.skip)(programs.missing("strace"))
    return Tracer(folder / "git", Repo(folder / "repo", bundle, python))


@pytest.fixture(scope="module", params=CALLS)
def before(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, bundle: Path, python: Path
) -> tuple[str, Tracer]:
    """Return a verb, and a repository in which it comes next."""
    found = traced(tmp_path_factory.mktemp("traced"), bundle, python)
    stand_before(str(request.param), found.repo)
    return str(request.param), found


def chosen(found: Tracer, call: str, how: str) -> list[Point]:
    """Return the system calls that are broken: all of them, or a sample."""
    again(found.repo)
    every = found.points(call, how)
    assert {point.who for point in every} > {0}, every
    return every if SOAK else random.Random(call + how).sample(every, min(SAMPLE, len(every)))  # noqa: S311


@pytest.mark.parametrize("how", ["kill", later("full")])
def test_a_run_goes_on_after_a_broken_system_call(before: tuple[str, Tracer], how: str) -> None:
    call, found = before
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
            follow(found.repo, said)
        goes_on(found.repo)
        assert found.repo.git("status", "--porcelain", "-uno") == "", (point, said)
    again(found.repo)


@pytest.fixture(scope="module")
def undoing(tmp_path_factory: pytest.TempPathFactory, bundle: Path, python: Path) -> Tracer:
    """Return a repository in which the next failure of step 1 undoes it: what it and others wrote is not committed."""
    found = traced(tmp_path_factory.mktemp("undoing"), bundle, python)
    repo = found.repo
    repo.create(plan(step(1, ["src/part1.py", "src/hello.py"], verify="false")))
    repo.start()
    repo.ok("step begin 1")
    repo.write({"src/part1.py": "new\n", "src/hello.py": "edited\n", "deep/er/stray.txt": "stray\n"})
    for _ in range(2):
        repo.ok("step verify 1")
    keep(repo)
    return found


def saved(repo: Repo) -> list[Mapping[str, bytes]]:
    """Return what each save of the runtime has, asked of git alone."""
    refs = repo.git("for-each-ref", "--format=%(refname)", "refs/ultra/rescue").split()
    return [
        {path: repo.git("show", f"{ref}:{path}").encode() for path in repo.git("ls-tree", "-r", "--name-only", ref).split()}
        for ref in refs
    ]  # fmt: skip


@pytest.mark.soak
@pytest.mark.parametrize("how", HOW)
def test_an_undo_with_a_broken_system_call_loses_nothing(undoing: Tracer, how: str) -> None:
    repo, call = undoing.repo, "step verify 1"
    was = again(repo).tree()
    for point in chosen(undoing, call, how):
        again(repo)
        done = undoing.break_at(call, how, point)
        assert b"internal error" not in done.stdout, (point, done)
        kept, now = saved(repo), repo.tree()
        for path, (_, content) in was.items():
            there = now.get(path, (0, None))[1] == content
            assert there or any(one.get(path) == content.rstrip(b"\n") for one in kept), (point, path, done)
    again(repo)
