"""Parse each Python text once; every reader of the runtime's source shares the result."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.AST)
_PLAIN = [
    "arg",
    "asname",
    "attr",
    "conversion",
    "ctx",
    "id",
    "kind",
    "level",
    "module",
    "op",
    "ops",
    "simple",
]
"""Fields of text, numbers, operators and contexts, among which no reader looks for nodes."""
_INNER = {
    kind: tuple(name for name in kind._fields if kind is not ast.Constant and name not in _PLAIN)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
"""Kind of node -> its fields that can hold nodes; half of all nodes have none."""


class Python:
    """A parsed module and its nodes by type."""

    def __init__(self, module: ast.Module) -> None:
        self.module = module
        self.body = module.body
        self._nodes: dict[type[ast.AST], list[ast.AST]] = {}
        waiting: list[ast.AST] = [module]
        for node in waiting:  # grows while it is read: ast.walk, but several times faster
            kind = type(node)
            self._nodes.setdefault(kind, []).append(node)
            for name in _INNER[kind]:
                value = getattr(node, name, None)
                if type(value) is list:
                    waiting += [one for one in value if isinstance(one, ast.AST)]
                elif isinstance(value, ast.AST):
                    waiting.append(value)

    def every(self, kind: type[_Node]) -> list[_Node]:
        """Return every node of a type, outermost first."""
        return self._nodes.get(kind, [])  # type: ignore[return-value]

    def constants(self) -> dict[str, ast.expr]:
        """Return name -> value of each assignment at the top level."""
        found: dict[str, ast.expr] = {}
        for node in self.body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(target, ast.Name) and isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value:
                found[target.id] = node.value
        return found


@lru_cache(maxsize=1024)
def parse(text: str) -> Python:
    """Parse a text, or raise what ast.parse raises; a text that was parsed before costs nothing."""
    return Python(ast.parse(text))


def try_parse(text: str) -> Python | None:
    """Parse a text; return None if it is not Python."""
    try:
        return parse(text)
    except (SyntaxError, ValueError):
        return None
