"""A copy of the sources with one change in it, built as a fork would build it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.kit.files import tree_of
from tests.kit.names import NAME, PLUGIN_SOURCE, PROJECT, SOURCES
from tests.kit.sources import copy_of_sources, faults
from ultra_plugin.config import load
from ultra_plugin.per_plugin import own_contracts
from ultra_plugin.pipeline import checked
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write

PLUGIN = f"plugins/{PLUGIN_SOURCE.name}"


class Fork:
    """A copy of the sources that a test changes and builds."""

    ours = SOURCES

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sources = copy_of_sources(folder)

    def change(self, path: str, changes: Mapping[str, str]) -> None:
        """Replace words in a source; each has to be there."""
        file = self.sources / path
        text = file.read_text()
        for old, new in changes.items():
            assert old in text, f"{path} has no {old!r}"
            text = text.replace(old, new)
        file.write_text(text)

    def write(self, path: str, text: str) -> None:
        """Add a source."""
        file = self.sources / path
        assert not file.exists(), f"{path} is there already"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def remove(self, *patterns: str) -> None:
        """Remove files and folders; each pattern has to match."""
        for pattern in patterns:
            found = list(self.sources.glob(pattern))
            assert found, f"nothing is called {pattern}"
            for path in found:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def keep_flagship(self) -> None:
        """Remove the other plugins, and the contracts and outputs that only they have."""
        suite = load(SourceTree(self.sources))
        own = next(one for one in suite.plugins if one.settings.name == NAME)
        kept = {contract.artifact for contract in own_contracts(suite, own).values()}
        used = {agent.output for agent in own.roles.values()}
        for path in self.sources.glob("plugins/*"):
            if path.name != NAME:
                self.remove(f"plugins/{path.name}")
        for contract in suite.contracts.values():
            if contract.artifact not in kept:
                self.remove(f"contracts/{contract.artifact}.yaml", f"contracts/fixtures/{contract.artifact}")
        self.remove("fragments/work-*")
        self.change("contracts/settings.yaml", {"consumer: [execute, sdd]": "consumer: execute"})
        for path in self.sources.glob("outputs/*.yaml"):
            if path.stem not in used:
                self.remove(f"outputs/{path.name}")

    @property
    def changed(self) -> set[str]:
        """Return the sources that differ from ours: changed, added or removed."""
        ours, own = _files(SOURCES), _files(self.sources)
        return {path for path in ours.keys() | own.keys() if ours.get(path) != own.get(path)}

    def line(self, path: str, words: str) -> int:
        """Return the number of the line that holds these words."""
        lines = (self.sources / path).read_text().split("\n")
        return next(number for number, line in enumerate(lines, 1) if words in line)

    def build(self) -> Path:
        """Return the plugin folder."""
        problems = self.problems()
        assert not problems, "\n".join(problems)
        return self.folder / "dist" / NAME

    def faults(self) -> list[str]:
        """Return what keeps the sources from being built."""
        problems = self.problems()
        assert problems, "the sources can be built"
        return problems

    def problems(self) -> list[str]:
        """Build, and return what keeps the sources from being built, nothing when they were."""
        return faults(self.sources, lambda tree: write(checked(tree, "dist")[0], self.folder / "dist"))


def _files(folder: Path) -> dict[str, bytes]:
    return {path: data for path, data in tree_of(folder).items() if "__pycache__" not in path}


def words_of(path: Path) -> str:
    """Return the text of a file with its paragraphs on one line each, however they are filled."""
    return " ".join(path.read_text().split())


@pytest.fixture
def repo(repo: Path) -> Path:
    """Return a repository with an empty project."""
    (repo / PROJECT).mkdir(parents=True)
    return repo


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    """Return a copy of the sources."""
    return Fork(tmp_path)
