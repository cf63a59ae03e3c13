"""The blocks of templates: one that is marked `required` has to be filled by whatever extends its template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from jinja2 import nodes


class Block(NamedTuple):
    """One block of a template."""

    line: int
    is_empty: bool
    is_required: bool


def blocks_of(template: nodes.Template) -> dict[str, Block]:
    """Return the blocks of a parsed template by name."""
    return {
        node.name: Block(node.lineno, all(map(_is_blank, node.body)), node.required)
        for node in template.find_all(nodes.Block)
    }


def _is_blank(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Output) and all(
        isinstance(part, nodes.TemplateData) and not part.data.strip() for part in node.nodes
    )


def lacking(
    name: str, blocks: Mapping[str, Mapping[str, Block]], parents: Mapping[str, str]
) -> Iterator[tuple[str, int, str, str]]:
    """Yield template, line, message and remedy of every required block that is missing or empty."""
    filled: dict[str, tuple[str, Block]] = {}
    above = name
    seen = {name}
    while True:
        for block_name, block in blocks.get(above, {}).items():
            if above != name and block.is_required:
                yield from _fault(name, block_name, filled.get(block_name))
            filled.setdefault(block_name, (above, block))
        above = parents.get(above, "")
        if not above or above in seen:
            return
        seen.add(above)


def _fault(
    name: str, block_name: str, filled: tuple[str, Block] | None
) -> Iterator[tuple[str, int, str, str]]:
    if filled is None:
        remedy = f"add {{% block {block_name} %}} ... {{% endblock %}}"
        yield name, 1, f"the block '{block_name}' is missing", remedy
    elif filled[1].is_empty and not filled[1].is_required:
        yield (
            filled[0],
            filled[1].line,
            f"the block '{block_name}' is empty",
            "write what a reader needs there",
        )
