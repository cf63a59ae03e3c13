"""The plugin as the sources render it now, so that a test needs no build first."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import interpreters
from tests.kit.calls import FIXED
from tests.kit.files import copy_tree
from tests.kit.names import NAME, SOURCES
from tests.kit.warm import share_calls
from ultra_plugin.config import load
from ultra_plugin.per_plugin import own_suite
from ultra_plugin.pipeline import checked
from ultra_plugin.render import render
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import table_files
from ultra_plugin.tree import write

UNUSED = "unused"
# A folder that all workers of a session share.
SHARED = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Have the runtime of the sources find its tables, as a rendered one does, already while tests are collected."""
    given = getattr(config, "workerinput", {}).get("shared")
    if given is None:
        folder = tempfile.TemporaryDirectory(prefix="ultra-shared-")
        config.add_cleanup(folder.cleanup)
        write_tables(Path(folder.name))
    config.stash[SHARED] = Path(given or folder.name)
    use_tables(config.stash[SHARED])
    share_calls(config.stash[SHARED])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker where the shared folder is."""
    node.workerinput["shared"] = str(node.config.stash[SHARED])


def write_tables(folder: Path) -> None:
    """Render the tables of the runtime below a folder."""
    tree = SourceTree(SOURCES)
    suite = load(tree)
    (plugin,) = [one for one in suite.plugins if one.settings.name == NAME]
    for file in table_files(tree, own_suite(suite, plugin), plugin):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)


def use_tables(folder: Path) -> None:
    """Let `ultra_runtime.tables` be found below a folder."""
    import ultra_runtime

    ultra_runtime.__path__.append(str(folder / "runtime/ultra_runtime"))


def rendered(sources: Path, target: Path) -> Path:
    """Render sources to a plugin folder below target, without the checks, and return it."""
    tree = SourceTree(sources)
    write(render(tree, load(tree)), target)
    return target / NAME


def copy_bundle(bundle: Path, target: Path) -> Path:
    """Return a copy of the session's bundle with its byte code, of one that no call writes byte code to meanwhile."""
    return copy_tree(bundle.parents[1] / UNUSED / bundle.name, target)


def lend_byte_code(bundle: Path, other: Path) -> None:
    """Give another bundle the byte code of this one for every file that is the same in both."""
    unused = bundle.parents[1] / UNUSED / bundle.name
    for code in unused.rglob("*.pyc"):
        source = code.parents[1] / f"{code.name.partition('.')[0]}.py"
        same = other / source.relative_to(unused)
        if same.is_file() and same.read_bytes() == source.read_bytes():
            (same.parent / code.parent.name).mkdir(exist_ok=True)
            shutil.copy(code, same.parent / code.parent.name)
            shutil.copystat(source, same)  # byte code is valid for the time of its source


def made_once(config: pytest.Config, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that the first worker to need it makes, and all others use."""
    folder = config.stash[SHARED] / name
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.with_name(f"{name}.making")
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            make(making)
            making.rename(folder)
    return folder


def _make_bundles(folder: Path) -> None:
    write(checked(SourceTree(SOURCES), "dist")[0], folder / "dist")
    command = (interpreters()[-1], "-I", "-S", "-m", "compileall", "-q", folder / "dist")
    subprocess.run(command, check=True)
    copy_tree(folder / "dist", folder / UNUSED)


def make_bundles(config: pytest.Config) -> Path:
    """Return a folder with the plugins, built once, that no test changes."""
    built = made_once(config, "built", _make_bundles) / "dist"
    FIXED.update(built.iterdir())
    return built


@pytest.fixture(scope="session")
def bundle(pytestconfig: pytest.Config) -> Path:
    """Return a plugin folder that no test changes, built once; tests/generator shows that dist/ is the same."""
    return make_bundles(pytestconfig) / NAME
