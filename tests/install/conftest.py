"""Give every test a home of its own and two versions of a sample bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.client.session import Client, Home
from tests.install.samples import Machine, write_bundle
from ultra_plugin.install.place import Place


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


@pytest.fixture
def user(client: Client, home: Home, tmp_path: Path) -> Machine:
    """Return the machine of somebody who has the real client on the PATH."""
    folder = tmp_path / "client-bin"
    folder.mkdir()
    (folder / "claude").symlink_to(client.binary)
    variables = {key: value for key, value in home.environment().items() if key not in ("PATH", "LANG")}
    return Machine(home.root, path=f"{folder}:/usr/bin:/bin", variables=variables)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Return a client folder with what every call finds in it."""
    place = Place.at("user", tmp_path / "config", tmp_path / "config")
    place.state.mkdir(parents=True)
    return place
