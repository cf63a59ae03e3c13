"""Parse each Python text once; every reader of the runtime's source shares the result."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.AST)


class Python:
    """A parsed module and its nodes by type."""

    def __init__(self, module: ast.Module) -> None:
        self.module = module
        self.body = module.body
        self._nodes: dict[type[ast.AST], list[ast.AST]] = {}
        waiting: list[ast.AST] = [module]
        for node in waiting:  # grows while it is read: ast.walk, but several times faster
            self._nodes.setdefault(type(node), []).append(node)
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    waiting += [one for one in value if isinstance(one, ast.AST)]
                elif isinstance(value, ast.AST) and name != "ctx":
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
