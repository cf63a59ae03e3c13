"""YAML values that know the file and line of each part."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from ultra_plugin.document import compose
from ultra_plugin.errors import problem

Place = tuple[str, int]
"""A file as the user would type it, and a line."""

TEXT = "tag:yaml.org,2002:str"
_LIMIT = "limit"
"""The tag of a limit outside quotes; its type is known only when it is filled in."""
_ASKED = re.compile(rb"\{\{( *limit[^{}]*)\}\}")
_OPEN, _CLOSE = "\ue000", "\ue001"
"""Replaces the braces of a limit while YAML is parsed, which would read them as mappings."""
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NOT_TEXT = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar, a list or a mapping of YAML."""

    content: str | tuple[Value, ...] | Mapping[str, Value]
    place: Place
    tag: str = TEXT

    @property
    def pairs(self) -> Mapping[str, Value]:
        """Return the content of a mapping; nothing for another value."""
        return self.content if isinstance(self.content, Mapping) else {}

    @property
    def items(self) -> tuple[Value, ...]:
        """Return the content of a list; nothing for another value."""
        return self.content if isinstance(self.content, tuple) else ()

    @property
    def text(self) -> str:
        """Return the content of a scalar; "" for another value."""
        return self.content if isinstance(self.content, str) else ""


def read_value(shown: str, content: bytes) -> Value:
    """Return the value of a YAML file; a limit such as {{ limit.attempts }} stays as it is written."""
    content = _ASKED.sub(rf"{_OPEN}\1{_CLOSE}".encode(), content)
    node = compose(shown, content)
    if node is None:
        raise problem(shown, 0, "wrong-type", "the file is empty", "fill it in or remove it")
    return _value(shown, node, node.start_mark.line + 1)


def _value(shown: str, node: yaml.Node, line: int) -> Value:
    if isinstance(node, yaml.SequenceNode):
        parts = tuple(_value(shown, child, child.start_mark.line + 1) for child in node.value)
        return Value(parts, (shown, line))
    if not isinstance(node, yaml.MappingNode):
        text, is_plain = str(node.value), getattr(node, "style", None) in (None, "")
        is_limit = is_plain and text.startswith(_OPEN) and text.endswith(_CLOSE)
        text = text.replace(_OPEN, "{{").replace(_CLOSE, "}}")
        return Value(text, (shown, line), _LIMIT if is_limit else node.tag)
    pairs: dict[str, Value] = {}
    for key, value in node.value:
        at = key.start_mark.line + 1
        if str(key.value) in pairs:
            message = f"'{key.value}' is listed twice, first in line {pairs[key.value].place[1]}"
            raise problem(shown, at, "duplicate-key", message, "remove one of them")
        pairs[str(key.value)] = _value(shown, value, at)
    return Value(pairs, (shown, line))


def as_value(data: object, place: Place) -> Value:
    """Return plain text, lists and mappings as a value that comes from one place."""
    if isinstance(data, Value):
        return data
    if isinstance(data, Mapping):
        return Value({key: as_value(part, place) for key, part in data.items()}, place)
    if isinstance(data, (list, tuple)):
        return Value(tuple(as_value(part, place) for part in data), place)
    return Value(str(data), place)


def written(value: Value) -> tuple[bytes, tuple[Place, ...]]:
    """Return a value as YAML with one scalar per line, and the place behind each line."""
    lines = list(_lines(value, ""))
    return "".join(f"{text}\n" for text, _ in lines).encode(), tuple(place for _, place in lines)


def _lines(value: Value, indent: str) -> Iterator[tuple[str, Place]]:
    if not value.pairs and not value.items:
        yield indent + _scalar(value), value.place
    for key, part in value.pairs.items():
        yield from _under(f"{indent}{_key(key)}:", part, indent)
    for part in value.items:
        yield from _under(f"{indent}-", part, indent)


def _under(start: str, part: Value, indent: str) -> Iterator[tuple[str, Place]]:
    if part.pairs or part.items:
        yield start, part.place
        yield from _lines(part, f"{indent}  ")
    else:
        yield f"{start} {_scalar(part)}", part.place


def _scalar(value: Value) -> str:
    if isinstance(value.content, str):
        return json.dumps(value.content, ensure_ascii=False) if value.tag == TEXT else value.content
    return "[]" if isinstance(value.content, tuple) else "{}"


def _key(key: str) -> str:
    plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in _NOT_TEXT
    return key if plain else json.dumps(key, ensure_ascii=False)
