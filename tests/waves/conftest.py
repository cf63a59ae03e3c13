"""Repositories with a plan in waves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.waves.sample import TWO_WAVES, Waves


@pytest.fixture
def make(tmp_path: Path, bundle: Path, python: Path) -> Callable[..., Waves]:
    """Return a function that makes a repository with a plan in waves."""

    def make_repo(text: str = TWO_WAVES, **options: object) -> Waves:
        return Waves(tmp_path / "repo", bundle, python).create(text, **options)  # type: ignore[arg-type]

    return make_repo
