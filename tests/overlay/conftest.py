"""The fork of the story on each version of its upstream, built once for all tests."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.overlay.forks import call, opened
from tests.overlay.story import FIRST, FORK, RELEASES, write_fork, write_release
from ultra_plugin.overlay.lock import standings
from ultra_plugin.overlay.work import accept


class Told(NamedTuple):
    """What a release said of the fork, and what was built on it."""

    version: str
    bundle: Path
    stale: list[str]
    warnings: list[str]
    tested: str
    """What `ultra-plugin test` said."""


@pytest.fixture(scope="session")
def story(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    """Return the fork on each version of its upstream, built."""
    folder = tmp_path_factory.mktemp("story")
    write_release(folder, FIRST)
    fork = write_fork(folder)
    accept(opened(fork), ())
    told = [_built(fork, folder, FIRST, [])]
    before = FIRST
    for version, change in RELEASES.items():
        write_release(folder, version, change, before)
        before = version
        done = call(fork, "overlay", "upgrade", version)
        assert done.returncode == 0, done.stderr
        stale = [one.part.id for one in standings(opened(fork)) if one.state not in ("fresh", "added")]
        if stale:
            refused = call(fork, "build")
            assert refused.returncode == 1
            assert all(part.partition("#")[0] in refused.stderr for part in stale)
            assert call(fork, "overlay", "accept", *stale).returncode == 0
        told.append(_built(fork, folder, version, stale))
    return told


def _built(fork: Path, folder: Path, version: str, stale: list[str]) -> Told:
    out = folder / f"dist-{version}"
    done = call(fork, "build", "--out", str(out))
    assert done.returncode == 0, done.stderr
    warnings = [line for line in done.stdout.split("\n") if line.endswith("[warning]")]
    tested = call(fork, "test")
    assert (tested.returncode, tested.stderr) == (0, ""), tested.stdout
    return Told(version, out / FORK, stale, warnings, tested.stdout)
