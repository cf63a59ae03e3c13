"""What an artifact has to be, as its rendered table says, and the result of holding a file against it."""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.rendered import table, table_names
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class Version:
    """The field that carries an artifact's version, the current one and the older ones still read."""

    __slots__ = ("accepts", "current", "field")

    def __init__(self, field: str, current: object, accepts: tuple[object, ...] = ()) -> None:
        self.field = field
        self.current = current
        self.accepts = accepts


class Field:
    """One field: its type, whether it has to be there, and its allowed values with their meanings."""

    __slots__ = ("means", "name", "required", "type", "values")

    def __init__(
        self,
        name: str,
        type: str,  # noqa: A002
        required: bool,
        means: str,
        values: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.type = type
        self.required = required
        self.means = means
        self.values = values


class Code:
    """One stable code; a soft one is a warning under --soft."""

    __slots__ = ("means", "name", "remedy", "severity", "soft")

    def __init__(self, name: str, severity: str, means: str, remedy: str, soft: bool = False) -> None:
        self.name = name
        self.severity = severity
        self.means = means
        self.remedy = remedy
        self.soft = soft


class Contract:
    """All that one artifact has to be."""

    __slots__ = ("artifact", "codes", "fields", "format", "prefix", "rules", "title", "version")

    def __init__(
        self,
        artifact: str,
        title: str,
        prefix: str,
        format: str,  # noqa: A002
        version: Version | None,
        fields: tuple[Field, ...],
        rules: tuple[str, ...],
        codes: tuple[Code, ...],
    ) -> None:
        self.artifact = artifact
        self.title = title
        self.prefix = prefix
        self.format = format
        self.version = version
        self.fields = fields
        self.rules = rules
        self.codes = codes

    def code(self, *suffixes: str) -> Code:
        """Return the first of these codes that the contract lists: name the most special one first."""
        for suffix in suffixes:
            for code in self.codes:
                if code.name == f"{self.prefix}_{suffix}":
                    return code
        wanted = " or ".join(f"{self.prefix}_{suffix}" for suffix in suffixes)
        raise LookupError(f"the contract of {self.artifact} lists no code {wanted}")

    def field(self, name: str) -> Field:
        """Return the field of that name."""
        for field in self.fields:
            if field.name == name:
                return field
        raise LookupError(f"the contract of {self.artifact} has no field {name}")


class Issue:
    """One thing that is wrong with a file: what, where, and the remedy."""

    __slots__ = ("code", "field", "line", "message", "path", "remedy")

    def __init__(
        self, code: str, message: str, path: str, line: int | None = None, field: str = "", remedy: str = ""
    ) -> None:
        self.code = code
        self.message = message
        self.path = path
        self.line = line
        self.field = field
        self.remedy = remedy

    def as_data(self) -> dict[str, Any]:
        """Return the entry as it stands in a validator's result."""
        optional = {"path": self.path, "line": self.line, "field": self.field}
        return {"code": self.code, "message": self.sentence, **{k: v for k, v in optional.items() if v}}

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{one_line(place, 500)}: {self.code}: {one_line(self.sentence, 500)}"

    @property
    def sentence(self) -> str:
        """What is wrong, and the remedy."""
        return f"{self.message}. {self.remedy}" if self.remedy else self.message


class Result:
    """What came of holding a file against its contract."""

    __slots__ = ("errors", "parsed", "warnings")

    def __init__(self, errors: list[Issue], warnings: list[Issue], parsed: Mapping[str, Any] | None) -> None:
        self.errors = errors
        self.warnings = warnings
        self.parsed = parsed

    @property
    def valid(self) -> bool:
        return not self.errors

    def as_data(self) -> dict[str, Any]:
        """Return the result in the shape that every validator answers with."""
        return {
            "valid": self.valid,
            "errors": [issue.as_data() for issue in self.errors],
            "warnings": [issue.as_data() for issue in self.warnings],
            "parsed": self.parsed,
        }


class Report:
    """Collects the issues of one file; only codes that the contract lists can enter."""

    def __init__(self, contract: Contract, path: str, soft: bool = False) -> None:
        self.contract = contract
        self.path = path
        self.soft = soft
        self.errors: list[Issue] = []
        self.warnings: list[Issue] = []

    def add(self, suffix: str, message: str, line: int | None = None, field: str = "") -> None:
        """Note an issue under the first listed of the codes that `suffix` names, divided by `|`."""
        code = self.contract.code(*suffix.split("|"))
        mild = code.severity == "warning" or (self.soft and code.soft)
        issue = Issue(code.name, message, self.path, line, field, code.remedy)
        (self.warnings if mild else self.errors).append(issue)

    def result(self, parsed: Mapping[str, Any] | None = None) -> Result:
        """Return what has been found."""
        return Result(self.errors, self.warnings, parsed)


class UnknownKindError(UltraError):
    """No rendered table holds a contract of that name."""


def load_contract(kind: str) -> Contract:
    """Return the contract of an artifact, named as in `ultra validate KIND`."""
    name = kind.replace("-", "_")
    found = table(name) if "_" not in kind and name in table_names() else None
    contract: Contract | None = getattr(found, "CONTRACT", None)
    if contract is None:
        raise UnknownKindError(kind)
    return contract


def contract_kinds() -> list[str]:
    """Return the kinds that `load_contract` knows."""
    return [name.replace("_", "-") for name in table_names() if hasattr(table(name), "CONTRACT")]
