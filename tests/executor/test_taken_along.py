"""Ignored files that no step names are not lost with the folder that a step removes or moves."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from tests.executor.sample import FILES, Repo, plan, step

Make = Callable[..., Repo]
MINE = "src/deep/mine.local"


@pytest.fixture
def repo(make: Make) -> Repo:
    """Return a run with a begun step in a folder that has an ignored file of the user."""
    moves = step(
        1, ["src/hello.py", "lib/hello.py"], verify="test -e lib/ok", expected_paths=["lib/hello.py"]
    )
    repo = make(plan(moves), files={**FILES, ".gitignore": "*.local\n"})
    repo.write({MINE: b"mine\xff\n"})
    (repo.folder / MINE).chmod(0o600)
    repo.start()
    repo.ok("step begin 1")
    return repo


@pytest.mark.soak
@pytest.mark.parametrize("how", ["removed", "moved"])
def test_an_undo_brings_an_ignored_file_back(repo: Repo, how: str) -> None:
    before = repo.tree()
    if how == "removed":
        shutil.rmtree(repo.folder / "src")
    else:
        (repo.folder / "src").rename(repo.folder / "lib")
    for _ in range(3):
        answer = repo.ok("step verify 1")
    assert answer["next"] == "stop"
    after = repo.tree()
    assert after.pop("lib/deep/mine.local", None) == (before[MINE] if how == "moved" else None)
    assert after == before


@pytest.mark.soak
def test_a_step_that_passes_saves_what_it_took_along(make: Make) -> None:
    repo = make(plan(step(1, ["src/hello.py", "lib/hello.py"], expected_paths=["lib/hello.py"])),
        files={**FILES, ".gitignore": "*.local\n"})  # fmt: skip
    repo.write({MINE: "mine\n"})
    repo.start()
    repo.ok("step begin 1")
    (repo.folder / "lib").mkdir()
    (repo.folder / "src/hello.py").rename(repo.folder / "lib/hello.py")
    shutil.rmtree(repo.folder / "src")
    assert repo.ok("step verify 1")["passed"]
    repo.ok("step commit 1")
    repo.git("gc", "-q", "--prune=now")
    findings = " ".join(repo.ok("run finish")["findings"])
    assert f"step 1 removed ignored files: {MINE}; to get them back: `ultra step rescue 1`" in findings
    assert repo.ok("step rescue 1")["rescued"] == MINE
    assert repo.read(MINE) == "mine\n"


@pytest.mark.soak
@pytest.mark.parametrize(("size", "saved"), [(4 * 1024 * 1024, True), (4 * 1024 * 1024 + 1, False)])
def test_only_small_files_are_saved(make: Make, size: int, saved: bool) -> None:
    repo = make(
        plan(step(1, ["src/part1.py"], verify="false", on_failure="skip")),
        files={**FILES, ".gitignore": "*.local\n"},
    )
    repo.write({MINE: b"x" * size})
    repo.start()
    repo.ok("step begin 1")
    (repo.folder / MINE).unlink()
    repo.ok("step verify 1")
    assert repo.has(MINE) is saved
