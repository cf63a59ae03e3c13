"""Append one line of statistics per run, with the fields that the contracts list; an error never stops a run."""

from __future__ import annotations

import os

from ultra_runtime.contract.field_types import type_fault, value_fault
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.stages import stage_that_makes, stages
from ultra_runtime.text.jsontext import JsonError, read_object, write
from ultra_runtime.text.timestamp import now
from ultra_runtime.words import nearest, one_line

STATS_FILE = "ultra{}-stats.jsonl"
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.contract.model import Field

STAMP = "ts"
LONGEST_TEXT = 100
WORDS = {"true": True, "false": False, "null": None}


def counted_stages() -> dict[str, str]:
    """Return the stages that write statistics, each with the artifact whose contract lists the fields."""
    return {stage.name: stage.makes for stage in stages()}


def _fields(stage: str) -> dict[str, Field]:
    return {field.name: field for field in load_contract(counted_stages()[stage]).stats}


def stats_problem(command: str, values: Mapping[str, Any]) -> str:
    """Return what is wrong with the values of a line of statistics; empty when nothing is."""
    fields = _fields(command)
    for name, value in values.items():
        if name not in fields or name == STAMP:
            return f"unknown field: {one_line(name)}{nearest(name, fields)}"
        problem = _value_problem(fields[name], value)
        if problem:
            return f"{one_line(name)} {problem}"
    missing = [name for name, field in fields.items() if field.required and name not in {*values, STAMP}]
    return f"missing field: {missing[0]}" if missing else ""


def _value_problem(field: Field, value: object) -> str:
    if value is None and field.nullable:
        return ""
    if isinstance(value, str) and (len(value) > LONGEST_TEXT or not value.isprintable()):
        return f"must be printable text of at most {LONGEST_TEXT} characters"
    if isinstance(value, dict) and field.fields:
        inner = {one.name: one for one in field.fields}
        for name, part in value.items():
            problem = _value_problem(inner[name], part) if name in inner else "is not a known field"
            if problem:
                return f"{one_line(name)} {problem}"
    return type_fault(field, value) or value_fault(field, value)


def append(command: str, values: Mapping[str, Any], folder: str) -> str:
    """Append a line to the statistics of a command and return why that failed; empty when it did not."""
    problem = stats_problem(command, values)
    if problem:
        return problem
    line = (write({STAMP: now(), **values}) + "\n").encode("utf-8", "replace")
    try:
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, STATS_FILE.format(command))
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(path, flags, 0o644)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as problem_found:
        return str(getattr(problem_found, "strerror", None) or problem_found)
    return ""


def count(kind: str, values: Mapping[str, Any], folder: str | None) -> str:
    """Append a line to the statistics of the stage that makes an artifact, and return why that failed."""
    try:
        return append(stage_that_makes(kind), values, folder) if folder else ""
    except Exception as problem:  # statistics never stop a run
        return type(problem).__name__


def read_pairs(command: str, pairs: list[str]) -> dict[str, Any]:
    """Return the values of key=value arguments, each in the type of its field."""
    fields = _fields(command)
    values: dict[str, Any] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        outer, dot, inner = name.partition(".")
        field = fields.get(outer)
        if dot and field and field.fields:
            part = next((one for one in field.fields if one.name == inner), field)
            values.setdefault(outer, {})[inner] = _typed(part, text)
        else:
            values[name] = _typed(field, text)
    return values


def _typed(field: Field | None, text: str) -> object:
    kind = field.type if field else "text"
    try:
        if kind == "integer":
            return WORDS[text] if text == "null" else int(text)
        if kind == "number":
            return float(text) if "." in text else int(text)
        if kind == "boolean":
            return WORDS[text]
        if kind == "object":
            return read_object(text.encode()).values
    except (ValueError, KeyError, JsonError):
        return text
    return text
