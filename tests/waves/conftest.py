"""Repositories with a plan in waves, and machines for their sessions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kit.programs import FIND, missing
from tests.kit.quick import SOAK
from tests.kit.repository import git
from tests.waves.elsewhere import (
    NEEDED,
    Cluster,
    Hosts,
    Machines,
    drop_folder,
    files_for,
    make_folder,
    worker_environment,
)
from tests.waves.processes import kill_all
from tests.waves.sample import TWO_WAVES, Waves

if TYPE_CHECKING:
    from tests.waves.rules import Rules
    from ultra_runtime.waves.wave_run import WaveRun


@pytest.fixture
def make(tmp_path: Path, bundle: Path, python: Path) -> Iterator[Callable[..., Waves]]:
    """Return a function that makes a repository with a plan in waves; nothing of it outlives the test."""
    made: list[Waves] = []

    def make_repo(text: str = TWO_WAVES, **options: object) -> Waves:
        made.append(Waves(tmp_path / "repo", bundle, python).create(text, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make_repo
    for repo in made:
        kill_all(repo)


def need(*packages: str) -> None:
    """Skip a test whose programs are missing; on a build server that is a failure."""
    absent = [package for package in packages if FIND[package]() is None]
    if absent or os.geteuid() != 0:
        words = missing(absent[0]) if absent else "sshd and slurmd of their own need root"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(words)


def started(machines: type[Hosts] | type[Cluster]) -> Iterator[Machines]:
    """Start machines, and end them by their process ids."""
    need(*NEEDED[machines.on])
    folder = make_folder(machines.on)
    found = machines(folder)
    try:
        found.start()
        yield found
    finally:
        found.stop()
        drop_folder(folder)


@pytest.fixture(scope="session")
def hosts() -> Iterator[Machines]:
    """Return two machines that ssh reaches."""
    yield from started(Hosts)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Machines]:
    """Return a Slurm cluster of two nodes."""
    yield from started(Cluster)


ENGINES = ("ssh", "slurm")


def engine(name: str) -> pytest.MarkDecorator:
    """Tell a story with one engine, in `make soak` with both: its rule is the supervisor's, not the engine's."""
    return pytest.mark.parametrize("machines", ENGINES if SOAK else [name], indirect=True)


@pytest.fixture(params=ENGINES)
def machines(request: pytest.FixtureRequest) -> Machines:
    """Return the machines of each engine in turn."""
    found: Machines = request.getfixturevalue({"ssh": "hosts", "slurm": "cluster"}[request.param])
    return found


@pytest.fixture
def elsewhere(tmp_path: Path, bundle: Path, python: Path) -> Iterator[Callable[..., Waves]]:
    """Return a function that makes a repository whose sessions run on other machines, with a hub."""
    made: list[Waves] = []

    def make_repo(
        machines: Machines, text: str = TWO_WAVES, without_verbs: bool | Path = False, **limits: int
    ) -> Waves:
        hub = tmp_path / "hub.git"
        git(tmp_path, "init", "--quiet", "--bare", str(hub))
        repo = Waves(tmp_path / "repo", bundle, python)
        files = files_for(machines, hub, tmp_path / "worker.sh", **limits)
        repo.create(text, files, without_verbs)
        repo.env |= machines.environment()
        repo.hub, repo.machines = hub, tmp_path
        worker_environment(repo.env, tmp_path)
        made.append(repo)
        return repo

    yield make_repo
    for repo in made:
        kill_all(repo)


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WaveRun:
    """Return waves that have not begun."""
    from tests.waves.rules import not_begun  # what it imports is rendered after this file is loaded

    return not_begun(tmp_path / "repo", monkeypatch)


@pytest.fixture
def rules(fresh: WaveRun) -> Rules:
    """Return waves that have begun, without any session at work."""
    from tests.waves.rules import begun

    return begun(fresh)
