"""JSON Schemas, so that an editor checks an artifact while it is typed."""

from __future__ import annotations

import json
from typing import Any

from ultra_plugin.model import Contract, Field, FieldType

_TYPES: dict[FieldType, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "list": {"type": "array"},
    "date": {"type": "string", "format": "date"},
    "timestamp": {"type": "string", "format": "date-time"},
}


def json_schema(contract: Contract) -> bytes:
    """Return the JSON Schema of an artifact's fields."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": contract.title,
        "description": contract.summary,
        "type": "object",
        "required": [name for name, field in contract.fields.items() if field.required],
        "properties": {name: _property(contract, name, field) for name, field in contract.fields.items()},
    }
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


def _property(contract: Contract, name: str, field: Field) -> dict[str, Any]:
    schema = {"description": field.means, **_TYPES[field.type]}
    if name == contract.version.field:
        schema["enum"] = [contract.version.current, *contract.version.accepts]
    elif field.values:
        schema["enum"] = list(field.values)
    return schema
