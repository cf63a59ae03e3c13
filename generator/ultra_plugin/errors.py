"""The error root: faults that the reader can fix, each with file, line and remedy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, order=True)  # no slots: the installer, which reads this file, runs on Python 3.9
class Problem:
    """One fault of a source or a bundle."""

    path: str
    line: int
    code: str
    message: str
    remedy: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{place}: {self.code}: {self.message}{remedy}"

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


class UltraError(Exception):
    """A fault in one sentence; `cli` turns it into text and an exit status."""


class NotKnown(UltraError):
    """An unknown name, with the closest known one as remedy."""

    def __init__(self, message: str, remedy: str) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(f"{message} ({remedy})")


class ProblemsFound(UltraError):
    """All problems of a step at once, so that one build shows them all."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


def refuse(problems: Iterable[Problem]) -> None:
    """Raise the problems, if there are any."""
    if found := tuple(problems):
        raise ProblemsFound(found)


def problem(path: str, line: int, code: str, message: str, remedy: str = "") -> ProblemsFound:
    """Return the error for a single problem."""
    return ProblemsFound([Problem(path, line, code, message, remedy)])
