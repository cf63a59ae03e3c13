"""Faults of the disk: an error that says so, the old file intact, and a run that goes on afterwards."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PROGRESS, Repo, plan, step
from ultra_runtime.answer import RefusedError
from ultra_runtime.run.state.progress import BackwardsError, Progress

Make = Callable[..., Repo]


def progress(folder: Path) -> Progress:
    return Progress(
        str(folder / "progress.json"), {"status": "in_progress", "steps": {"1": {"status": "in_progress"}}}
    )


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
@pytest.mark.parametrize("reason", [errno.EIO, errno.ENOSPC])
def test_a_call_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, reason: int) -> None:
    one = progress(tmp_path)
    one.save()
    before = (tmp_path / "progress.json").read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise OSError(reason, os.strerror(reason))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        one.change({"status": "completed"})
        with pytest.raises(RefusedError, match=os.strerror(reason)) as refused:
            one.save()
    assert "the old file is unchanged" in refused.value.next_step
    assert (tmp_path / "progress.json").read_bytes() == before
    assert os.listdir(tmp_path) == ["progress.json"]


def test_a_completed_step_never_goes_back(tmp_path: Path) -> None:
    one = progress(tmp_path)
    one.change_step(1, {"status": "completed"})
    for status in ("pending", "in_progress", "failed", "skipped"):
        with pytest.raises(BackwardsError):
            one.change_step(1, {"status": status})
    one.change_step(1, {"note": "a note is fine"})


@pytest.mark.soak
@pytest.mark.parametrize("call", ["step begin 1", "step verify 1", "step commit 1", "run finish"])
def test_a_full_disk_in_the_middle_of_a_verb(make: Make, call: str) -> None:
    """A limit on the size of files stands in for the disk; git is ended by it, the runtime gets an error."""
    repo = make(plan(step(1)))
    repo.start()
    calls = ["step begin 1", "step verify 1", "step commit 1", "run finish"]
    for earlier in calls[: calls.index(call)]:
        repo.ok(earlier)
        repo.write({"src/part1.py": "one\n"})
    if call != "step begin 1":
        repo.write({"src/part1.py": "one\n"})
    before = repo.read(PROGRESS)
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 0; {repo.command} {call} --json | cat"],
        cwd=repo.folder, env={**repo.env, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert b'"ok":false' in done.stdout, done
    assert repo.read(PROGRESS) == before
    for later in calls[calls.index(call) :]:
        repo.ok(later)
        repo.write({"src/part1.py": "one\n"})
    assert repo.subjects() == ["first", "feat: part 1"]
    assert repo.progress()["status"] == "completed"


@pytest.mark.soak
def test_a_progress_file_that_may_not_be_written(make: Make) -> None:
    repo = make(plan(step(1)))
    repo.start()
    (repo.folder / PROGRESS).chmod(0o444)
    assert "progress.json is read-only" in repo.refused("step begin 1")
    (repo.folder / PROGRESS).chmod(0o644)
    repo.do_step(1, {"src/part1.py": "one\n"})
    assert repo.ok("run finish")["result"] == "completed"
