"""Real disks: one that is full after so many more bytes, and working trees on another filesystem than the repository."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.kit.calls import ISOLATED
from tests.kit.quick import SOAK
from tests.waves.lives import DEADLY, LIFE_SECONDS, MINE, SERVED, live
from tests.waves.processes import kill_all, processes_of
from tests.waves.sample import PLAN, QUICK, TWO_WAVES, Waves, part
from tests.waves.test_faults import merged_once, user_is_untouched

PAGE = 4
"""Kilobytes: less is never taken from a disk in memory."""
NEEDED = 1600
"""Kilobytes that the waves write after their begin, measured; with more than that the disk is large enough."""
SAMPLE = 1
LARGE = "2g"
STOPPED = 2
Make = Callable[..., Waves]


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """Mount a disk in memory."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={LARGE}", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("only root mounts a disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def resize(folder: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)


def left(folder: Path, kilobytes: int) -> str:
    """Return the command after which a disk takes so many more kilobytes."""
    used = f"""$(df --block-size=1K --output=used "{folder}" | tail -1)"""
    return f'mount -o "remount,size=$(({used} + {kilobytes}))k" "{folder}"'


def served_until_it_is_full(repo: Waves, act: str, deaths: Path) -> str:
    """Begin and serve waves on a disk that becomes too small right after their begin; return what the last life said."""
    names = [DEADLY, repo.bundle / "runtime", repo.folder, PLAN, deaths]
    env = {**repo.env, "DEATHS_ASKED": "act after begin", "ACT": act}
    done = subprocess.run(
        [*ISOLATED, *map(str, names)],
        env=env,
        capture_output=True,
        cwd=repo.folder,
        timeout=LIFE_SECONDS,
        check=False,
    )
    said = done.stderr.decode()
    assert done.returncode in (SERVED, STOPPED), said
    return said


def rooms() -> list[int]:
    """Return how much is left on the disk, in kilobytes: every page, or a sample."""
    every = range(0, NEEDED, PAGE)
    return list(every) if SOAK else sorted(random.Random(14).sample(every, SAMPLE))  # noqa: S311


@pytest.mark.parametrize("room", rooms())
def test_a_disk_that_is_full_in_the_middle_of_a_write_loses_nothing(
    tmp_path: Path, bundle: Path, python: Path, room: int
) -> None:
    with disk(tmp_path / "disk") as folder:
        repo = Waves(folder / "repo", bundle, python).create(TWO_WAVES, MINE, without_verbs=True)
        try:
            said = served_until_it_is_full(repo, left(folder, room), tmp_path / "deaths")
            user_is_untouched(repo)
            assert processes_of(repo) == []
            stand = repo.ok("waves wait")
            assert stand.get("result") != "completed", "the disk was never full"
            named = "".join(stand.get("why", ())) + said
            assert "No space left on device" in named or "session " in named, (stand, said)
            resize(folder, LARGE)
            for _ in range(3):
                assert live(repo) == SERVED
                if repo.ok("waves wait").get("result") == "completed":
                    break
            assert repo.ok("waves wait")["result"] == "completed"
            merged_once(repo)
        finally:
            kill_all(repo)


@pytest.mark.soak
def test_working_trees_may_be_on_another_filesystem(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK, without_verbs=True)
    repo.write({".git/info/exclude": ".claude/worktrees\n"})
    with disk(repo.folder / ".claude/worktrees") as folder:
        assert repo.ok(f"waves show {PLAN}")["problems"] == []
        end = repo.waves("--jobs 2")
        assert (end["result"], end["why"]) == ("completed", [])
        assert all(repo.has(part(number)) for number in (1, 2, 3))
        assert (repo.branches(), repo.trees(), os.listdir(folder)) == (["main"], [], [])


def test_a_filesystem_without_room_for_working_trees_is_named(make: Make) -> None:
    repo = make(TWO_WAVES, files=QUICK)
    repo.write({".git/info/exclude": ".claude/worktrees\n"})
    with disk(repo.folder / ".claude/worktrees") as folder:
        resize(folder, "4m")
        (problem,) = repo.ok(f"waves show {PLAN}")["problems"]
        assert problem.startswith(f"{folder} has 4 MB left, ")
