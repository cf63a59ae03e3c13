"""Check values against the type, set, range and version in their contract."""

from __future__ import annotations

from ultra_runtime.contract.forms import FORMS, is_version
from ultra_runtime.text.timestamp import instant, is_date
from ultra_runtime.typed import Any, Callable, Mapping
from ultra_runtime.words import listed, nearest, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Field, Version
    from ultra_runtime.contract.result import Report

    LineOf = Callable[[tuple[str, ...]], int | None]

IN_WORDS = {
    "text": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list",
    "commands": "a command or a list of commands",
    "object": "an object",
    "date": "a date such as 2026-01-31",
    "timestamp": "an ISO 8601 time such as 2026-01-31T12:00:00Z",
    "any": "anything",
}
FEW = 5
UNSUPPORTED = "SCHEMA_MISMATCH|VERSION_UNSUPPORTED"


def line_by_name(lines: Mapping[str, int]) -> LineOf:
    """Return the lines of fields, for artifacts that know no line inside a field."""
    return lambda path: lines.get(path[0]) if path else None


class FieldCheck:
    """Checks the fields of an artifact and reports each fault under the field's dotted name."""

    def __init__(self, report: Report, line_of: LineOf, version: Version | None = None) -> None:
        self.report = report
        self.line_of = line_of
        self.version = version
        self.tells_unknown = f"{report.contract.prefix}_UNKNOWN_FIELD" in report.contract.codes
        self.unknown: set[str] = set()

    def check_all(
        self, fields: tuple[Field, ...], values: Mapping[str, Any], path: tuple[str, ...] = ()
    ) -> None:
        """Report fields that are missing, wrong or unknown."""
        for field in fields:
            self.check(field, values, path)
        if self.tells_unknown:
            known = {field.name for field in fields}
            for name in values:
                if name not in known:
                    self._note_unknown(name, path, known)

    def check(self, field: Field, values: Mapping[str, Any], path: tuple[str, ...] = ()) -> None:
        """Report what is wrong with one field of an object."""
        inner = (*path, field.name)
        value = values.get(field.name)
        if field.name not in values or (value is None and field.missing):
            self._note_missing(field, inner)
        elif self.version and not path and field.name == self.version.field:
            check_version(self.report, self.version, value, self.line_of(inner))
        elif value is not None or (field.required and not field.nullable):
            self.check_value(field, value, inner)

    def check_value(self, field: Field, value: object, path: tuple[str, ...]) -> None:
        """Report a value of the wrong type, form or range, and the faults inside it."""
        fault = type_fault(field, value)
        if fault:
            self._note(field.type_code or field.code or "BAD_TYPE", fault, path)
        elif isinstance(value, str) and field.legacy and value in field.legacy:
            said = f"is {shown(value)}, which is now spelled {field.legacy[value]}"
            self._note("LEGACY_VALUE", said, path)
        elif isinstance(value, list):
            self._check_items(field, value, path)
        elif isinstance(value, dict):
            self._check_object(field, value, path)
        else:
            fault = value_fault(field, value)
            if fault:
                self._note(field.code or "BAD_VALUE", fault, path)

    def _check_items(self, field: Field, items: list[object], path: tuple[str, ...]) -> None:
        for item in items:
            fault = item_type_fault(field, item) or value_fault(field, item)
            if fault:
                self._note(field.code or "BAD_VALUE", f"has a wrong item: it {fault}", path)
            elif isinstance(item, dict) and field.fields:
                self.check_all(field.fields, item, path)

    def _check_object(self, field: Field, value: Mapping[str, Any], path: tuple[str, ...]) -> None:
        if field.fields:
            self.check_all(field.fields, value, path)
        for name, entry in value.items() if field.entries else ():
            inner = (*path, name)
            if field.form and not FORMS[field.form][0](name):
                self._note(
                    "BAD_VALUE",
                    f"has the key {shown(name)}; a key must be {FORMS[field.form][1]}",
                    path,
                    inner,
                )
            elif not isinstance(entry, dict):
                self._note("BAD_TYPE", f"must be an object, not {shown(entry)}", inner)
            else:
                self.check_all(field.entries, entry, inner)

    def _note(self, code: str, fault: str, path: tuple[str, ...], at: tuple[str, ...] | None = None) -> None:
        name = ".".join(path)
        self.report.add(code, f"{one_line(name)} {fault}", self.line_of(at or path), name)

    def _note_missing(self, field: Field, path: tuple[str, ...]) -> None:
        code = field.missing or ("MISSING_FIELD" if field.required else "")
        if code:
            name = ".".join(path)
            self.report.add(code, f"{one_line(name)} is missing", self.line_of(path[:-1]) or 1, name)

    def _note_unknown(self, name: str, path: tuple[str, ...], known: set[str]) -> None:
        # Once per field: in a file of 100 steps the same field would be reported 100 times.
        kind = f"{len(path)} {name}"
        if kind not in self.unknown:
            self.unknown.add(kind)
            # Only for a few: a hostile file has a million keys.
            meant = nearest(name, sorted(known)) if len(self.unknown) <= FEW else ""
            fault = f"is not a field of this version{meant}"
            if self.report.contract.version is None:
                fault = (
                    f"is not one of the {self.report.contract.title.lower()}{meant}: {listed(sorted(known))}"
                )
            self._note("UNKNOWN_FIELD", fault, (*path, name))


def check_version(report: Report, version: Version, value: object, line: int | None) -> None:
    """Report a version that is old, unknown or not a version."""
    same_type = type(value) is type(version.current)
    if same_type and value == version.current:
        return
    if same_type and value in version.accepts:
        message = f"{version.field} {shown(value)} is old; the current version is {version.current}"
        report.add("VERSION_MISMATCH", message, line, version.field)
    elif f"{report.contract.prefix}_VERSION_FORMAT" in report.contract.codes and not (
        isinstance(value, str) and is_version(value)
    ):
        message = f"{version.field} must be {FORMS['version'][1]}, not {shown(value)}"
        report.add("VERSION_FORMAT", message, line, version.field)
    elif value is None or isinstance(value, (list, dict)):
        message = f"{version.field} must be a version, not {shown(value)}"
        report.add("BAD_TYPE", message, line, version.field)
    else:
        message = f"{version.field} must be {shown(version.current)}, not {shown(value)}"
        report.add(UNSUPPORTED, message, line, version.field)


def type_fault(field: Field, value: object) -> str:
    """Return why the value does not have the field's type, or nothing."""
    return "" if has_type(value, field.type) else f"must be {IN_WORDS[field.type]}, not {shown(value)}"


def item_type_fault(field: Field, item: object) -> str:
    """Return why an item of a list does not have the type of its items, or nothing."""
    kind = field.items or "any"
    return "" if has_type(item, kind) else f"must be {IN_WORDS[kind]}, not {shown(item)}"


def value_fault(field: Field, value: object) -> str:
    """Return why a value of the right type is outside its form, set or range, or nothing."""
    kind = field.items if field.type == "list" else field.type
    if not has_form(value, kind):
        return f"must be {IN_WORDS[kind]}, not {shown(value)}"
    if isinstance(value, str):
        return _text_fault(field, value)
    if isinstance(value, (int, float)):
        if field.minimum is not None and value < field.minimum:
            return f"must be at least {field.minimum}, not {shown(value)}"
        if field.maximum is not None and value > field.maximum:
            return f"must be at most {field.maximum}, not {shown(value)}"
    if field.values is not None:
        return _not_allowed(field.values, value)
    return ""


def _text_fault(field: Field, value: str) -> str:
    if field.values is not None:
        return "" if value in field.values else _not_allowed(field.values, value)
    if field.required and not value.strip():
        return "is empty"
    if field.form in FORMS:
        fits, words = FORMS[field.form]
        return "" if fits(value) else f"must be {words}, not {shown(value)}"
    return ""


def _not_allowed(values: Mapping[str, str], value: object) -> str:
    return f"must be {listed(values, 'or')}, not {shown(value)}"


def has_type(value: object, kind: str) -> bool:
    """Tell whether the value has the type; true and false are not numbers."""
    if kind in ("integer", "number"):
        return type(value) is int or (kind == "number" and type(value) is float)
    if kind in ("boolean", "list", "object"):
        return isinstance(value, {"boolean": bool, "list": list, "object": dict}[kind])
    if kind == "commands" and isinstance(value, list):
        return True
    return kind == "any" or (kind in IN_WORDS and isinstance(value, str))


def has_form(value: object, kind: str) -> bool:
    """Tell whether text of the type date or timestamp is one."""
    if kind == "date":
        return is_date(str(value))
    return kind != "timestamp" or instant(str(value)) is not None


def shown(value: object) -> str:
    """Return a value as a message shows it."""
    if isinstance(value, str):
        return f'"{one_line(value, 80)}"'
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return one_line(repr(value), 80)
