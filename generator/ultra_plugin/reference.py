"""JSON Schemas and the reference page of plugin.yaml, suite.yaml and overlay.yaml, from the dataclasses and the table of keys."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
import typing
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from ultra_plugin import keys, model
from ultra_plugin.check.codes import CODES
from ultra_plugin.check.manifest_shape import FIELDS, LISTING_SHAPE
from ultra_plugin.check.marketplace_shape import MARKETPLACE_FIELDS
from ultra_plugin.check.shapes import Shape, schema_of
from ultra_plugin.manifest import as_json
from ultra_plugin.overlay.settings import Settings

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: Mapping[object, str] = {str: "string", int: "integer", bool: "boolean", float: "number"}
_FILES: Mapping[str, tuple[type, Mapping[str, str], Mapping[str, Shape]]] = {
    "plugin": (model.PluginSettings, keys.MANIFEST, {**FIELDS, **LISTING_SHAPE}),
    "suite": (model.SuiteSettings, keys.MARKETPLACE, MARKETPLACE_FIELDS),
    "overlay": (Settings, {}, {}),
}
"""File -> its dataclass, and the meanings and shapes of the client's keys."""


def schemas() -> dict[str, bytes]:
    """Return file name -> JSON Schema of each settings file."""
    return {f"{name}.schema.json": as_json(_schema(name)) for name in _FILES}


def _schema(name: str) -> dict[str, Any]:
    into, means, shapes = _FILES[name]
    schema = _record(into, means)
    more: frozenset[str] = getattr(into, "MORE", frozenset())
    for key in sorted(more - {*schema["properties"]}):
        shape = shapes.get(key)
        schema["properties"][key] = {"description": means[key], **(schema_of(shape) if shape else {})}
    return {"$schema": _DRAFT, "title": f"{name}.yaml", **schema}


def _record(into: type, means: Mapping[str, str]) -> dict[str, Any]:
    hints, told = typing.get_type_hints(into), _docstrings(into)
    properties, required = {}, []
    for field in dataclasses.fields(into):
        if field.name in ("line", "more"):
            continue
        said = told.get(field.name) or means.get(field.name, "")
        properties[field.name] = {**({"description": said} if said else {}), **_of(hints[field.name])}
        if field.default is field.default_factory is dataclasses.MISSING:
            required.append(field.name)
    fixed = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**fixed, **({"required": required} if required else {})}


def _of(into: Any) -> dict[str, Any]:
    origin, inner = typing.get_origin(into), typing.get_args(into)
    if origin in (types.UnionType, typing.Union):
        members = [_of(one) for one in inner if one is not type(None)]
        return members[0] if len(members) == 1 else {"anyOf": members}
    if origin is typing.Literal:
        return {"enum": list(inner)}
    if origin is tuple:
        return {"type": "array", "items": _of(inner[0])}
    if origin is not None:
        return {"type": "object", "additionalProperties": _of(inner[1])}
    if dataclasses.is_dataclass(into):
        return _record(typing.cast("type", into), {})
    return {"type": _SCALARS[into]} if into in _SCALARS else {}


def _docstrings(into: type) -> dict[str, str]:
    """Return field -> the string below it."""
    body = typing.cast("ast.ClassDef", ast.parse(inspect.getsource(into)).body[0]).body
    found = {}
    for field, below in pairwise(body):
        is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_text:
            found[field.target.id] = str(below.value.value)  # type: ignore[attr-defined]
    return found


def page() -> str:
    """Return the reference page."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# Reference: plugin.yaml, suite.yaml and overlay.yaml"
    yield ""
    yield "Made by `ultra-plugin schemas --page` from the table that also makes the JSON Schemas."
    for name, (into, means, _) in _FILES.items():
        schema = _schema(name)
        own = {field.name for field in dataclasses.fields(into)}
        yield ""
        yield f"## {name}.yaml"
        yield from _table("key", {key: one for key, one in schema["properties"].items() if key in own})
        if not means:
            continue
        target = "plugin.json" if name == "plugin" else "marketplace.json"
        yield ""
        yield f"These keys go to {target} as they are; the build checks them as the client does."
        yield from _table(
            "key", {key: one for key, one in schema["properties"].items() if key in means and key not in own}
        )
    yield ""
    yield "## Codes"
    yield ""
    yield "What the client calls an error fails every build. Everything else fails it only in the profile `strict`;"
    yield "`allow:` and `deny:` override that for single codes."
    yield ""
    yield "| code | reason | remedy |"
    yield "|---|---|---|"
    for code, (reason, remedy) in sorted(CODES.items()):
        yield f"| `{code}` | {reason} | {_cell(remedy)} |"


def _table(head: str, properties: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield ""
    yield f"| {head} | value | meaning |"
    yield "|---|---|---|"
    for key, schema in properties.items():
        yield f"| `{key}` | {_kind(schema)} | {_cell(schema.get('description', ''))} |"


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if "enum" in schema:
        return " or ".join(f"`{word}`" for word in schema["enum"])
    names = {
        "string": "text",
        "array": "list",
        "object": "mapping",
        "boolean": "true or false",
        "integer": "number",
    }
    kind = str(schema.get("type", "anything"))
    return names.get(kind, kind)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
