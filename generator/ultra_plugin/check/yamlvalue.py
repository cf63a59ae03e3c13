"""A YAML document as plain values, with the line of every key and element."""

from __future__ import annotations

from types import MappingProxyType

import yaml

from ultra_plugin.check.jsontext import Json, Path
from ultra_plugin.check.yamltext import TAG, Unreadable, parse_as_it_stands

DEEPEST = 20
_WHOLE = 18
"""The most digits of a number; a case cannot hold a longer one."""


def read_yaml(text: str, first_line: int = 1) -> Json:
    """Parse a text; a fault is part of the result."""
    try:
        root = parse_as_it_stands(text)
    except Unreadable as fault:
        return Json(fault=fault.text, sure=fault.sure, line=first_line + fault.line)
    reader = _Reader(first_line)
    value = reader.value(root, ()) if root is not None else None
    return Json(value, lines=MappingProxyType(reader.lines), line=first_line, repeated=tuple(reader.repeated))


class _Reader:
    """Turn nodes into values."""

    def __init__(self, first_line: int) -> None:
        self.first_line = first_line
        self.lines: dict[Path, int] = {}
        self.repeated: list[tuple[str, int]] = []

    def value(self, node: yaml.Node, path: Path) -> object:
        self.lines.setdefault(path, self.first_line + node.start_mark.line)
        if len(path) > DEEPEST:
            return None
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return _scalar(node.tag.removeprefix(TAG), str(node.value))

    def mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, object]:
        values: dict[str, object] = {}
        for key, inner in node.value:
            name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
            line = self.first_line + key.start_mark.line
            if name in values:
                self.repeated.append((name, line))
            inside = (*path, name)
            self.lines[inside] = line
            values[name] = self.value(inner, inside)
        return values


def _scalar(tag: str, text: str) -> object:
    if tag == "null":
        return None
    if tag == "bool":
        return text.lower() == "true"
    if tag == "int":
        return int(text) if len(text) < _WHOLE and text.lstrip("-+").isdecimal() else 0.5
    return text
