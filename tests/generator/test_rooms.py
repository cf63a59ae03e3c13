"""Imports point down only: a room may use what stands below it, never what stands above."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.kit.imports import PACKAGE, imports
from tests.kit.names import ROOT
from tests.kit.table import each

GENERATOR = ROOT / "generator/ultra_plugin"

# From the top of the house to its cellar; rooms of one line may use each other only in that order too.
ROOMS = (
    "__main__", "cli", "provenance", "install", "creating", "scaffold", "reference", "pipeline", "adopt", "exercise", "targets", "leftovers", "stamp", "report", "package", "lint", "check", "folder", "surroundings", "origin", "overlay", "tree", "render", "manifest", "shipping", "pages", "overview", "templates", "compiled", "blocks", "template_faults",
    "prompt", "fill", "views", "skeleton", "schema", "excerpts", "per_plugin", "tables", "bill", "config", "stages", "parts", "contracts", "ranges", "policy", "limits", "agents", "guard", "verbs", "usage", "document", "syntax", "source", "model", "keys", "artifact", "rules", "declared", "similar", "errors",
)  # fmt: skip


def imported(path: Path) -> set[str]:
    """Return the rooms of the generator that a file imports."""
    names = [name.split(".") for name in imports(path, members=True, typing=True)]
    return {name[1] for name in names if name[0] == "ultra_plugin" and len(name) > 1 and "__" not in name[1]}


def room(path: Path, root: Path) -> str:
    return path.relative_to(root).parts[0].removesuffix(".py")


@each(sorted(GENERATOR.rglob("*.py")))
def test_the_generator_imports_downwards(path: Path) -> None:
    here = room(path, GENERATOR)
    if here == "__init__":
        assert imported(path) == set()
        return
    for below in imported(path) - {here}:
        assert ROOMS.index(below) > ROOMS.index(here), f"{here} imports {below}"


@each(sorted(PACKAGE.rglob("*.py")))
def test_the_runtime_needs_nothing_but_the_standard_library(path: Path) -> None:
    for name in imports(path):
        assert name.partition(".")[0] in {*sys.stdlib_module_names, "ultra_runtime"}, name


@each(sorted((GENERATOR / "install").glob("*.py")))
def test_the_installer_uses_nothing_of_the_generator_but_its_errors(path: Path) -> None:
    assert imported(path) <= {"install", "errors"}
