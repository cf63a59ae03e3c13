"""Repositories with a plan to carry out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import Repo


@pytest.fixture
def make(tmp_path: Path, bundle: Path, python: Path) -> Callable[..., Repo]:
    """Return a function that makes a repository with a plan."""

    def make_repo(text: str, **options: object) -> Repo:
        return Repo(tmp_path / "repo", bundle, python).create(text, **options)  # type: ignore[arg-type]

    return make_repo
