"""What the runtime imports: little, from the standard library, and in one direction."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from graphlib import TopologicalSorter
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

import ultra_runtime
from tests.kit.calls import ISOLATED, Ultra, hook_file
from tests.kit.imports import SLOW, runtime_graph
from ultra_runtime import Finder

RUNTIME = Path(ultra_runtime.__file__).parent


def test_imports_come_from_the_standard_library_and_from_ourselves() -> None:
    graph = runtime_graph()
    for module, names in graph.items():
        for name in names:
            ours = name in graph or name.startswith("ultra_runtime.tables")
            assert ours or name.partition(".")[0] in sys.stdlib_module_names, (module, name)


def test_imports_point_in_one_direction() -> None:
    """No module imports, on whatever way, one that imports it: those in functions count too."""
    graph = runtime_graph()
    ours = {module: {name for name in names if name in graph} for module, names in graph.items()}
    assert list(TopologicalSorter(ours).static_order())  # raises CycleError


def test_verbs_and_hooks_stand_at_the_top() -> None:
    doors = ("ultra_runtime.verbs.", "ultra_runtime.hooks.")
    for module, names in runtime_graph().items():
        assert module.startswith(doors) or not [name for name in names if name.startswith(doors)], module


@pytest.mark.parametrize(
    "module", ["ultra_runtime.files", "ultra_runtime.files.root", "ultra_runtime.__main__"]
)
def test_the_short_search_finds_what_the_usual_one_finds(module: str) -> None:
    parent = import_module(module.rpartition(".")[0])
    quick, usual = Finder.find_spec(module, parent.__path__), PathFinder.find_spec(module, parent.__path__)
    assert quick is not None
    assert usual is not None
    assert quick.loader is None or type(quick.loader) is type(usual.loader)
    assert (quick.loader is None) == (module == "ultra_runtime.files"), "of a room only the path is needed"
    for name in ("name", "origin", "parent", "cached", "has_location", "submodule_search_locations"):
        assert getattr(quick, name) == getattr(usual, name), name


def test_a_room_has_nothing_but_its_docstring_in_its_init() -> None:
    """The short search does not read it."""
    for path in RUNTIME.glob("*/**/__init__.py"):
        if path.parent != RUNTIME / "tables":
            (docstring,) = ast.parse(path.read_text()).body
            assert isinstance(docstring, ast.Expr), path


@pytest.mark.parametrize("module", ["ultra_runtime", "ultra_runtime.nothing", "tests.kit"])
def test_the_short_search_leaves_everything_else_to_the_usual_one(module: str) -> None:
    assert Finder.find_spec(module, ultra_runtime.__path__ if "." in module else None) is None


CALLS = {
    "continue": ["continue", "--json"],
    "continue, in words": ["continue"],
    "validate": ["validate", "session-state", "STATE", "--json"],
    "guide": ["guide", "continue", "none"],
    "frontmatter": ["frontmatter", "BRIEF", "--json"],
}


def loaded(ultra: Ultra, words: list[str | Path]) -> set[str]:
    """Return the modules that a call imports, as the interpreter itself reports them."""
    told = ultra.run([*ISOLATED, "-X", "importtime", ultra.command, *words])
    assert told.status == 0, told.out
    lines = [line for line in told.err.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_imports_nothing_slow(
    ultra: Ultra, repo: Path, add_state: Callable[..., Path], name: str
) -> None:
    state = add_state()
    brief = repo / "brief.md"
    brief.write_text("---\na: [1, b]\n---\n")
    places: dict[str, Path] = {"STATE": state, "BRIEF": brief}
    modules = loaded(ultra, [places.get(word, word) for word in CALLS[name]])
    assert "ultra_runtime.__main__" in modules
    assert not modules & SLOW


def test_the_hook_imports_nothing_slow(ultra: Ultra, add_state: Callable[..., Path]) -> None:
    add_state()
    told = ultra.run([*ISOLATED, "-X", "importtime", hook_file(ultra.bundle, "session_start")])
    modules = {line.rpartition("|")[2].strip() for line in told.err.splitlines()}
    assert "ultra_runtime.run.state.session_state" in modules
    assert not modules & SLOW


def test_the_guard_sees_a_slow_import(own_bundle: Path, repo: Path, python: Path) -> None:
    """Prove that the tests above can fail."""
    verb = own_bundle / "runtime/ultra_runtime/verbs/guide.py"
    verb.write_text(verb.read_text().replace("import os\n", "import os\nimport argparse\n", 1))
    assert {"argparse", "re"} <= loaded(Ultra(own_bundle, repo, python), ["guide", "continue", "none"])
