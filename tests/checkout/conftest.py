"""The repository of a user, which is the same after every test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kit.files import write_tree
from tests.kit.repository import ENVIRONMENT, git, make_repository

if TYPE_CHECKING:
    from tests.checkout.source import Source


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Run in nobody's environment, with temporary folders of our own."""
    (tmp_path / "tmp").mkdir()
    for name in [name for name in os.environ if name.startswith(("GIT_", "CLAUDE_"))]:
        monkeypatch.delenv(name)
    for name, value in {**ENVIRONMENT, "TMPDIR": str(tmp_path / "tmp")}.items():
        monkeypatch.setenv(name, value)
    yield
    assert not any((tmp_path / "tmp").iterdir())


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with three files, which tests copy."""
    files = {"a.txt": "a\n", "src/b.sh": "b\n", ".gitignore": "*.secret\nnode_modules/\n.venv/\n"}
    return make_repository(tmp_path_factory.mktemp("begun") / "source", files)


@pytest.fixture
def source(begun: Path, tmp_path: Path) -> Source:
    """Return a repository with three files, an ignored one and one that is not committed."""
    from tests.checkout.source import Source

    root = shutil.copytree(begun, tmp_path / "source", symlinks=True).resolve()
    git(root, "update-index", "-q", "--refresh")
    write_tree(root, {"key.secret": "s3\n", "left.txt": "not committed\n"})
    return Source(root)


@pytest.fixture
def unchanged(source: Source) -> Iterator[Callable[[], None]]:
    """Compare the user's repository with what it was, at the end and whenever the test asks."""
    before = source.state()

    def compare() -> None:
        assert source.state() == before

    yield compare
    compare()
