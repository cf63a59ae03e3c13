"""Find values of a contract that are outside their range or disagree with its other values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date

from ultra_plugin.artifact import Contract, Field, Gate, Mode, Version
from ultra_plugin.document import nearest

Fault = tuple[tuple[str, ...], str, str]
"""The keys that lead to the value in its YAML file, message and remedy."""
_NUMBERS = ("integer", "number")
_MOST_ROUNDS = 9


def range_faults(contract: Contract) -> Iterator[Fault]:
    """Yield every impossible value of a contract."""
    if contract.version:
        yield from _version_faults(contract, contract.version)
    for end in ("write", "read"):
        yield from _mode_faults(contract, ("modes", end), getattr(contract.modes, end))
    for name, part in contract.parts.items():
        for key, counter in (("counted_by", part.counted_by), ("listed_by", part.listed_by)):
            if counter and counter not in contract.fields:
                message = f"'{name}' is counted by '{counter}', which is not a field"
                yield ("parts", name, key), message, nearest(counter, contract.fields)
        if part.counted_by and not part.count_code:
            message = f"'{name}' is counted but has no count_code"
            yield ("parts", name, "counted_by"), message, "name the code for a wrong count"
    for keys, field in walk(contract):
        yield from field_faults(keys, field)
    for keys, field in walk_fields(("stats",), contract.stats):
        if field.type == "text" and not field.values and not field.form:
            yield keys, f"'{keys[-1]}' of the statistics accepts any text", "give it values or a form"
    if contract.gate:
        yield from gate_faults(("gate",), contract.gate)


def walk(contract: Contract) -> Iterator[tuple[tuple[str, ...], Field]]:
    """Yield every field of a contract with the keys that lead to it."""
    yield from walk_fields(("fields",), contract.fields)
    for kind in ("sections", "parts", "blocks"):
        for name, owner in getattr(contract, kind).items():
            yield from walk_fields((kind, name, "fields"), owner.fields)
    yield from walk_fields(("stats",), contract.stats)


def walk_fields(
    keys: tuple[str, ...], fields: Mapping[str, Field]
) -> Iterator[tuple[tuple[str, ...], Field]]:
    """Yield fields, and those inside them, with the keys that lead to each."""
    for name, field in fields.items():
        here = (*keys, name)
        yield here, field
        yield from walk_fields((*here, "fields"), field.fields)
        yield from walk_fields((*here, "entries"), field.entries)


def _version_faults(contract: Contract, version: Version) -> Iterator[Fault]:
    if version.block and version.block not in contract.blocks:
        message = f"the version's block '{version.block}' is not a block"
        yield ("version", "block"), message, nearest(version.block, contract.blocks)
        return
    fields = contract.blocks[version.block].fields if version.block else contract.fields
    if version.field not in fields:
        message = f"the version's field '{version.field}' is not a field"
        yield ("version", "field"), message, nearest(version.field, fields)
    elif (example := fields[version.field].example) not in (None, str(version.current)):
        message = f"the example of '{version.field}' is {example}, but the version is {version.current}"
        yield ("version", "current"), message, "make the example the current version"
    for older in version.accepts:
        if type(older) is not type(version.current) or _parts(older) >= _parts(version.current):
            message = f"accepts lists {older}, which is not older than the current version {version.current}"
            yield ("version", "accepts"), message, "list older versions only"


def _parts(version: object) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", str(version))]


def _mode_faults(contract: Contract, keys: tuple[str, ...], mode: Mode) -> Iterator[Fault]:
    for name, value in mode.soft_when.items():
        field = contract.fields.get(name)
        if field is None:
            message = f"soft_when names '{name}', which is not a field"
            yield (*keys, "soft_when"), message, nearest(name, contract.fields)
        elif field.values is not None and value not in field.values:
            message = f"soft_when names '{value}', which is not a value of '{name}'"
            yield (*keys, "soft_when"), message, nearest(value, field.values)


def field_faults(keys: tuple[str, ...], field: Field) -> Iterator[Fault]:
    """Yield each value that moves, legacy, range or example name but the field does not allow."""
    name, values = keys[-1], field.values or {}
    named = [
        *(("legacy", value) for value in field.legacy.values()),
        *(("moves", value) for before, moves in field.moves.items() for value in (before, *moves)),
    ]
    for key, value in named:
        if value not in values:
            message = f"'{value}' is not a value of '{name}'"
            yield (*keys, key), message, nearest(value, values or ("values",))
    for spelling in field.legacy:
        if spelling in values:
            message = f"'{spelling}' is both a value of '{name}' and a legacy spelling"
            yield (*keys, "legacy"), message, "remove one"
    low, high = field.minimum, field.maximum
    if low is not None and high is not None and low > high:
        message = f"the minimum of '{name}' is {low}, more than its maximum {high}"
        yield (*keys, "minimum"), message, "swap or correct them"
    elif field.example is not None and (wrong := _example_fault(field, field.example)):
        yield (*keys, "example"), f"the example of '{name}' {wrong[0]}", wrong[1]


def _example_fault(field: Field, example: str) -> tuple[str, str] | None:
    """Return why the validator would refuse an example, and the remedy."""
    if field.type == "text" and field.values and example.split(" ")[0] not in field.values:
        if example not in field.values:
            return f"is '{example}', which is not one of its values", nearest(example, field.values)
    elif field.type == "boolean" and example not in ("true", "false"):
        return f"is '{example}'", "write true or false"
    elif field.type == "date" and not _is_date(example):
        return f"is '{example}'", "write a day as YYYY-MM-DD"
    elif field.type in _NUMBERS:
        try:
            number = float(example)
        except ValueError:
            return f"is '{example}'", "write a number"
        low, high = field.minimum, field.maximum
        if (low is not None and number < low) or (high is not None and number > high):
            return f"is {example}", f"write one from {low if low is not None else '...'} to {high or '...'}"
    return None


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def gate_faults(keys: tuple[str, ...], gate: Gate) -> Iterator[Fault]:
    """Yield numbers of a gate that are out of range, and names that it does not have."""
    lowest, highest = gate.lowest, gate.highest
    if lowest >= highest:
        message = f"lowest ({lowest}) must be less than highest ({highest})"
        yield (*keys, "highest"), message, "swap or correct them"
        return
    marks: dict[tuple[str, ...], int | None] = {
        (key,): getattr(gate, key) for key in ("passes_at", "detail_at", "degraded_score", "rework_at")
    }
    marks |= {("dimensions", name, "passes_at"): one.passes_at for name, one in gate.dimensions.items()}
    for path, mark in marks.items():
        if mark is not None and not lowest <= mark <= highest:
            where = f"'{path[1]}'.passes_at" if len(path) > 1 else path[0]
            message = f"{where} must be from {lowest} to {highest}, not {mark}"
            yield (*keys, *path), message, f"write a score from {lowest} to {highest}"
    if gate.rework_at is not None and gate.rework_at >= gate.passes_at:
        message = f"rework_at must be below passes_at ({gate.passes_at}), not {gate.rework_at}"
        yield (*keys, "rework_at"), message, "write a score below passes_at"
    if not 1 <= gate.rounds <= _MOST_ROUNDS:
        message = f"rounds must be from 1 to {_MOST_ROUNDS}, not {gate.rounds}"
        yield (*keys, "rounds"), message, "write a number in that range"
    for name in sorted({*gate.tie_order} ^ {*gate.dimensions}):
        message = f"'{name}' must be both a dimension of the gate and in tie_order"
        yield (*keys, "tie_order"), message, "list it in both"
    for name, count in Counter(gate.tie_order).items():
        if count > 1:
            yield (*keys, "tie_order"), f"tie_order lists '{name}' {count} times", "list it once"
    for name in sorted({*gate.hard} - {*gate.dimensions}):
        message = f"'{name}' is in hard but is not a dimension of the gate"
        yield (*keys, "hard"), message, nearest(name, gate.dimensions)
    if gate.scale and {*gate.scale} != {str(score) for score in range(lowest, highest + 1)}:
        message = "the scale of the gate does not name every score"
        yield (*keys, "scale"), message, "give each score its meaning"
    if gate.degraded_verdict not in gate.verdicts:
        message = f"the degraded verdict '{gate.degraded_verdict}' is not one of the verdicts"
        yield (*keys, "degraded_verdict"), message, nearest(gate.degraded_verdict, gate.verdicts)
