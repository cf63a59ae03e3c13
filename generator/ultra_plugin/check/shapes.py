"""Describe shapes of JSON values, and find where a value differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Concatenate, ParamSpec

from ultra_plugin.check.jsontext import Path

Fault = tuple[Path, str]
Shape = Callable[[object], Iterator[Fault]]
P = ParamSpec("P")
Schema = Mapping[str, Any]
_SCHEMAS: dict[Shape, Schema] = {}
UNKNOWN_KEY = "is not a key here"

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_SPECIAL = re.compile(r"(?:https?|wss?|ftp):[/\\]*([^/\\?#]*)", re.IGNORECASE)
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20<>^|]|%(?![0-9a-fA-F]{2})|:\d{6,}\Z|:[7-9]\d{4}\Z")


def kind(value: object) -> str:
    """Name the JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object"


def schema_of(shape: Shape) -> Schema:
    """Return the JSON Schema of a shape; an empty one accepts everything."""
    return _SCHEMAS.get(shape, {})


def described(schema: Schema) -> Callable[[Shape], Shape]:
    """Give a shape its JSON Schema."""

    def keep(shape: Shape) -> Shape:
        _SCHEMAS[shape] = schema
        return shape

    return keep


def _made(
    schema: Callable[P, Schema],
) -> Callable[[Callable[Concatenate[object, P], Iterator[Fault]]], Callable[P, Shape]]:
    """Turn a check of a value into a function that takes the rest and returns a shape with its schema."""

    def maker(check: Callable[Concatenate[object, P], Iterator[Fault]]) -> Callable[P, Shape]:
        def make(*args: P.args, **kwargs: P.kwargs) -> Shape:
            return described(schema(*args, **kwargs))(lambda value: check(value, *args, **kwargs))

        return make

    return maker


def anything(value: object) -> Iterator[Fault]:
    """Accept every value."""
    yield from ()


def _text_schema(least: int = 0) -> Schema:
    return {"type": "string", "minLength": least} if least else {"type": "string"}


@_made(_text_schema)
def text(value: object, least: int = 0) -> Iterator[Fault]:
    """Accept text of at least some length."""
    if not isinstance(value, str):
        yield (), f"must be text, not {kind(value)}"
    elif len(value) < least:
        yield (), "must not be empty"


def _word_schema(pattern: str, what: str) -> Schema:
    return {"type": "string", "pattern": f"^(?:{pattern})$", "description": f"Must be {what}."}


@_made(_word_schema)
def word(value: object, pattern: str, what: str) -> Iterator[Fault]:
    """Accept text that matches a pattern as a whole."""
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        yield (), f"must be {what}"


@described({"type": "boolean"})
def boolean(value: object) -> Iterator[Fault]:
    """Accept true and false."""
    if not isinstance(value, bool):
        yield (), f"must be true or false, not {kind(value)}"


@described({"type": "number"})
def number(value: object) -> Iterator[Fault]:
    """Accept any number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield (), f"must be a number, not {kind(value)}"


@described({"type": "number", "exclusiveMinimum": 0})
def positive(value: object) -> Iterator[Fault]:
    """Accept a number above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield (), f"must be a number, not {kind(value)}"
    elif not value > 0:
        yield (), "must be greater than zero"


def _whole_schema(least: int, most: int | None = None) -> Schema:
    return {"type": "integer", "minimum": least} | ({"maximum": most} if most is not None else {})


@_made(_whole_schema)
def whole(value: object, least: int, most: int | None = None) -> Iterator[Fault]:
    """Accept a whole number within bounds."""
    bounds = f"{least} to {most}" if most is not None else f"{least} or more"
    if isinstance(value, bool) or not isinstance(value, int):
        yield (), f"must be a whole number, not {kind(value)}"
    elif value < least or (most is not None and value > most):
        yield (), f"must be {bounds}"


def _one_of_schema(*words: str) -> Schema:
    return {"enum": sorted(words)}


@_made(_one_of_schema)
def one_of(value: object, *words: str) -> Iterator[Fault]:
    """Accept one of a few words."""
    if not isinstance(value, str) or value not in words:
        yield (), f"must be one of {', '.join(sorted(words))}"


@described({"type": "string", "pattern": "^[a-zA-Z][a-zA-Z0-9+.-]*:"})
def url(value: object) -> Iterator[Fault]:
    """Accept an absolute URL, even one that a browser may refuse."""
    if not isinstance(value, str):
        yield (), f"must be a URL, not {kind(value)}"
        return
    trimmed = value.strip("".join(map(chr, range(33))))
    special = _SPECIAL.match(trimmed)
    if not _SCHEME.match(trimmed) or (
        special and (not special.group(1) or _FORBIDDEN_IN_HOST.search(special.group(1)))
    ):
        yield (), "is not an absolute URL"


def _path_schema(*suffixes: str) -> Schema:
    ends = "|".join(map(re.escape, suffixes))
    return {"type": "string", "pattern": rf"^\./.*(?:{ends})$" if ends else r"^\./"}


@_made(_path_schema)
def path(value: object, *suffixes: str) -> Iterator[Fault]:
    """Accept a path inside the plugin that starts with ./ and has one of the suffixes."""
    if not isinstance(value, str):
        yield (), f"must be a path, not {kind(value)}"
    elif not value.startswith("./"):
        yield (), "must be a path that starts with './'"
    elif suffixes and not value.endswith(suffixes):
        yield (), f"must be a path that ends with {' or '.join(suffixes)}"


def _list_of_schema(item: Shape, most: int | None = None) -> Schema:
    return {"type": "array", "items": schema_of(item)} | ({"maxItems": most} if most is not None else {})


@_made(_list_of_schema)
def list_of(value: object, item: Shape, most: int | None = None) -> Iterator[Fault]:
    """Accept a list whose items all have one shape."""
    if not isinstance(value, list):
        yield (), f"must be a list, not {kind(value)}"
        return
    if most is not None and len(value) > most:
        yield (), f"must have at most {most} item"
    for index, element in enumerate(value):
        yield from _inside(index, item(element))


def _record_schema(item: Shape, key: Shape = anything, least: int = 0) -> Schema:
    names = schema_of(key)
    return (
        {"type": "object", "additionalProperties": schema_of(item)}
        | ({"propertyNames": names} if names else {})
        | ({"minProperties": least} if least else {})
    )


@_made(_record_schema)
def record(value: object, item: Shape, key: Shape = anything, least: int = 0) -> Iterator[Fault]:
    """Accept an object with keys of one shape and values of one shape."""
    if not isinstance(value, dict):
        yield (), f"must be an object, not {kind(value)}"
        return
    if len(value) < least:
        yield (), "must not be empty"
    for name, element in value.items():
        yield from _inside(name, key(name))
        yield from _inside(name, item(element))


def _table_schema(
    fields: Mapping[str, Shape], required: tuple[str, ...] = (), strict: bool = False
) -> Schema:
    properties = {name: schema_of(shape) for name, shape in fields.items()}
    return {
        "type": "object",
        "properties": properties,
        **({"required": list(required)} if required else {}),
        **({"additionalProperties": False} if strict else {}),
    }


@_made(_table_schema)
def table(
    value: object, fields: Mapping[str, Shape], required: tuple[str, ...] = (), strict: bool = False
) -> Iterator[Fault]:
    """Accept an object with known fields; a strict one refuses all others."""
    if not isinstance(value, dict):
        yield (), f"must be an object, not {kind(value)}"
        return
    for name in required:
        if name not in value:
            yield (), f"lacks '{name}'"
    for name, element in value.items():
        if name in fields:
            yield from _inside(name, fields[name](element))
        elif strict:
            yield (name,), UNKNOWN_KEY


def _either_schema(what: str, *shapes: Shape) -> Schema:
    return {"anyOf": [schema_of(shape) for shape in shapes]}


@_made(_either_schema)
def either(value: object, what: str, *shapes: Shape) -> Iterator[Fault]:
    """Accept a value of any of the shapes; report the deepest fault."""
    deepest: Fault = ((), f"must be {what}")
    for option in shapes:
        fault = next(option(value), None)
        if fault is None:
            return
        if len(fault[0]) > len(deepest[0]):
            deepest = fault
    yield deepest


def _objects_only_schema(inner: Shape) -> Schema:
    return schema_of(inner)


@_made(_objects_only_schema)
def objects_only(value: object, inner: Shape) -> Iterator[Fault]:
    """Check an object; accept anything else, which the client ignores with a warning."""
    if isinstance(value, dict):
        yield from inner(value)


def _inside(key: str | int, faults: Iterator[Fault]) -> Iterator[Fault]:
    for where, what in faults:
        yield (key, *where), what
