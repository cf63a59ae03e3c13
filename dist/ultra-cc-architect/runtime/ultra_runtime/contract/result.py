"""The result of a validation: issues with code, line and remedy."""

from __future__ import annotations

from ultra_runtime.struct import EMPTY, Struct
from ultra_runtime.typed import Any, Callable, Mapping
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.body import FoundPart
    from ultra_runtime.contract.model import Contract


MOST_OF_A_CODE = 100


class Issue(Struct):
    """One fault of a file: what, where, and the remedy."""

    code: str
    message: str
    path: str
    line: int | None = None
    field: str = ""
    remedy: str = ""
    step: int | None = None

    def as_data(self) -> dict[str, Any]:
        """Return the issue as an entry of a validator's result."""
        optional = {"path": self.path, "line": self.line, "field": self.field, "step": self.step}
        given = {name: value for name, value in optional.items() if value not in (None, "")}
        return {"code": self.code, "message": self.sentence, **given}

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{one_line(place, 500)}: {self.code}: {one_line(self.sentence, 500)}"

    @property
    def sentence(self) -> str:
        """What is wrong, and the remedy."""
        return f"{self.message}. {self.remedy}" if self.remedy else self.message


class Result(Struct):
    """The result of a validation."""

    errors: list[Issue]
    warnings: list[Issue]
    parsed: Mapping[str, Any] | None

    @property
    def valid(self) -> bool:
        return not self.errors

    def as_data(self) -> dict[str, Any]:
        """Return the result in the form that all validators share."""
        return {
            "valid": self.valid,
            "errors": [issue.as_data() for issue in self.errors],
            "warnings": [issue.as_data() for issue in self.warnings],
            "parsed": self.parsed,
        }


def parsed_key(name: str) -> str:
    """Return the key under which a validator's result has a field of a part."""
    return name.lower().replace(" ", "_")


class Subject(Struct):
    """An artifact that has been read."""

    values: dict[str, Any]
    line_of: Callable[[tuple[str, ...]], int | None]
    sections: list[str] | None = None
    parts: Mapping[str, list[FoundPart]] = EMPTY
    texts: Mapping[str, str] = EMPTY
    """Section, by its English name -> its text."""

    def line(self, *path: str) -> int | None:
        """Return the line of a field."""
        return self.line_of(path)

    def text(self, name: str) -> str:
        """Return a field that is text, or nothing."""
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def count(self, name: str) -> int | None:
        """Return a field that is a whole number, or None."""
        value = self.values.get(name)
        return value if type(value) is int else None

    def parsed(self) -> dict[str, Any]:
        """Return the artifact as a validator's result shows it."""
        if self.sections is None:
            return self.values
        parts = {name: [one.as_data() for one in found] for name, found in self.parts.items()}
        return {**self.values, "sections": self.sections, **parts}


class Report:
    """Collects the issues of one artifact; a code must be in its contract or in the common table."""

    def __init__(self, contract: Contract, path: str, soft: bool = False) -> None:
        self.contract = contract
        self.path = path
        self.soft = soft
        self.errors: list[Issue] = []
        self.warnings: list[Issue] = []
        self.counts: dict[str, int] = {}

    def add(
        self,
        codes: str,
        message: str,
        line: int | None = None,
        field: str = "",
        step: int | None = None,
        mild: bool = False,
    ) -> None:
        """Add an issue under the first code of `codes` (separated by `|`) that is listed.

        A code may be named without the artifact's prefix; a mild issue is always a warning.
        The first hundred of a code are kept: nobody fixes more at once, and a hostile file has millions.
        """
        code = self.contract.code(*codes.split("|"))
        self.counts[code.name] = self.counts.get(code.name, 0) + 1
        if self.counts[code.name] > MOST_OF_A_CODE:
            return
        mild = mild or code.severity == "warning" or (self.soft and code.soft)
        issue = Issue(code.name, message, self.path, line, field, code.remedy, step)
        (self.warnings if mild else self.errors).append(issue)

    def result(self, parsed: Mapping[str, Any] | None = None) -> Result:
        """Return the issues; the last one of a code says how many more there are."""
        for name, count in self.counts.items():
            if count > MOST_OF_A_CODE:
                last = [issue for issue in self.errors + self.warnings if issue.code == name][-1]
                last.message += f" (and {count - MOST_OF_A_CODE} more {name})"
        return Result(self.errors, self.warnings, parsed)
