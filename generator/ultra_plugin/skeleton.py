"""Make a fill-in skeleton of an artifact from its contract, so that prompts show the validated shape."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ultra_plugin.artifact import Block, Contract, Field, Gate, Output, Part


def skeleton(
    contract: Contract, parts: int = 1, without: tuple[str, ...] = (), *, explained: bool = True
) -> str:
    """Return front matter and body, all fields and sections but some.

    Braces mark what to write; an optional field is a comment. `explained` says what each section is for.
    """
    lines = (
        ["---", *_front_matter(contract, without), "---", f"# {contract.title}: {{title}}"]
        if contract.fields
        else []
    )
    for name, section in contract.sections.items():
        if name in without:
            continue
        lines += ["", f"## {name}", "", f"{{{section.means}}}"] if explained else [f"## {name}"]
        lines += [line for field_name, field in section.fields.items() for line in _item(field_name, field)]
        for part in contract.parts.values():
            if name == part.under[0]:
                lines += [line for number in range(1, parts + 1) for line in _part(contract, part, number)]
    return "\n".join(lines) + "\n"


def part_skeleton(contract: Contract, name: str, number: int = 1) -> str:
    """Return one piece of the body, such as a step, filled with the examples of the contract."""
    return "\n".join(_part(contract, contract.parts[name], number)).strip("\n")


def _front_matter(contract: Contract, without: tuple[str, ...]) -> Iterator[str]:
    current = {contract.version.field: contract.version.current} if contract.version else {}
    for name, field in contract.fields.items():
        if name in current:
            yield f"{name}: {json.dumps(current[name])}"
        elif name not in without:
            yield (
                f"{name}: {_value(field)}" if field.required else f"# {name}: {_value(field)}{_choice(field)}"
            )


def _choice(field: Field) -> str:
    """Return the comment that ends the line of an optional field."""
    return f" # optional: {', '.join(field.values)}" if field.values else " # optional"


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


def _part(contract: Contract, part: Part, number: int) -> Iterator[str]:
    heading = part.heading.replace("{number}", str(number))
    yield from ("", f"{'#' * part.level} {heading}", "")
    for name, field in part.fields.items():
        block = contract.blocks.get(name.lower())
        yield from _block(name, block) if block else _item(name, field)


def _block(name: str, block: Block) -> Iterator[str]:
    """Return an item with its fenced block below, every key that is needed in it."""
    yield from (f"- **{name}:**", "", "  ```yaml", f"  {name.lower()}:")
    yield from (f"    {key}: {_value(field)}" for key, field in block.fields.items() if field.required)
    yield "  ```"


def _item(name: str, field: Field) -> Iterator[str]:
    value = field.example or (" | ".join(field.values) if field.values else f"{{{field.means}}}")
    # An example that begins on the next line is a nested list.
    yield f"- **{name}:**{'' if value.startswith(chr(10)) else ' '}{value}"


def output_block(output: Output) -> str:
    """Return the json block of an agent to fill in, one key per line."""
    return _json(_object(output.fields))


def gate_block(gate: Gate) -> str:
    """Return the json block of a reviewer whose scores a gate reads."""
    block: dict[str, object] = {
        name: {
            "score": gate.detail_at,
            one.detail: [dict.fromkeys(one.detail_fields, "...")] if one.detail_fields else ["..."],
        }
        for name, one in gate.dimensions.items()
    }
    return _json({**block, "verdict": " | ".join(gate.verdicts)})


def _object(fields: Mapping[str, Field]) -> dict[str, object]:
    return {name: _placeholder(field) for name, field in fields.items()}


def _placeholder(field: Field) -> object:
    if field.type == "list":
        return [_object(field.fields)] if field.fields else [1 if field.items == "integer" else field.means]
    if field.fields:
        return _object(field.fields)
    if field.type in ("integer", "number"):
        return int(field.example or field.minimum or 0)
    if field.type == "boolean":
        return True
    return " | ".join(field.values) if field.values else field.example or field.means


def _json(block: Mapping[str, object]) -> str:
    """Return the block with one outer key per line."""
    rows = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in block.items()]
    return "{\n" + ",\n".join(rows) + "\n}"
