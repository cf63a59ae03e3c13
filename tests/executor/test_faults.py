"""Faults of the disk: an error that says so, the old file intact, and a run that goes on afterwards."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import PLAN, PROGRESS, Repo, Stand, plan, step
from ultra_runtime.answer import RefusedError
from ultra_runtime.files.digest import sha1
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


def with_extension(index: bytes) -> bytes:
    """Return an index with an extension that a git must know to read it."""
    longer = index[:-20] + b"next" + (4).to_bytes(4, "big") + b"data"
    return longer + bytes.fromhex(sha1(longer))


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "truncated": lambda index: index[:30],
    "overwritten": lambda index: index[::-1],
    "an unknown extension": with_extension,
}
UNNOTICED: dict[str, Callable[[bytes], bytes]] = {
    "a flipped bit": lambda index: index[:60] + bytes([index[60] ^ 1]) + index[61:]
}
"""By git, which does not compare checksums."""


def nothing(repo: Repo) -> None:
    """Leave the repository as it is."""


def begun(repo: Repo) -> None:
    repo.start("--go-on")
    repo.write({"src/part1.py": "one\n"})


def verified(repo: Repo) -> None:
    begun(repo)
    repo.ok("step verify 1")


def committed(repo: Repo) -> None:
    begun(repo)
    repo.ok("step verify 1 --go-on")


def astray(repo: Repo) -> None:
    begun(repo)
    repo.write({"README.md": "stray\n"})


def undone(repo: Repo) -> None:
    verified(repo)
    repo.ok("run finish")


ONE, FAILS = plan(step(1)), plan(step(1, verify="false", on_failure="skip"))


@pytest.mark.parametrize(
    ("reach", "text", "call"),
    [
        (nothing, ONE, f"run start {PLAN}"),
        (Repo.start, ONE, "step begin 1"),
        (begun, ONE, "step verify 1"),
        (begun, FAILS, "step verify 1"),
        (astray, ONE, "step restore 1"),
        (verified, ONE, "step commit 1"),
        (committed, ONE, "run finish"),
        (undone, FAILS, "step rescue 1"),
    ],
)
def test_a_damaged_index_stops_every_call_and_nothing_is_lost(
    stand: Stand, reach: Callable[[Repo], object], text: str, call: str
) -> None:
    """A machine that loses its power may leave one; the remedy is in the answer."""
    repo = stand(reach, text)
    index, before = repo.folder / ".git/index", repo.tree()
    good = index.read_bytes()
    for name, damage in {**DAMAGE, **(UNNOTICED if reach is nothing else {})}.items():
        index.unlink()
        index.write_bytes(damage(good))
        assert "the index of git is damaged: ask the user to move it away" in repo.refused(call), name
        assert repo.tree() == before, name
    index.unlink()
    repo.git("reset", "--quiet")
    assert repo.ok(call)
