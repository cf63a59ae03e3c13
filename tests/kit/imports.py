"""Which modules a file imports, by its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.kit.names import RUNTIME

PACKAGE = RUNTIME / "ultra_runtime"
# What a verb or a hook does not import when it starts: each costs more than the work of most of them.
SLOW = {
    "argparse", "collections", "dataclasses", "enum", "functools", "inspect", "json", "pathlib", "re", "typing",
}  # fmt: skip


def imports(path: Path, *, members: bool = False, typing: bool = False) -> set[str]:
    """Return the modules that a file imports, those in functions included.

    With `members` also `module.name` for each `from module import name`; with `typing` also what only
    a type checker imports.
    """
    return set(_imports(_parsed(path), members, typing))


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(tree: ast.AST, members: bool, typing: bool) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not typing:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module, "an import names its module in full"
            assert node.level == 0
            yield node.module
            if members:
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
        yield from _imports(node, members, typing)


def module_name(path: Path) -> str:
    """Return the name under which a file of the runtime is imported."""
    return ".".join(path.relative_to(RUNTIME).with_suffix("").parts).removesuffix(".__init__")


@cache
def runtime_graph() -> dict[str, set[str]]:
    """Return each module of the runtime with what it imports; rendered tables are not part of the sources."""
    files = sorted(path for path in PACKAGE.rglob("*.py") if "tables" not in path.parts)
    return {module_name(path): imports(path) for path in files}
