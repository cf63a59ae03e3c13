"""A copy of the sources with one change in it, built as a fork would build it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.kit.names import PLUGIN_SOURCE, PROJECT, SOURCES
from ultra_plugin.errors import ProblemsFound
from ultra_plugin.pipeline import checked
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write

PLUGIN = f"plugins/{PLUGIN_SOURCE.name}"


class Fork:
    """A copy of the sources that a test changes and builds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources = folder / "plugin_src"
        shutil.copytree(SOURCES, self.sources, ignore=shutil.ignore_patterns("__pycache__"))

    def change(self, path: str, changes: Mapping[str, str]) -> None:
        """Replace words in a source; each has to be there."""
        file = self.sources / path
        text = file.read_text()
        for old, new in changes.items():
            assert old in text, f"{path} has no {old!r}"
            text = text.replace(old, new)
        file.write_text(text)

    def line(self, path: str, words: str) -> int:
        """Return the number of the line that holds these words."""
        lines = (self.sources / path).read_text().split("\n")
        return next(number for number, line in enumerate(lines, 1) if words in line)

    def build(self) -> Path:
        """Return the plugin folder."""
        bundles, _ = checked(SourceTree(self.sources), "dist")
        write(bundles, self.folder / "dist")
        return self.folder / "dist" / bundles[0].name

    def faults(self) -> list[str]:
        """Return what keeps the sources from being built."""
        with pytest.raises(ProblemsFound) as caught:
            checked(SourceTree(self.sources), "dist")
        return [str(one).replace(f"{self.sources}/", "") for one in caught.value.problems]


@pytest.fixture
def repo(repo: Path) -> Path:
    """Return a repository with an empty project."""
    (repo / PROJECT).mkdir(parents=True)
    return repo


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    """Return a copy of the sources."""
    return Fork(tmp_path)
