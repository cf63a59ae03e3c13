"""Imports point down only: a room may use what stands below it, never what stands above."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.runtime.test_imports import imports

ROOT = Path(__file__).parent.parent.parent
GENERATOR = ROOT / "generator/ultra_plugin"
RUNTIME = ROOT / "plugin_src/runtime/ultra_runtime"

# From the top of the house to its cellar; rooms of one line may use each other only in that order too.
ROOMS = (
    "__main__", "cli", "install", "pipeline", "leftovers", "stamp", "report", "package", "check", "folder", "tree", "render", "pages", "overview", "templates", "blocks", "gathering",
    "prompt", "fill", "views", "skeleton", "schema", "own", "tables", "bill", "config", "stages", "parts", "contracts", "ranges", "policy", "limits", "agents", "guard", "verbs", "usage", "document", "source", "model", "rules", "declared", "errors",
)  # fmt: skip


def imported(path: Path, package: str) -> set[str]:
    """Return the rooms of a package that a file imports."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{package}."):
            rooms.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.module == package:
            rooms |= {alias.name for alias in node.names if not alias.name.startswith("__")}
        elif isinstance(node, ast.Import):
            rooms |= {
                alias.name.split(".")[1] for alias in node.names if alias.name.startswith(f"{package}.")
            }
    return rooms


def room(path: Path, root: Path) -> str:
    return path.relative_to(root).parts[0].removesuffix(".py")


@pytest.mark.parametrize(
    "path", sorted(GENERATOR.rglob("*.py")), ids=lambda path: str(path.relative_to(GENERATOR))
)
def test_the_generator_imports_downwards(path: Path) -> None:
    here = room(path, GENERATOR)
    if here == "__init__":
        assert imported(path, "ultra_plugin") == set()
        return
    for below in imported(path, "ultra_plugin") - {here}:
        assert ROOMS.index(below) > ROOMS.index(here), f"{here} imports {below}"


@pytest.mark.parametrize(
    "path", sorted(RUNTIME.rglob("*.py")), ids=lambda path: str(path.relative_to(RUNTIME))
)
def test_the_runtime_needs_nothing_but_the_standard_library(path: Path) -> None:
    for name in imports(ast.parse(path.read_text())):
        assert name.split(".")[0] in {*sys.stdlib_module_names, "ultra_runtime"}, name


@pytest.mark.parametrize("path", sorted((GENERATOR / "install").glob("*.py")), ids=lambda path: path.stem)
def test_the_installer_uses_nothing_of_the_generator_but_its_errors(path: Path) -> None:
    assert imported(path, "ultra_plugin") <= {"install", "errors"}
