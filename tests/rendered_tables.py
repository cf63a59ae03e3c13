"""Let tests import the runtime of the sources: render its tables once, from the sources as they are now."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from ultra_plugin.config import load
from ultra_plugin.own import own_suite
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import table_files

SOURCES = Path(__file__).parent.parent / "plugin_src"


def render_tables(folder: Path) -> None:
    """Write the tables of the first plugin into a folder."""
    tree = SourceTree(SOURCES)
    suite = load(tree)
    plugin = suite.plugins[0]
    for file in table_files(tree, own_suite(suite, plugin), plugin):
        (folder / Path(file.path).name).write_bytes(file.content)


def install() -> None:
    """Have `ultra_runtime.tables` found, as a rendered runtime does, for as long as the tests run."""
    folder = tempfile.mkdtemp(prefix="ultra-tables-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    render_tables(Path(folder))
    package = ModuleType("ultra_runtime.tables")
    package.__path__ = [folder]
    exec((Path(folder) / "__init__.py").read_text(), package.__dict__)  # noqa: S102
    sys.modules[package.__name__] = package
    sys.path.insert(0, str(SOURCES / "runtime"))


install()
