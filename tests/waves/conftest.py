"""Repositories with a plan in waves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.waves.processes import kill_all
from tests.waves.sample import TWO_WAVES, Waves


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
