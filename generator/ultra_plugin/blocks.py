"""Check template blocks: a child must fill those marked `required` and must not add new ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jinja2 import nodes

from ultra_plugin.document import nearest


class Block(NamedTuple):
    """One block of a template."""

    line: int
    is_empty: bool
    is_required: bool
    is_nested: bool
    """Whether it is inside another block of its template, where a new one is allowed."""


def blocks_of(template: nodes.Template) -> dict[str, Block]:
    """Return the blocks of a parsed template by name."""
    found = list(template.find_all(nodes.Block))
    nested = {inner.name for node in found for inner in node.find_all(nodes.Block)}
    return {
        node.name: Block(node.lineno, all(map(_is_blank, node.body)), node.required, node.name in nested)
        for node in found
    }


def _is_blank(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Output) and all(
        isinstance(part, nodes.TemplateData) and not part.data.strip() for part in node.nodes
    )


def block_faults(
    name: str, blocks: Mapping[str, Mapping[str, Block]], parents: Mapping[str, str]
) -> Iterator[tuple[str, str, int, str, str]]:
    """Yield code, template, line, message and remedy of each empty required block and each block that no parent has."""
    line = _line_of_descent(name, parents)
    filled: dict[str, tuple[str, Block]] = {}
    for place, above in enumerate(line):
        inherited = {other for parent in line[place + 1 :] for other in blocks.get(parent, {})}
        for block_name, block in blocks.get(above, {}).items():
            if above != name and block.is_required:
                yield from _fault(name, block_name, filled.get(block_name))
            if above != line[-1] and not block.is_nested and block_name not in inherited:
                message = f"no parent of this template has a block '{block_name}', so it is never rendered"
                yield "unknown-block", above, block.line, message, nearest(block_name, inherited)
            filled.setdefault(block_name, (above, block))


def _line_of_descent(name: str, parents: Mapping[str, str]) -> list[str]:
    """Return a template, its parent, the parent's parent and so on."""
    line = [name]
    while (above := parents.get(line[-1], "")) and above not in line:
        line.append(above)
    return line


def _fault(
    name: str, block_name: str, filled: tuple[str, Block] | None
) -> Iterator[tuple[str, str, int, str, str]]:
    if filled is None:
        remedy = f"add {{% block {block_name} %}} ... {{% endblock %}}"
        yield "empty-block", name, 1, f"the block '{block_name}' is missing", remedy
    elif filled[1].is_empty and not filled[1].is_required:
        above, block = filled
        yield "empty-block", above, block.line, f"the block '{block_name}' is empty", "write its text"
