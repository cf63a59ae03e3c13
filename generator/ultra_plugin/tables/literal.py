"""Python literals and calls as text, the same on every version of Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping


def rows(calls: Iterable[str]) -> str:
    """Return a tuple with one call per line, as an argument of the contract."""
    lines = "".join(f"        {call},\n" for call in calls)
    return f"(\n{lines}    )" if lines else "()"


def entries(calls: Mapping[str, str]) -> str:
    """Return a dict with one call per line, as an argument of the contract."""
    return "{\n" + "".join(f"        {literal(key)}: {call},\n" for key, call in calls.items()) + "    }"


def row(calls: Iterable[str]) -> str:
    """Return a tuple on one line."""
    return "(" + "".join(f"{call}, " for call in calls).rstrip(" ") + ")"


def arguments(**values: object) -> str:
    """Return the arguments of a call."""
    return ", ".join(f"{name}={literal(value)}" for name, value in values.items())


def table_of(rows: Mapping[str, object]) -> str:
    """Return a dict with one entry per line."""
    return "{\n" + "".join(f"    {literal(key)}: {literal(row)},\n" for key, row in rows.items()) + "}"


def literal(value: object) -> str:
    """Return a Python literal that is the same text on every version of Python."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(key)}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{literal(item)}, " for item in value).rstrip(" ") + ")"
    return repr(value)
