"""Repositories with a plan to carry out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.executor.sample import Repo, Stand
from tests.kit.files import copy_tree


@pytest.fixture
def make(tmp_path: Path, bundle: Path, python: Path) -> Callable[..., Repo]:
    """Return a function that makes a repository with a plan."""

    def make_repo(text: str, **options: object) -> Repo:
        return Repo(tmp_path / "repo", bundle, python).create(text, **options)  # type: ignore[arg-type]

    return make_repo


@pytest.fixture(scope="session")
def stand(tmp_path_factory: pytest.TempPathFactory, bundle: Path, python: Path) -> Stand:
    """Return a function that gives a repository with a plan in which something was done.

    It is done once. Each further test gets the same files at the same place, since records name it, and nothing beside.
    """
    kept: dict[tuple[Callable[[Repo], object], str], Path] = {}
    folder = tmp_path_factory.mktemp("stands")

    def stand_after(reach: Callable[[Repo], object], text: str) -> Repo:
        copy = kept.setdefault((reach, text), folder / f"{len(kept)}.kept")
        place = copy.with_suffix("")
        repo = Repo(place / "repo", bundle, python)
        if not copy.exists():
            reach(repo.create(text))
            copy_tree(place, copy)
        else:
            shutil.rmtree(place)
            copy_tree(copy, place)
        return Repo(repo.folder, bundle, python)

    return stand_after
