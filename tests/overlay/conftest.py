"""An upstream to fork, and the fork of the story on each version of its upstream, built once for all tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.built import made_once
from tests.kit.generator import call
from tests.kit.quick import SOAK
from tests.overlay.forks import opened, write_upstream
from tests.overlay.story import FIRST, FORK, RELEASES, write_fork, write_release
from ultra_plugin.overlay.lock import standings
from ultra_plugin.overlay.work import accept

TOLD = "told.json"


class Told(NamedTuple):
    """What a release said of the fork, and what was built on it."""

    version: str
    bundle: Path
    stale: list[str]
    warnings: list[str]
    tested: str
    """What `ultra-plugin test` said; between the first and the last release only `make soak` asks it."""


@pytest.fixture(scope="session")
def story(pytestconfig: pytest.Config) -> list[Told]:
    """Return the fork on each version of its upstream, built."""
    folder = made_once(pytestconfig, "story", _tell)
    rows = [Told(*row) for row in json.loads((folder / TOLD).read_text())]
    return [row._replace(bundle=_out(folder, row.version) / FORK) for row in rows]


def _tell(folder: Path) -> None:
    """Build the fork on each version of its upstream below a folder, and write down what was said."""
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
    (folder / TOLD).write_text(json.dumps(told, default=str))


def _out(folder: Path, version: str) -> Path:
    return folder / f"dist-{version}"


def _built(fork: Path, folder: Path, version: str, stale: list[str]) -> Told:
    out = _out(folder, version)
    done = call(fork, "build", "--out", str(out))
    assert done.returncode == 0, done.stderr
    warnings = [line for line in done.stdout.split("\n") if line.endswith("[warning]")]
    if not SOAK and version not in (FIRST, [*RELEASES][-1]):
        return Told(version, out / FORK, stale, warnings, "")
    tested = call(fork, "test")
    assert (tested.returncode, tested.stderr) == (0, ""), tested.stdout
    return Told(version, out / FORK, stale, warnings, tested.stdout)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of an upstream."""
    write_upstream(tmp_path)
    return tmp_path
