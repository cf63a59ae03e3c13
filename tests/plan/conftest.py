"""A repository with a project that has a plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kit.files import write_tree
from tests.kit.names import PROJECT

PutPlan = Callable[[str | bytes], Path]


@pytest.fixture
def project(repo: Path) -> Path:
    """Return the directory of an empty project."""
    (repo / PROJECT).mkdir(parents=True)
    return repo / PROJECT


@pytest.fixture
def put_plan(project: Path) -> PutPlan:
    """Return a function that writes the plan of the project."""
    return lambda text: write_tree(project, {"plan.md": text}) / "plan.md"
