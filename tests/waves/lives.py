"""Waves that are cut off at a line of their journal, and go on from there."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from tests.kit.calls import ISOLATED
from tests.waves.sample import PLAN, QUICK, TWO_WAVES, Waves

DEADLY = Path(__file__).with_name("deadly_supervisor.py")
SERVED, DIED = 0, 9
MINE = {**QUICK, "mine.txt": "mine\n"}
LIFE_SECONDS = 300


def live(repo: Waves, asked: str = "none", **env: str) -> int:
    """Serve the waves with a process that ends as it is asked to, and return how it ended."""
    names = [DEADLY, repo.bundle / "runtime", repo.folder, PLAN, repo.folder.parent / "deaths"]
    done = subprocess.run(
        [*ISOLATED, *map(str, names)], env={**repo.env, "DEATHS_ASKED": asked, **env}, capture_output=True, cwd=repo.folder,
        timeout=LIFE_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode in (SERVED, DIED), (done.returncode, done.stderr.decode())
    return done.returncode


def cut_off(make: Callable[..., Waves], where: str) -> Waves:
    """Return a repository whose waves were cut off at a line of the journal, with all their processes."""
    repo = make(TWO_WAVES, files=MINE, without_verbs=True)
    assert live(repo, f"kill {where}") == DIED
    return repo
