"""JSON Schemas, so that an editor checks an artifact while it is typed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ultra_plugin.artifact import Contract, Field, FieldType

# What JSON Schema can express of each form, composed of parts. The functions of the runtime decide the same, without
# regular expressions, and tests/contracts/test_forms.py compares both on many values.
_NOT_BLANK = "\\S"
_NUMBER = "(0|[1-9][0-9]{0,8})"
_SLUG = "(?!.*\\.\\.)[A-Za-z0-9]([A-Za-z0-9._~-]{0,98}[A-Za-z0-9])?"
_LEAP_YEAR = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)"
_DATE = (
    "((?!0000)[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
    f"|02-(0[1-9]|1[0-9]|2[0-8]))|{_LEAP_YEAR}-02-29)"
)
_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]*)?|[.,])?"
_ZONE = "([Zz]|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?"
PATTERNS: dict[str, str] = {
    "slug": f"^{_SLUG}$",
    "file-name": "^(?!.*\\.\\.)[A-Za-z0-9][A-Za-z0-9._~-]{0,96}\\.md$",
    "project-dir": f"^\\.claude/projects/{_DATE}-{_SLUG}/?$",
    "question": "\\?[ \\t\\n*_`\"']*$",
    "commit": "^[0-9a-f]{7,64}$",
    "sha1": "^[0-9a-f]{40}$",
    "sha256": "^[0-9a-f]{64}$",
    "step-number": f"^{_NUMBER}$",
    "version": f"^{_NUMBER}\\.{_NUMBER}$",
    "location": f"\\S[\\s\\S]*:[1-9][0-9]{{0,8}}(-{_NUMBER})?$",
    "work-id": "^WORK-[0-9]{2,4}$",
    "task-id": "^TASK-[0-9]{2}$",
    "date": f"^{_DATE}$",
    "timestamp": f"^{_DATE}[Tt ]{_CLOCK}{_ZONE}$",
}
_TYPES: dict[FieldType, dict[str, Any]] = {
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "list": {"type": "array"},
    "commands": {"type": ["string", "array"], "items": {"type": "string"}},
    "object": {"type": "object"},
    "any": {},
    "date": {"type": "string", "format": "date", "pattern": PATTERNS["date"]},
    "timestamp": {"type": "string", "pattern": PATTERNS["timestamp"]},
}


def json_schema(contract: Contract) -> bytes:
    """Return the JSON Schema of an artifact's fields; it accepts what the validator reports no error for."""
    versions = {}
    if contract.version and not contract.version.block:
        versions[contract.version.field] = [contract.version.current, *contract.version.accepts]
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": contract.title,
        "description": contract.summary,
        **_object(contract, contract.fields, versions),
    }
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()


def _object(
    contract: Contract, fields: Mapping[str, Field], versions: Mapping[str, list[int | str]] | None = None
) -> dict[str, Any]:
    required = [name for name, field in fields.items() if not _may_miss(contract, field)]
    properties = {
        name: {**_TYPES[field.type], "description": field.means, "enum": versions[name]}
        if versions and name in versions
        else _property(contract, field)
        for name, field in fields.items()
    }
    schema = {"type": "object", "required": required, "properties": properties}
    unknown = contract.codes.get(f"{contract.prefix}_UNKNOWN_FIELD")
    return {**schema, "additionalProperties": False} if unknown and unknown.severity == "error" else schema


def _may_miss(contract: Contract, field: Field) -> bool:
    """Say whether the validator reports no error when the field is missing."""
    if not field.missing:
        return not field.required
    code = contract.codes.get(field.missing) or contract.codes[f"{contract.prefix}_{field.missing}"]
    return code.severity == "warning"


def _property(contract: Contract, field: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": field.means, **_TYPES[field.type]}
    if field.type == "list":
        schema["items"] = _item(contract, field)
    else:
        schema |= _limits(field)
    if field.fields and field.type == "object":
        schema |= _object(contract, field.fields)
    if field.entries:
        names = {"pattern": PATTERNS[field.form]} if field.form else {}
        schema |= {"propertyNames": names, "additionalProperties": _object(contract, field.entries)}
    if field.nullable or _may_miss(contract, field):
        schema = _or_null(schema)
    return schema


def _item(contract: Contract, field: Field) -> dict[str, Any]:
    if field.fields:
        return _object(contract, field.fields)
    return {**_TYPES[field.items or "any"], **_limits(field)}


def _limits(field: Field) -> dict[str, Any]:
    """Return the limits on values beyond their type."""
    limits: dict[str, Any] = {}
    if field.minimum is not None:
        limits["minimum"] = field.minimum
    if field.maximum is not None:
        limits["maximum"] = field.maximum
    if field.values:
        limits["enum"] = [*field.values, *field.legacy]
    elif (field.items or field.type) == "text":
        if field.form in PATTERNS:
            limits["pattern"] = PATTERNS[field.form]
        elif field.required:
            limits["pattern"] = _NOT_BLANK
    return limits


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with null allowed: an optional field may be there and empty."""
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        schema = {**schema, "type": [*types, "null"]}
    if "enum" in schema:
        schema["enum"] = [*schema["enum"], None]
    return schema
