"""Load limits.yaml: each number once, for templates, contracts and the runtime."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ultra_plugin.declared import Limit
from ultra_plugin.document import nearest, read_document
from ultra_plugin.errors import NotKnown, Problem, refuse
from ultra_plugin.source import SourceTree

LIMITS = "limits.yaml"
_ASKED = re.compile(
    r"\{\{\s*(?:limit\.(\w+)(?:\.(minimum|maximum))?|limit_word\('(\w+)'\))\s*(\|\s*capitalize\s*)?\}\}"
)
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _LimitsFile:
    limits: Mapping[str, Limit]


def load_limits(tree: SourceTree) -> Mapping[str, Limit]:
    """Return every limit by name, or raise all that are out of range."""
    if tree.find(LIMITS) is None:
        return {}
    limits = read_document(tree.shown(LIMITS), tree.read(LIMITS), _LimitsFile).limits
    problems = []
    for name, limit in limits.items():
        if not limit.minimum <= limit.value <= limit.maximum:
            message = f"'{name}' must be from {limit.minimum} to {limit.maximum}, not {limit.value}"
            remedy = "write a value in that range"
            problems.append(tree.problem(LIMITS, limit.line, "out-of-range", message, remedy))
        elif limit.not_above and limit.not_above not in limits:
            message = f"'{name}' must not be above '{limit.not_above}', which is not a limit"
            problems.append(
                tree.problem(LIMITS, limit.line, "unknown-limit", message, nearest(limit.not_above, limits))
            )
        elif limit.not_above and limit.value > limits[limit.not_above].value:
            most = f"'{limit.not_above}', which is {limits[limit.not_above].value}"
            message = f"'{name}' must not be above {most}; it is {limit.value}"
            problems.append(
                tree.problem(LIMITS, limit.line, "out-of-range", message, "change one of the two")
            )
    refuse(problems)
    return limits


def limit_word(limits: Mapping[str, Limit], name: str) -> str:
    """Return a limit as prose spells it: three, and 15 above twelve."""
    if name not in limits:
        raise NotKnown(f"unknown limit '{name}'", nearest(name, limits))
    return number_word(limits[name].value)


def number_word(value: int) -> str:
    """Return a number as prose spells it."""
    return _WORDS[value] if value < len(_WORDS) else str(value)


def with_limits(path: str, data: bytes, limits: Mapping[str, Limit]) -> bytes:
    """Return a YAML source with its limits filled in; line numbers do not change."""
    if b"{{" not in data:
        return data
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    problems = []
    for number, line in enumerate(lines):
        try:
            lines[number] = _ASKED.sub(lambda asked: _put_in(limits, asked), line)
        except NotKnown as error:
            problems.append(Problem(path, number + 1, "unknown-limit", error.message, error.remedy))
            continue
        if "{{" in lines[number]:
            message = "double braces can hold only limits here"
            remedy = "write {{ limit.NAME }} or {{ limit_word('NAME') }}"
            problems.append(Problem(path, number + 1, "unknown-limit", message, remedy))
    refuse(problems)
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _put_in(limits: Mapping[str, Limit], asked: re.Match[str]) -> str:
    plain, end, spelled, capital = asked.groups()
    word = limit_word(limits, plain or spelled)
    word = str(getattr(limits[plain], end or "value")) if plain else word
    return word.capitalize() if capital else word
