"""Parse JSON as the client does, with the line of every key and element."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NoReturn

Path = tuple[str | int, ...]

DEEPEST = 8
"""Levels whose lines are kept; the checks never name deeper ones."""
_PART = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|\n|[^\s{}\[\]:,"]+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON document, or its fault."""

    value: object = None
    fault: str = ""
    sure: bool = True
    """False if only this parser fails."""
    line: int = 1
    lines: Mapping[Path, int] = field(default_factory=lambda: MappingProxyType({}))
    repeated: tuple[tuple[str, int], ...] = ()

    def line_of(self, *path: str | int) -> int:
        """Return the line of a key or element, or of the closest one around it."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return line
        return self.line


def read_json(text: str) -> Json:
    """Parse a text; a fault is part of the result."""
    document = without_lines(text)
    if document.fault:
        return document
    scan = _scan(text)
    return Json(document.value, lines=MappingProxyType(scan.lines), repeated=tuple(scan.repeated))


def without_lines(text: str) -> Json:
    """Parse a text without noting lines, which is far quicker."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_int=_integer)
    except json.JSONDecodeError as error:
        return Json(fault=error.msg, line=error.lineno)
    except RecursionError:
        return Json(fault="nested too deeply to be checked", sure=False)
    except ValueError as error:
        return Json(fault=str(error))
    return Json(value)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> float:
    return int(digits) if len(digits) < 300 else float(digits)  # Python refuses to parse 4,300 digits


@dataclass(slots=True)
class _Level:
    """An open object or list of the scan."""

    key: str | int | None
    awaits_key: bool
    seen: set[str] = field(default_factory=set)


class _Scan:
    """A scan of valid JSON that notes the line of each value."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self.repeated: list[tuple[str, int]] = []
        self.levels: list[_Level] = []

    def take(self, part: str, line: int) -> None:
        """Read the next token that is neither white space nor a colon."""
        level = self.levels[-1] if self.levels else None
        if part in "}]":
            self.levels.pop()
        elif part == ",":
            if level is not None and isinstance(level.key, int):
                level.key += 1
            elif level is not None:
                level.awaits_key = True
        else:
            if level is not None and (level.awaits_key or isinstance(level.key, int)):
                self._note(level, part, line)
            if part == "{":
                self.levels.append(_Level(None, awaits_key=True))
            elif part == "[":
                self.levels.append(_Level(0, awaits_key=False))

    def _note(self, level: _Level, part: str, line: int) -> None:
        """Note the line of a key, or of an element of a list."""
        if level.awaits_key:
            level.key = key = str(json.loads(part))
            level.awaits_key = False
            if key in level.seen:
                self.repeated.append((key, line))
            level.seen.add(key)
        if len(self.levels) <= DEEPEST:
            self.lines[tuple(level.key for level in self.levels if level.key is not None)] = line


def _scan(text: str) -> _Scan:
    scan = _Scan()
    line = 1
    for match in _PART.finditer(text):
        part = match.group()
        if part == "\n":
            line += 1
        elif part != ":":
            scan.take(part, line)
    return scan
