"""Edit JSON as text: add or remove one item and keep every other byte."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

# Enough for valid JSON: strings, brackets and marks, and everything else in one piece.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_DEPTH = {"{": 1, "[": 1, "}": -1, "]": -1}


class NotJsonError(ValueError):
    """The place where a text stops being JSON."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {reason}")


def load(text: str) -> Any:
    """Return the value of strict JSON with numbers as text, or raise NotJsonError."""

    def no_number(word: str) -> NoReturn:
        raise NotJsonError(f"{word} is not JSON", *_line_and_column(text, word))

    try:
        return json.loads(text, parse_constant=no_number, parse_int=_number, parse_float=_number)
    except json.JSONDecodeError as error:
        raise NotJsonError(error.msg, error.lineno, error.colno) from None
    except RecursionError:
        raise NotJsonError("it is nested too deeply", 1, 1) from None


def _number(text: str) -> tuple[str, str]:
    return ("number", text)


def _line_and_column(text: str, word: str) -> tuple[int, int]:
    outside = (match for match in _TOKEN.finditer(text) if match[0] == word)
    at = next((match.start() for match in outside), 0)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


@dataclass(frozen=True)
class Child:
    """The position of one element of a list or one member of an object."""

    start: int
    end: int
    value: int
    """Where the value begins: for a member, after its key."""
    key: str | None


@dataclass(frozen=True)
class Group:
    """The position of the inside of a list or object."""

    start: int
    end: int
    children: tuple[Child, ...]

    def member(self, key: str) -> Child | None:
        """Return the member that counts: of two with the same key, the later one."""
        return next((child for child in reversed(self.children) if child.key == key), None)


def group(text: str, at: int) -> Group:
    """Return the list or object that begins at or after a position in valid JSON."""
    tokens = _TOKEN.finditer(text, at)
    opening = next(tokens)
    children: list[Child] = []
    head: list[re.Match[str]] = []  # of the child at hand: key, colon and the beginning of the value
    end, depth = opening.end(), 1
    for token in tokens:
        depth += _DEPTH.get(token[0], 0)
        if head and (depth == 0 or (depth == 1 and token[0] == ",")):
            children.append(_child(opening[0], head, end))
            head = []
        elif depth and len(head) < 3:
            head.append(token)
        if depth == 0:
            return Group(opening.end(), token.start(), tuple(children))
        end = token.end()
    raise NotJsonError("it ends too early", 1, 1)


def _child(opening: str, head: list[re.Match[str]], end: int) -> Child:
    if opening == "[":
        return Child(head[0].start(), end, head[0].start(), None)
    return Child(head[0].start(), end, head[2].start(), json.loads(head[0][0]))


def insert(text: str, inside: Group, child: str, unit: str) -> str:
    """Return the text with one more child at the end of a group, spaced like the ones before it."""
    if inside.children:
        at, mark = inside.children[-1].end, ","
    else:
        at, mark = inside.start, ""
    return f"{text[:at]}{mark}{gap(text, inside, unit)}{child}{text[at:]}"


def remove(text: str, inside: Group, child: Child) -> str:
    """Return the text without a child: the exact reverse of adding it."""
    index = inside.children.index(child)
    if index:
        return text[: inside.children[index - 1].end] + text[child.end :]
    if len(inside.children) > 1:
        return text[: child.start] + text[inside.children[1].start :]
    return text[: inside.start] + text[child.end :]


def gap(text: str, inside: Group, unit: str) -> str:
    """Return the white space before a new child."""
    if len(inside.children) > 1:
        return text[inside.children[-2].end : inside.children[-1].start].rpartition(",")[2]
    if inside.children:
        return text[inside.start : inside.children[0].start] or " "
    space = text[inside.start : inside.end]
    return f"{newline(space)}{indentation(space)}{unit}" if "\n" in space else ""


def indentation(space: str) -> str:
    """Return the last line of white space."""
    return space.rpartition("\n")[2]


def newline(space: str) -> str:
    """Return the kind of line end that white space uses."""
    return "\r\n" if "\r\n" in space else "\n"
