"""One repository for all histories: commits never disturb each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.executor.sample import Repo

if TYPE_CHECKING:
    from tests.proof.history import History


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Return a repository with one commit."""
    from tests.proof.history import History  # the tables of the runtime are rendered after this file is read

    return History(tmp_path_factory.mktemp("history"))


@pytest.fixture
def make(tmp_path: Path, bundle: Path, python: Path) -> Callable[..., Repo]:
    """Return a function that makes a repository with a plan."""

    def make_repo(text: str, **options: object) -> Repo:
        return Repo(tmp_path / "repo", bundle, python).create(text, **options)  # type: ignore[arg-type]

    return make_repo
