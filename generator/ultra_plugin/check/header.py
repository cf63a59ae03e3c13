"""Read the YAML header of a Markdown file as the pinned client does, with the line of each key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Literal

import yaml

from ultra_plugin.check.yamltext import SPACE, TAG, Unreadable, parse

Kind = Literal["null", "boolean", "number", "string", "list", "mapping", "unknown"]
State = Literal["absent", "unclosed", "broken", "unsure", "not-a-mapping", "mapping"]

_OPENING = re.compile(f"---{SPACE}*\n")
_KINDS: Mapping[str, Kind] = MappingProxyType(
    {"null": "null", "bool": "boolean", "int": "number", "str": "string"}
)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a header; `text` is a scalar's, `items` a list's."""

    line: int
    kind: Kind
    text: str = ""
    items: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a Markdown file and the text below it."""

    state: State
    body: str = ""
    body_line: int = 1
    line: int = 1
    """Where the header starts, or its fault."""
    fault: str = ""
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    repeated: tuple[tuple[str, int], ...] = ()
    is_repaired: bool = False
    """True if it parses only after the client's repair."""
    is_cut: bool = False
    """True if the closing '---' is not at the start of a line."""


def read_header(text: str) -> Header:
    """Return the header of any Markdown text."""
    text = text.removeprefix("\ufeff")
    opening = _OPENING.match(text)
    if opening is None:
        return Header("absent", text)
    # The client takes the first "---", even in the middle of a value.
    close = text.find("---", opening.end())
    if close < 0:
        return Header("unclosed", text)
    source = text[opening.end() : close]
    first_line = text.count("\n", 0, opening.end()) + 1
    header = _parsed(source, first_line)
    is_cut = bool(source) and not source.endswith("\n")
    body_line = first_line + source.count("\n")
    return replace(header, body=text[close + 3 :], body_line=body_line, is_cut=is_cut)


@cache  # a bundle is read for itself and for the marketplace that offers it
def _parsed(source: str, first_line: int) -> Header:
    try:
        root, is_repaired = parse(source)
    except Unreadable as fault:
        state: State = "broken" if fault.sure else "unsure"
        return Header(state, line=first_line + fault.line, fault=fault.text)
    if root is None or _kind(root) == "null":
        return Header("mapping", line=first_line)
    if not isinstance(root, yaml.MappingNode):
        state = "unsure" if _kind(root) == "unknown" else "not-a-mapping"
        return Header(state, line=first_line, fault=f"a {_kind(root)}")
    values, repeated = _values(root, first_line)
    return Header("mapping", "", line=first_line, values=values, repeated=repeated, is_repaired=is_repaired)


def _values(
    root: yaml.MappingNode, first_line: int
) -> tuple[Mapping[str, Value], tuple[tuple[str, int], ...]]:
    values: dict[str, Value] = {}
    repeated = []
    for key, value in root.value:
        if isinstance(key, yaml.ScalarNode):
            line = first_line + key.start_mark.line
            if key.value in values:
                repeated.append((key.value, line))
            values[key.value] = _value(value, line, first_line)
    return MappingProxyType(values), tuple(repeated)


def _value(node: yaml.Node, line: int, first_line: int) -> Value:
    if isinstance(node, yaml.SequenceNode):
        items = (Value(first_line + item.start_mark.line, _kind(item), _text(item)) for item in node.value)
        return Value(line, "list", items=tuple(items))
    return Value(line, _kind(node), _text(node))


def _text(node: yaml.Node) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def _kind(node: yaml.Node) -> Kind:
    if isinstance(node, yaml.MappingNode):
        return "mapping"
    if isinstance(node, yaml.SequenceNode):
        return "list"
    return _KINDS.get(node.tag.removeprefix(TAG), "unknown")
