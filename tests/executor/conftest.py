"""A rendered bundle and repositories to run it in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interpreters import interpreters, python_on_path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "plugin_src" / "runtime"))

from tests.executor.sample import Repo, rendered  # noqa: E402


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the flagship, rendered from the sources as they are."""
    return rendered(tmp_path_factory.mktemp("rendered"))


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which `python3` is the newest interpreter."""
    return python_on_path(interpreters()[-1], tmp_path_factory.mktemp("python"))


@pytest.fixture
def make(tmp_path: Path, bundle: Path, python: Path) -> Callable[..., Repo]:
    """Return a function that makes a repository with a plan."""

    def make_repo(text: str, **options: object) -> Repo:
        return Repo(tmp_path / "repo", bundle, python).create(text, **options)  # type: ignore[arg-type]

    return make_repo
