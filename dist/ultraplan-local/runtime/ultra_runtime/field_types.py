"""Hold one value against the type, the set and the version that its contract asks for."""

from __future__ import annotations

from ultra_runtime.timestamp import instant, is_date
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract import Field, Report, Version

IN_WORDS = {
    "text": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list",
    "date": "a date such as 2026-01-31",
    "timestamp": "a time of ISO 8601 such as 2026-01-31T12:00:00Z",
}
UNSUPPORTED = "SCHEMA_MISMATCH|VERSION_UNSUPPORTED"


def check_field(report: Report, field: Field, value: object, line: int | None) -> None:
    """Note a value of the wrong type, or one outside its set or range."""
    if not has_type(value, field.type):
        message = f"{field.name} is {shown(value)}, not {IN_WORDS[field.type]}"
        report.add("BAD_TYPE", message, line, field.name)
    elif not has_form(value, field.type):
        message = f"{field.name} is {shown(value)}, not {IN_WORDS[field.type]}"
        report.add("BAD_VALUE", message, line, field.name)
    elif field.required and field.type == "text" and not str(value).strip():
        report.add("BAD_VALUE", f"{field.name} is empty", line, field.name)
    elif field.values is not None:
        for item in value if isinstance(value, list) else [value]:
            if not (isinstance(item, str) and item in field.values):
                message = f"{field.name} is {shown(item)}, none of {', '.join(field.values)}"
                report.add("BAD_VALUE", message, line, field.name)


def check_version(report: Report, version: Version, value: object, line: int | None) -> None:
    """Note a version that is older than the current one or cannot be read at all."""
    same_type = type(value) is type(version.current)
    if same_type and value == version.current:
        return
    if same_type and value in version.accepts:
        message = f"{version.field} is {shown(value)}, an older version; the current one is {version.current}"
        report.add("VERSION_MISMATCH", message, line, version.field)
    else:
        message = f"{version.field} is {shown(value)}; this bundle reads {shown(version.current)}"
        report.add(UNSUPPORTED, message, line, version.field)


def has_type(value: object, kind: str) -> bool:
    """Tell whether the value has the type; true and false are no numbers."""
    if kind in ("integer", "number"):
        return type(value) is int or (kind == "number" and type(value) is float)
    if kind in ("boolean", "list"):
        return isinstance(value, bool if kind == "boolean" else list)
    return kind in IN_WORDS and isinstance(value, str)


def has_form(value: object, kind: str) -> bool:
    """Tell whether text that has to be a date or a time is one."""
    if kind == "date":
        return is_date(str(value))
    return kind != "timestamp" or instant(str(value)) is not None


def shown(value: object) -> str:
    """Return a value as a person would point at it in a file."""
    if isinstance(value, str):
        return f'"{one_line(value, 80)}"'
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return one_line(repr(value), 80)
