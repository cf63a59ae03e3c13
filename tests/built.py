"""The plugin as the sources render it now, so that a test needs no build first."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.kit.names import NAME, SOURCES
from ultra_plugin.config import load
from ultra_plugin.per_plugin import own_suite
from ultra_plugin.pipeline import checked
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import table_files
from ultra_plugin.tree import write


def pytest_configure(config: pytest.Config) -> None:
    """Have the runtime of the sources find its tables, as a rendered one does, already while tests are collected."""
    folder = tempfile.TemporaryDirectory(prefix="ultra-tables-")
    config.add_cleanup(folder.cleanup)
    add_tables(Path(folder.name))


def add_tables(folder: Path) -> None:
    """Render the tables below a folder and let `ultra_runtime.tables` be found there."""
    import ultra_runtime

    tree = SourceTree(SOURCES)
    suite = load(tree)
    (plugin,) = [one for one in suite.plugins if one.settings.name == NAME]
    for file in table_files(tree, own_suite(suite, plugin), plugin):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
    ultra_runtime.__path__.append(str(folder / "runtime/ultra_runtime"))


def rendered(sources: Path, target: Path) -> Path:
    """Render sources to a plugin folder below target, without the checks, and return it."""
    tree = SourceTree(sources)
    write(render(tree, load(tree)), target)
    return target / NAME


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a plugin folder that no test changes; tests/generator shows that dist/ is the same."""
    out = tmp_path_factory.mktemp("built")
    bundles, _ = checked(SourceTree(SOURCES), "dist")
    write(bundles, out)
    return out / NAME
