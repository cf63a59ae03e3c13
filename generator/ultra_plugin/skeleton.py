"""An artifact to fill in, made from its contract, so that a prompt shows the shape that the validator asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ultra_plugin.model import Contract, Field, Part


def skeleton(contract: Contract, parts: int = 1) -> str:
    """Return front matter and body with the required fields and all sections; braces mark what is to be written."""
    lines = (
        ["---", *_front_matter(contract), "---", f"# {contract.title}: {{title}}"] if contract.fields else []
    )
    for name, section in contract.sections.items():
        lines += ["", f"## {name}", "", f"{{{section.means}}}"]
        lines += [line for field_name, field in section.fields.items() for line in _item(field_name, field)]
        for part in contract.parts.values():
            if name == part.under[0]:
                lines += [line for number in range(1, parts + 1) for line in _part(part, number)]
    return "\n".join(lines) + "\n"


def _front_matter(contract: Contract) -> Iterator[str]:
    current = {contract.version.field: contract.version.current} if contract.version else {}
    for name, field in contract.fields.items():
        if name in current:
            yield f"{name}: {json.dumps(current[name])}"
        elif field.required:
            yield f"{name}: {_value(field)}"


def _value(field: Field) -> str:
    if field.example is not None:
        return field.example
    if field.values:
        return next(iter(field.values))
    if field.type == "list":
        return "[]"
    if field.type in ("integer", "number"):
        return str(field.minimum or 0)
    return json.dumps(f"{{{field.means}}}", ensure_ascii=False)


def _part(part: Part, number: int) -> Iterator[str]:
    heading = part.heading.replace("{number}", str(number))
    yield from ("", f"{'#' * part.level} {heading}", "")
    yield from _items(part.fields)


def _items(fields: Mapping[str, Field]) -> Iterator[str]:
    for name, field in fields.items():
        yield from _item(name, field)


def _item(name: str, field: Field) -> Iterator[str]:
    value = field.example or (" | ".join(field.values) if field.values else f"{{{field.means}}}")
    yield f"- **{name}:** {value}"
