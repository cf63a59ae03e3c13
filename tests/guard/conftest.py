"""A repository in which the hook of a bundle is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.built import copy_bundle
from tests.guard.scene import Scene


@pytest.fixture
def scene(bundle: Path, tmp_path: Path) -> Scene:
    return Scene(bundle, tmp_path)


@pytest.fixture
def broken(bundle: Path, tmp_path: Path) -> Scene:
    """Return a scene whose bundle the test may change."""
    copy = tmp_path / "a bundle"
    copy_bundle(bundle, copy)
    return Scene(copy, tmp_path)
