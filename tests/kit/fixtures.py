"""A repository, the launcher standing in it, and the interpreter that it finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.built import copy_bundle
from tests.interpreters import interpreters, python_on_path
from tests.kit.calls import Ultra
from tests.kit.repository import make_repository


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `python3` is the newest interpreter."""
    return python_on_path(interpreters()[-1], tmp_path_factory.mktemp("python"))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Return an empty repository."""
    return make_repository(tmp_path / "repo")


@pytest.fixture
def ultra(bundle: Path, repo: Path, python: Path) -> Ultra:
    """Return the launcher, standing in the repository."""
    return Ultra(bundle, repo, python)


@pytest.fixture
def own_bundle(bundle: Path, tmp_path: Path) -> Path:
    """Return a bundle that the test may change; its folder has a space in its name."""
    return copy_bundle(bundle, tmp_path / "a bundle")
