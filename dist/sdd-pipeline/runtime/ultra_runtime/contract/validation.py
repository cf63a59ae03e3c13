"""Check an artifact against its contract; any bytes give a result."""

from __future__ import annotations

import os

from ultra_runtime.contract.field_types import FieldCheck, line_by_name
from ultra_runtime.contract.result import Report, Result, Subject
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Contract, Field

DISCRIMINATOR = "type"
DRAFT = ".draft"


def validate_file(contract: Contract, path: str, soft: bool = False, strict: bool = False) -> Result:
    """Read a file and check it against the contract."""
    try:
        data = read_regular(path)
    except UnreadableError as problem:
        report = Report(contract, path, soft)
        draft = f"; {one_line(os.path.basename(path))}{DRAFT} exists, and its review is not finished"
        hint = draft if problem.missing and os.path.lexists(path + DRAFT) else ""
        report.add("NOT_FOUND" if problem.missing else "READ_ERROR", f"{problem}{hint}")
        return report.result()
    return validate_data(contract, data, path, soft, strict)


def validate_data(
    contract: Contract, data: bytes, path: str, soft: bool = False, strict: bool = False
) -> Result:
    """Check bytes against the contract as if they were at the path."""
    report = Report(contract, path, soft)
    if contract.reader:
        parsed = reader_of(contract).check(report, data, strict)
    elif contract.format == "json":
        parsed = _check_json(report, data)
    elif contract.format == "yaml":
        parsed = _check_yaml(report, data)
    elif contract.format == "quoted":
        from ultra_runtime.contract.quoted import check_quoted

        parsed = check_quoted(report, data)
    else:
        parsed = check_front_matter(report, data)
    _note_secrets(report, data)
    return report.result(parsed)


def reader_of(contract: Contract) -> Any:
    """Return the module that reads the body of an artifact: check(report, data, strict), and perhaps fill(data)."""
    return __import__("ultra_runtime." + contract.reader, fromlist=["*"])


def _note_secrets(report: Report, data: bytes) -> None:
    """Warn of what looks like a secret; only writing refuses it."""
    from ultra_runtime.files.secret_scan import find_secrets

    for line, what in find_secrets(data.decode("utf-8", "replace")):
        report.add("SECRET_FOUND", f"this looks like {what}", line, mild=True)


def _check_json(report: Report, data: bytes) -> Mapping[str, Any] | None:
    from ultra_runtime.text.jsontext import JsonError, read_object

    try:
        document = read_object(data)
    except JsonError as problem:
        report.add("PARSE_ERROR", str(problem), problem.line)
        return None
    nested: dict[tuple[str, ...], int] = {}
    line_of_field = line_by_name(document.lines)

    def line_of(path: tuple[str, ...]) -> int | None:
        if len(path) < 2:
            return line_of_field(path)
        if not nested:
            from ultra_runtime.text.json_lines import key_lines

            nested.update(key_lines(document.text))
        while path and path not in nested:
            path = path[:-1]
        return nested.get(path)

    subject = Subject(document.values, line_of)
    FieldCheck(report, line_of, report.contract.version).check_all(report.contract.fields, subject.values)
    _follow_rules(report, subject)
    return modern(report.contract.fields, subject.values)


def _check_yaml(report: Report, data: bytes) -> Mapping[str, Any] | None:
    from ultra_runtime.text.yaml_document import read_yaml
    from ultra_runtime.text.yaml_mapping import MappingError

    fields = report.contract.fields
    types: dict[tuple[str, ...], str] = {(field.name,): field.items or field.type for field in fields}
    types.update({(field.name, one.name): one.type for field in fields for one in field.fields})
    try:
        document = read_yaml(data, types)
    except MappingError as problem:
        report.add("PARSE_ERROR", str(problem), problem.row + 1)
        return None
    subject = Subject(document.values, document.lines.get)
    FieldCheck(report, document.lines.get).check_all(fields, subject.values)
    _follow_rules(report, subject)
    return subject.values


def check_front_matter(report: Report, data: bytes) -> Mapping[str, Any] | None:
    """Check fields, sections and parts of a Markdown artifact, and return its content."""
    from ultra_runtime.text.frontmatter import parse

    contract = report.contract
    found = parse(data, {field.name: field.type for field in contract.fields})
    if found.problem or found.values is None:
        if found.problem:
            report.add(found.problem.code, str(found.problem), found.problem.line)
        return None
    line_of = line_by_name(found.lines)
    check = FieldCheck(report, line_of, contract.version)
    if not _is_of_this_type(check, contract, found.values):
        return found.values
    check.check_all(tuple(f for f in contract.fields if f.name != DISCRIMINATOR), found.values)
    subject = Subject(found.values, line_of)
    _check_body(report, subject, found.body, found.body_line, found.lines)
    _follow_rules(report, subject)
    return subject.parsed()


def _is_of_this_type(check: FieldCheck, contract: Contract, values: Mapping[str, Any]) -> bool:
    """Tell whether to continue: for a file of another type all other issues would be noise."""
    before = len(check.report.errors)
    for field in contract.fields:
        if field.name != DISCRIMINATOR:
            continue
        if (
            check.report.soft and DISCRIMINATOR not in values
        ):  # a missing field is soft, a missing type is not
            check.report.add(field.code or "BAD_VALUE", f"{DISCRIMINATOR} is missing", 1, DISCRIMINATOR)
        else:
            check.check(field, values)
    return len(check.report.errors) == before or DISCRIMINATOR not in values


def _check_body(report: Report, subject: Subject, body: str, first: int, lines: Mapping[str, int]) -> None:
    from ultra_runtime.contract.body import check_parts, check_sections
    from ultra_runtime.text.markdown import parse

    document = parse(body, first)
    subject.sections = check_sections(report, document)
    subject.parts = check_parts(report, document, subject.values, lines)


def _follow_rules(report: Report, subject: Subject) -> None:
    for rule in report.contract.rules:
        rule(report, subject)


def modern(fields: tuple[Field, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with older spellings replaced; unknown ones stay."""
    changed = dict(values)
    for field in fields:
        value = values.get(field.name)
        if isinstance(value, str) and field.legacy:
            changed[field.name] = field.legacy.get(value, value)
        elif isinstance(value, dict) and field.fields:
            changed[field.name] = modern(field.fields, value)
        elif isinstance(value, dict) and field.entries:
            changed[field.name] = {
                name: modern(field.entries, entry) if isinstance(entry, dict) else entry
                for name, entry in value.items()
            }
    return changed
