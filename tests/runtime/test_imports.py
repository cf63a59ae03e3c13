"""What the runtime imports: little, from the standard library, and in one direction."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.runtime.conftest import SOURCE, Runner

PACKAGE = SOURCE / "ultra_runtime"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "tables" not in path.parts)
SLOW = {
    "argparse",
    "dataclasses",
    "typing",
    "pathlib",
    "enum",
    "re",
    "json",
    "collections",
    "functools",
    "inspect",
}


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that run-time imports name, those in functions included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            yield node.module or ""
        yield from imports(node)


def module_name(path: Path) -> str:
    return ".".join(("ultra_runtime", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
        ".__init__"
    )


GRAPH = {module_name(path): set(imports(ast.parse(path.read_text()))) for path in MODULES}


@pytest.mark.parametrize("module", GRAPH)
def test_imports_come_from_the_standard_library_and_from_ourselves(module: str) -> None:
    for name in GRAPH[module]:
        ours = name in GRAPH or name.startswith("ultra_runtime.tables")
        assert ours or name.partition(".")[0] in sys.stdlib_module_names, name


def test_imports_point_in_one_direction() -> None:
    """No module imports, on whatever way, one that imports it: those in functions count too."""
    ours = {module: {name for name in names if name in GRAPH} for module, names in GRAPH.items()}
    assert list(TopologicalSorter(ours).static_order())  # raises CycleError


@pytest.mark.parametrize("module", GRAPH)
def test_verbs_and_hooks_stand_at_the_top(module: str) -> None:
    doors = ("ultra_runtime.verbs.", "ultra_runtime.hooks.")
    used = {name for name in GRAPH[module] if name.startswith(doors)}
    assert not used or module.startswith(doors), used


CALLS = {
    "continue": ["continue", "--json"],
    "continue, in words": ["continue"],
    "validate": ["validate", "session-state", "STATE", "--json"],
    "guide": ["guide", "continue", "none"],
    "frontmatter": ["frontmatter", "BRIEF", "--json"],
}


def loaded(ultra: Runner, words: list[str | Path]) -> set[str]:
    """Return the modules that a call imports, as the interpreter itself reports them."""
    command = [
        "python3",
        "-I",
        "-S",
        "-X",
        "utf8",
        "-X",
        "importtime",
        ultra.bundle / "bin" / "ultra",
        *words,
    ]
    told = ultra.start(command)
    assert told.status == 0, told.out
    lines = [line for line in told.err.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_imports_nothing_slow(
    ultra: Runner, repo: Path, add_state: Callable[..., Path], name: str
) -> None:
    state = add_state()
    brief = repo / "brief.md"
    brief.write_text("---\na: [1, b]\n---\n")
    places: dict[str, Path] = {"STATE": state, "BRIEF": brief}
    modules = loaded(ultra, [places.get(word, word) for word in CALLS[name]])
    assert "ultra_runtime.__main__" in modules
    assert not modules & SLOW


def test_the_hook_imports_nothing_slow(ultra: Runner, add_state: Callable[..., Path]) -> None:
    add_state()
    hook = ultra.bundle / "runtime/ultra_runtime/hooks/session_start.py"
    told = ultra.start(["python3", "-I", "-S", "-X", "importtime", hook])
    modules = {line.rpartition("|")[2].strip() for line in told.err.splitlines()}
    assert "ultra_runtime.run.state.session_state" in modules
    assert not modules & SLOW


def test_the_guard_sees_a_slow_import(own_bundle: Path, repo: Path, python: Path) -> None:
    """Prove that the tests above can fail."""
    verb = own_bundle / "runtime/ultra_runtime/verbs/guide.py"
    verb.write_text(verb.read_text().replace("import os\n", "import os\nimport argparse\n", 1))
    assert {"argparse", "re"} <= loaded(Runner(own_bundle, repo, python), ["guide", "continue", "none"])
