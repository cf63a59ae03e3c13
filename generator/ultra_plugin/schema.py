"""JSON Schemas, so that an editor checks an artifact while it is typed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ultra_plugin.model import Contract, Field, FieldType, Form

_TYPES: dict[FieldType, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "list": {"type": "array"},
    "object": {"type": "object"},
    "any": {},
    "date": {"type": "string", "format": "date"},
    "timestamp": {"type": "string", "format": "date-time"},
}
_PATTERNS: dict[Form, str] = {
    "slug": "^[a-z0-9]+(-[a-z0-9]+)*$",
    "file-name": "^[A-Za-z0-9][A-Za-z0-9._~-]*\\.md$",
    "project-dir": "^(.*/)?\\.claude/projects/[0-9]{4}-[0-9]{2}-[0-9]{2}-[a-z0-9]+(-[a-z0-9]+)*/?$",
    "question": "\\?\\s*$",
    "commit": "^[0-9a-f]{7,64}$",
    "sha1": "^[0-9a-f]{40}$",
    "sha256": "^[0-9a-f]{64}$",
    "step-number": "^(0|[1-9][0-9]*)$",
    "version": "^[0-9]+\\.[0-9]+$",
    "location": "^.+:[1-9][0-9]*(-[1-9][0-9]*)?$",
}


def json_schema(contract: Contract) -> bytes:
    """Return the JSON Schema of an artifact's fields."""
    versions = {}
    if contract.version and not contract.version.block:
        versions[contract.version.field] = [contract.version.current, *contract.version.accepts]
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": contract.title,
        "description": contract.summary,
        **_object(contract.fields, versions),
    }
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


def _object(fields: Mapping[str, Field], versions: Mapping[str, list[int | str]]) -> dict[str, Any]:
    required = [name for name, field in fields.items() if field.required and not field.missing]
    properties = {name: _property(field, versions.get(name)) for name, field in fields.items()}
    return {"type": "object", "required": required, "properties": properties}


def _property(field: Field, versions: list[int | str] | None) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": field.means, **_TYPES[field.type]}
    if field.type == "list" and (field.items or field.values):
        schema["items"] = _item(field)
        return schema
    schema |= _limits(field)
    if versions:
        schema["enum"] = versions
    if field.fields:
        schema |= _object(field.fields, {})
    if field.entries:
        names = {"pattern": _PATTERNS[field.form]} if field.form else {}
        schema |= {"propertyNames": names, "additionalProperties": _object(field.entries, {})}
    if field.nullable or not field.required:
        schema = _or_null(schema)
    return schema


def _item(field: Field) -> dict[str, Any]:
    if field.fields:
        return _object(field.fields, {})
    return {**_TYPES[field.items or "text"], **_limits(field)}


def _limits(field: Field) -> dict[str, Any]:
    """Return what values may be beyond their type."""
    limits: dict[str, Any] = {}
    if field.values:
        limits["enum"] = [*field.values, *field.legacy]
    if field.minimum is not None:
        limits["minimum"] = field.minimum
    if field.maximum is not None:
        limits["maximum"] = field.maximum
    if field.form in _PATTERNS and field.type in ("text", "list"):
        limits["pattern"] = _PATTERNS[field.form]
    return limits


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with null allowed: an optional field may be there and empty."""
    if "type" in schema:
        schema = {**schema, "type": [schema["type"], "null"]}
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return schema
