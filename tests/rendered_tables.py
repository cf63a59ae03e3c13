"""The tables of the flagship for tests that import modules of the runtime from its sources, rendered when first asked for."""

from __future__ import annotations

import atexit
import importlib.util
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from ultra_plugin.config import load
from ultra_plugin.own import own_suite
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import table_files

PACKAGE = "ultra_runtime.tables"
SOURCES = Path(__file__).parent.parent / "plugin_src"


class TablesFinder:
    """Finds the package of tables, which the sources do not have."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != PACKAGE:
            return None
        folder = Path(tempfile.mkdtemp(prefix="ultra-tables-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        tree = SourceTree(SOURCES)
        suite = load(tree)
        plugin = suite.plugins[0]
        for file in table_files(tree, own_suite(suite, plugin), plugin):
            (folder / Path(file.path).name).write_bytes(file.content)
        return importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )


def install() -> None:
    """Let the tests of this process import the tables."""
    sys.meta_path.append(TablesFinder())
