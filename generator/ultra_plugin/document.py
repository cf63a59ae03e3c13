"""Read a YAML file into a frozen dataclass, and report all its faults at once.

The dataclass is the schema: its fields are the known keys, their annotations the types, their
defaults the optional keys. A field called `line` receives the line of its mapping. A field called
`more` receives the keys that the class lists in `MORE`, as plain values.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

import yaml

from ultra_plugin.errors import Problem, ProblemsFound, problem
from ultra_plugin.similar import closest

T = TypeVar("T")

# The C parser composes the same nodes some ten times faster, where PyYAML was built with it.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SCALARS: Mapping[type, tuple[str, str]] = {
    str: ("tag:yaml.org,2002:str", "text"),
    int: ("tag:yaml.org,2002:int", "a whole number"),
    bool: ("tag:yaml.org,2002:bool", "true or false"),
    float: ("tag:yaml.org,2002:float", "a number"),
}
_YAML_REMEDIES = (
    ("',' or", "close the bracket or brace, or quote its text"),
    ("end of stream", "close the quote"),
    ("'\\t'", "indent with spaces"),
    ("expected key", "quote values that contain ': ', and align keys of the same level"),
    ("block end", "align keys of the same level"),
    ("mapping values", "quote values that contain ': '"),
    ("undefined alias", "quote values that begin with '*'"),
    ("special characters", "remove the character"),
)
_WHOLE = "the file"
_MOST_NAMED = 30
_NULL = "tag:yaml.org,2002:null"


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a remedy that names the closest known word."""
    names = frozenset(known)
    if not names:
        return "none exists yet"
    if close := closest(word, names):
        return f"did you mean '{close}'?"
    return _first_names(names)


@lru_cache(maxsize=8)
def _first_names(names: frozenset[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"known: {', '.join(sorted(names)[:_MOST_NAMED])}{more}"


def line_of(content: bytes, *keys: str) -> int:
    """Return the line of a key in valid YAML; if it is missing, the line of the last key on its path."""
    node, line = yaml.compose(content.decode("utf-8"), Loader=LOADER), 1
    for wanted in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()
        found = next(((key, value) for key, value in pairs if key.value == wanted), None)
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return line


def top_keys(content: bytes) -> list[str]:
    """Return the keys of a valid YAML mapping, in order."""
    node = yaml.compose(content.decode("utf-8"), Loader=LOADER)
    return [key.value for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []


def read_document(path: str, content: bytes, into: type[T]) -> T:
    """Parse YAML bytes into the given dataclass or raise every problem found in them."""
    reader = _Reader(path)
    value = reader.document(compose(path, content), into)
    if reader.problems:
        raise ProblemsFound(reader.problems)
    return typing.cast("T", value)


def compose(path: str, content: bytes) -> yaml.Node | None:
    """Return the nodes of a YAML file, None if it is empty, or raise its problem."""
    try:
        return yaml.compose(content.decode("utf-8"), Loader=LOADER)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8 text: {error.reason}"
        raise problem(path, line, "not-utf8", message, "save it as UTF-8") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        message = error.problem or "is not YAML"
        raise problem(path, line, "yaml", message, _yaml_remedy(message)) from None
    except yaml.YAMLError as error:
        message = str(error).splitlines()[0]
        raise problem(path, 0, "yaml", message, _yaml_remedy(message)) from None


def _yaml_remedy(message: str) -> str:
    for word, remedy in _YAML_REMEDIES:
        if word in message:
            return remedy
    return "quote values that contain punctuation"


@cache
def _hints(into: type) -> dict[str, Any]:
    return typing.get_type_hints(into)


def _quoted(name: str) -> str:
    return name if name == _WHOLE else f"'{name}'"


class _Reader:
    """Walk YAML nodes by type annotations, collecting problems instead of stopping at one."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def fault(self, node: yaml.Node | None, message: str, code: str = "wrong-type", remedy: str = "") -> Any:
        line = node.start_mark.line + 1 if node else 0
        self.problems.append(Problem(self.path, line, code, message, remedy))

    def document(self, root: yaml.Node | None, into: Any) -> Any:
        """Return the whole file as a value."""
        if root is None:
            return self.fault(None, "the file is empty", remedy="fill it in or remove it")
        return self.value(root, into, _WHOLE)

    def value(self, node: yaml.Node, into: Any, name: str) -> Any:
        """Return the node as a value of the annotated type, or note the fault and return None."""
        if into is Any:
            return self._plain(node, name)
        origin = typing.get_origin(into)
        if origin in (types.UnionType, typing.Union):
            return self._optional(node, into, name)
        if origin is typing.Literal:
            return self._literal(node, typing.get_args(into), name)
        if origin is tuple:
            return self._list(node, typing.get_args(into)[0], name)
        if origin is not None and issubclass(origin, Mapping):
            return self._mapping(node, typing.get_args(into)[1], name)
        if dataclasses.is_dataclass(into):
            return self._record(node, typing.cast("type", into), name)
        return self._scalar(node, into, name)

    def _plain(self, node: yaml.Node, name: str) -> Any:
        """Return a node as JSON would have it."""
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, Any, name)
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(child, f"{name}[{n}]") for n, child in enumerate(node.value)]
        if node.tag == _NULL:
            return None
        into = next((into for into, (tag, _) in _SCALARS.items() if tag == node.tag), None)
        return self._scalar(node, into, name) if into else node.value

    def _optional(self, node: yaml.Node, into: Any, name: str) -> Any:
        """Take the first member of the union that fits; the annotation lists them in that order."""
        members = [member for member in typing.get_args(into) if member is not type(None)]
        if node.tag == _NULL and len(members) < len(typing.get_args(into)):
            return None
        for member in members[:-1]:
            trial = _Reader(self.path)
            value = trial.value(node, member, name)
            if not trial.problems:
                return value
        return self.value(node, members[-1], name)

    def _scalar(self, node: yaml.Node, into: type, name: str) -> Any:
        tag, words = _SCALARS[into]
        if not isinstance(node, yaml.ScalarNode) or node.tag != tag:
            remedy = "put it in quotes" if isinstance(node, yaml.ScalarNode) else "write one value, in quotes"
            remedy = remedy if into is str else f"write {words}, without quotes"
            return self.fault(node, f"{_quoted(name)} must be {words}", remedy=remedy)
        if into is bool:
            return node.value.lower() in ("true", "yes", "on")
        try:
            return into(node.value)
        except ValueError:  # YAML also has 0x1F, 1_000 and .inf
            return self.fault(node, f"{_quoted(name)} must be {words}", remedy="write a decimal number")

    def _literal(self, node: yaml.Node, allowed: tuple[str, ...], name: str) -> Any:
        if not isinstance(node, yaml.ScalarNode) or node.value not in allowed:
            word = node.value if isinstance(node, yaml.ScalarNode) else ""
            return self.fault(
                node, f"{_quoted(name)} cannot be '{word}'", "bad-value", nearest(word, allowed)
            )
        return node.value

    def _list(self, node: yaml.Node, item: Any, name: str) -> Any:
        if not isinstance(node, yaml.SequenceNode):
            return self.fault(
                node, f"{_quoted(name)} must be a list", remedy="write '- item' lines, or [item, item]"
            )
        return tuple(self.value(child, item, f"{name}[{n}]") for n, child in enumerate(node.value))

    def _pairs(self, node: yaml.Node, name: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        """Return key -> (key node, value node), and note duplicate keys."""
        if not isinstance(node, yaml.MappingNode):
            self.fault(
                node,
                f"{_quoted(name)} must be a mapping of keys to values",
                remedy="write 'key: value' lines",
            )
            return {}
        pairs: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != _SCALARS[str][0]:
                self.fault(key, f"a key of {_quoted(name)} must be text", remedy="put it in quotes")
            elif key.value in pairs:
                first = pairs[key.value][0].start_mark.line + 1
                message = f"'{key.value}' is listed twice in {_quoted(name)}, first in line {first}"
                self.fault(key, message, "duplicate-key", "remove one of them")
            else:
                pairs[key.value] = (key, value)
        return pairs

    def _mapping(self, node: yaml.Node, item: Any, name: str) -> Any:
        return {key: self.value(value, item, key) for key, (_, value) in self._pairs(node, name).items()}

    def _record(self, node: yaml.Node, into: type, name: str) -> Any:
        # A key that is a Python keyword, such as `as`, is a field with a trailing underscore.
        fields = {
            field.name.rstrip("_"): field
            for field in dataclasses.fields(into)
            if field.name not in ("line", "more")
        }
        further: frozenset[str] = getattr(into, "MORE", frozenset())
        more: dict[str, Any] = {}
        hints, before = _hints(into), len(self.problems)
        values: dict[str, Any] = {}
        for key, (key_node, value) in self._pairs(node, name).items():
            if key not in fields and key in further:
                more[key] = self._plain(value, key)
            elif key not in fields:
                known = nearest(key, {*fields, *further})
                self.fault(key_node, f"unknown key '{key}' in {_quoted(name)}", "unknown-key", known)
            else:
                values[key] = self.value(value, hints[fields[key].name], key)
        if isinstance(node, yaml.MappingNode):
            for key, field in fields.items():
                if key not in values and field.default is field.default_factory is dataclasses.MISSING:
                    self.fault(node, f"{_quoted(name)} has no '{key}'", "missing-key", f"add '{key}:'")
        if len(self.problems) > before:
            return None
        values = {fields[key].name: value for key, value in values.items()}
        if further:
            values["more"] = more
        if "line" in hints:
            values["line"] = node.start_mark.line + 1
        return into(**values)
