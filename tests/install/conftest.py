"""Give every test a home of its own and two versions of a sample bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.install.samples import Machine, write_bundle


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a home without a client folder."""
    home = tmp_path / "home"
    home.mkdir()
    return Machine(home)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """Return version 1.0.0 as a folder."""
    return write_bundle(tmp_path / "bundle-1")


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """Return version 1.1.0 as a folder."""
    return write_bundle(tmp_path / "bundle-2", "1.1.0")
