"""Statistics as the contracts have them: each field takes its type, and null only where it may be null."""

from __future__ import annotations

from typing import Any

import pytest

from ultra_runtime.contract.model import Field
from ultra_runtime.run.life.stats import (
    LONGEST_TEXT,
    STAMP,
    _fields,
    counted_stages,
    read_pairs,
    stats_problem,
)

GOOD: dict[str, Any] = {
    "text": "x",
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "timestamp": "2026-01-31T12:00:00Z",
}
BAD: dict[str, Any] = {
    "text": 1,
    "integer": "many",
    "number": "much",
    "boolean": "perhaps",
    "object": "x",
    "list": "x",
}


def good(field: Field) -> Any:
    """Return a value that the contract of a field allows."""
    if field.fields:
        return {one.name: good(one) for one in field.fields}
    if field.values:
        return next(iter(field.values))
    if field.type == "integer":
        return field.minimum or 1
    return "plan.md" if field.form else GOOD.get(field.type, [])


def line(stage: str) -> dict[str, Any]:
    return {name: good(field) for name, field in _fields(stage).items() if name != STAMP}


@pytest.mark.parametrize("stage", sorted(counted_stages()))
def test_each_field_of_a_line_takes_what_its_contract_says(stage: str) -> None:
    values = line(stage)
    assert stats_problem(stage, values) == ""
    for name, field in _fields(stage).items():
        if name == STAMP:
            assert stats_problem(stage, {**values, name: "2026-01-31T12:00:00Z"}).startswith(
                "unknown field: ts"
            )
            continue
        left_out = {key: value for key, value in values.items() if key != name}
        assert stats_problem(stage, left_out) == (f"missing field: {name}" if field.required else "")
        assert (stats_problem(stage, {**values, name: None}) == "") == bool(field.nullable), name
        assert stats_problem(stage, {**values, name: BAD.get(field.type, 1)}).startswith(f"{name} "), name
        if field.minimum is not None:
            assert stats_problem(stage, {**values, name: field.minimum - 1}).startswith(
                f"{name} must be at least"
            )
        if field.fields:
            wrong = {**values[name], field.fields[0].name: "many"}
            assert stats_problem(stage, {**values, name: wrong}).startswith(f"{name} {field.fields[0].name} ")
            assert "is not a known field" in stats_problem(
                stage, {**values, name: {**values[name], "else": 1}}
            )
        elif field.type == "text" and not field.values and not field.form:
            for text, fits in (
                ("x" * LONGEST_TEXT, True),
                ("x" * (LONGEST_TEXT + 1), False),
                ("a\nb", False),
            ):
                assert ("printable" in stats_problem(stage, {**values, name: text})) == (not fits)


@pytest.mark.parametrize("stage", sorted(counted_stages()))
def test_arguments_are_read_in_the_type_of_their_field(stage: str) -> None:
    values = line(stage)
    pairs = []
    for name, value in values.items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for inner, one in parts:
            text = {True: "true", False: "false"}.get(one, str(one)) if isinstance(one, bool) else str(one)
            pairs.append(f"{name}{'.' if inner else ''}{inner}={text}")
    assert {key: value for key, value in read_pairs(stage, pairs).items() if value != "[]"} == {
        key: value for key, value in values.items() if value != []
    }
