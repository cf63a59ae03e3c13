"""Render a contract for the runtime as plain calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ultra_plugin.artifact import Block, Code, Contract, Field, Gate, Modes, Part, Section, Version
from ultra_plugin.tables.literal import arguments, entries, literal, row, rows

_CLASSES = {
    "gates": ("Dimension", "Gate", "Output"),
    "model": ("Block", "Code", "Contract", "Field", "Modes", "Part", "Section", "Version"),
}
"""Module of the runtime's room `contract` -> its classes that tables call."""
_COMMON = "common"


def contract_module(contract: Contract) -> str:
    """Return the module that holds one contract."""
    # The reader of a Markdown artifact implements its rules; here they are only documentation.
    rules = [*contract.rules] if contract.format != "markdown" else []
    values = {
        "artifact": literal(contract.artifact),
        "title": literal(contract.title),
        "prefix": literal(contract.prefix),
        "format": literal(contract.format),
        "reader": literal(contract.reader) if contract.reader else "None",
        "version": _version(contract.version),
        "modes": _modes(contract.modes),
        "places": literal(tuple(place.path for place in contract.places)),
        "fields": rows(field_call(name, field) for name, field in contract.fields.items()),
        "sections": rows(_section(name, section) for name, section in contract.sections.items()),
        "parts": rows(_part(name, part) for name, part in contract.parts.items()),
        "blocks": rows(_block(name, block) for name, block in contract.blocks.items()),
        "files": literal({name: file.role for name, file in contract.files.items()}),
        "forbidden_headings": literal(contract.forbidden_headings),
        "rules": row(rules),
        "stats": rows(field_call(name, field) for name, field in contract.stats.items()),
        "gate": gate_call(contract.gate) if contract.gate else "None",
        "codes": entries({name: _code(name, code) for name, code in contract.codes.items()}),
    }
    body = "".join(
        f"    {name}={text},\n" for name, text in values.items() if text not in ("()", "{}", "None")
    )
    return (
        f'"""Rendered from contracts/{contract.artifact}.yaml: edit that file, not this one."""\n\n'
        f"{used_classes(f'Contract({body})')}{_imported(rules)}\n"
        f"CONTRACT = Contract(\n{body})\n"
    )


def common_module(codes: Mapping[str, Code]) -> str:
    """Return the module with the common codes."""
    return (
        f'"""Rendered from contracts/{_COMMON}.yaml: edit that file, not this one."""\n\n'
        "from ultra_runtime.contract.model import Code\n\n"
        f"CODES = {entries({name: _code(name, code) for name, code in codes.items()})}\n"
    )


def _imported(rules: Sequence[str]) -> str:
    return f"from ultra_runtime.contract.rules import {', '.join(sorted(rules))}\n" if rules else ""


def used_classes(body: str) -> str:
    """Return the imports of the classes that the body calls."""
    used = {
        module: [name for name in names if re.search(rf"\b{name}\(", body)]
        for module, names in _CLASSES.items()
    }
    return "".join(
        f"from ultra_runtime.contract.{module} import {', '.join(names)}\n"
        for module, names in used.items()
        if names
    )


def field_call(name: str, field: Field) -> str:
    optional = {
        "values": field.values,
        "minimum": field.minimum,
        "maximum": field.maximum,
        "form": field.form,
        "items": field.items,
        "nullable": field.nullable or None,
        "code": field.code,
        "type_code": field.type_code,
        "missing": field.missing,
        "default": field.default,
        "legacy": field.legacy or None,
        "moves": field.moves or None,
    }
    call = arguments(name=name, type=field.type, required=field.required) + "".join(
        f", {key}={literal(value)}" for key, value in optional.items() if value is not None
    )
    for key, inner in (("fields", field.fields), ("entries", field.entries)):
        if inner:
            call += f", {key}={row(field_call(name, field) for name, field in inner.items())}"
    return f"Field({call})"


def _section(name: str, section: Section) -> str:
    call = arguments(name=name, required=section.required)
    if section.fields:
        call += f", fields={row(field_call(name, field) for name, field in section.fields.items())}"
    if section.names:
        call += f", names={literal(dict(section.names))}"
    return f"Section({call}{', mild=True' if section.mild else ''})"


def _part(name: str, part: Part) -> str:
    call = arguments(name=name, heading=part.heading, under=part.under, level=part.level)
    for key in ("code", "counted_by", "count_code"):
        if value := getattr(part, key):
            call += f", {key}={literal(value)}"
    return f"Part({call}, fields={row(field_call(name, field) for name, field in part.fields.items())})"


def _block(name: str, block: Block) -> str:
    fields = row(field_call(name, field) for name, field in block.fields.items())
    return f"Block({arguments(name=name)}, fields={fields})"


def _code(name: str, code: Code) -> str:
    call = arguments(name=name, severity=code.severity, remedy=code.remedy)
    return f"Code({call}{', soft=True' if code.soft else ''})"


def _version(version: Version | None) -> str:
    if version is None:
        return "None"
    return f"Version({arguments(field=version.field, current=version.current, accepts=version.accepts)})"


def _modes(modes: Modes) -> str:
    given = {"soft_when": modes.write.soft_when} if modes.write.soft_when else {}
    return f"Modes({arguments(write=modes.write.mode, **given)})"


def gate_call(gate: Gate) -> str:
    numbers = ("lowest", "highest", "detail_at", "rounds", "degraded_score", "degraded_verdict")
    call = arguments(
        **{name: getattr(gate, name) for name in numbers}, tie_order=gate.tie_order, verdicts=gate.verdicts
    )
    call += f", {arguments(hard=gate.hard)}" if gate.hard else ""
    dimensions = row(
        f"Dimension({arguments(name=name, detail=one.detail, detail_fields=one.detail_fields)}"
        f", passes_at={one.passes_at or gate.passes_at})"
        for name, one in gate.dimensions.items()
    )
    return f"Gate({call}, dimensions={dimensions})"
