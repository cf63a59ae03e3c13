"""Hold a file against its contract; whatever its bytes, the answer is a result."""

from __future__ import annotations

from ultra_runtime.contract import Report
from ultra_runtime.field_types import check_field, check_version
from ultra_runtime.jsontext import JsonError, read_object
from ultra_runtime.regular_file import UnreadableError, read_regular
from ultra_runtime.rules import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.contract import Contract, Result


def validate_file(contract: Contract, path: str, soft: bool = False) -> Result:
    """Read the file and hold it against the contract."""
    report = Report(contract, path, soft)
    try:
        data = read_regular(path)
    except UnreadableError as problem:
        report.add("NOT_FOUND" if problem.missing else "READ_ERROR", str(problem))
        return report.result()
    return validate_json(contract, data, path, soft)


def validate_json(contract: Contract, data: bytes, path: str, soft: bool = False) -> Result:
    """Hold the bytes of a JSON file against the contract."""
    report = Report(contract, path, soft)
    try:
        document = read_object(data)
    except JsonError as problem:
        report.add("PARSE_ERROR", str(problem), problem.line)
        return report.result()
    check_values(report, document.values, document.lines)
    return report.result(document.values)


def check_values(report: Report, values: Mapping[str, Any], lines: Mapping[str, int]) -> None:
    """Note what is wrong with the fields, then what the contract's named rules find."""
    version = report.contract.version
    for field in report.contract.fields:
        line = lines.get(field.name)
        if field.name not in values:
            if field.required:
                report.add("MISSING_FIELD", f"{field.name} is missing", None, field.name)
        elif version and field.name == version.field:
            check_version(report, version, values[field.name], line)
        elif values[field.name] is not None or field.required:
            check_field(report, field, values[field.name], line)
    for rule in report.contract.rules:
        RULES[rule](report, values, lines)
