"""A repository with an empty project, and one with work in it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kit.files import write_tree
from tests.kit.names import EXAMPLE, PROJECT
from tests.kit.repository import git

if TYPE_CHECKING:
    from ultra_runtime.files.project import Project


@pytest.fixture
def repo(repo: Path) -> Path:
    """Return a repository with an empty project."""
    (repo / PROJECT).mkdir(parents=True)
    return repo


@pytest.fixture
def project(repo: Path) -> Path:
    """Return the project's directory."""
    return repo / PROJECT


@pytest.fixture
def here(repo: Path, project: Path) -> Project:
    """Return the project."""
    from ultra_runtime.files.project import Project  # what it imports is rendered after this file is loaded

    return Project(str(repo), project.name)


@pytest.fixture
def work(repo: Path, project: Path) -> Path:
    """Return a repository with one commit and a brief that git does not know yet."""
    write_tree(repo, {"old.py": "print(1)\n"})
    git(repo, "add", "old.py")
    git(repo, "commit", "--quiet", "--message=begin")
    shutil.copy(EXAMPLE / "brief.md", project)
    return repo
