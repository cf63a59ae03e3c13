"""Describe shapes of JSON values, and find where a value differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from ultra_plugin.check.jsontext import Path

Fault = tuple[Path, str]
Shape = Callable[[object], Iterator[Fault]]
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


def anything(value: object) -> Iterator[Fault]:
    """Accept every value."""
    yield from ()


def text(least: int = 0) -> Shape:
    """Accept text of at least some length."""

    def shape(value: object) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield (), f"must be text, not {kind(value)}"
        elif len(value) < least:
            yield (), "must not be empty"

    return shape


def word(pattern: str, what: str) -> Shape:
    """Accept text that matches a pattern as a whole."""
    compiled = re.compile(pattern)

    def shape(value: object) -> Iterator[Fault]:
        if not isinstance(value, str) or not compiled.fullmatch(value):
            yield (), f"must be {what}"

    return shape


def boolean(value: object) -> Iterator[Fault]:
    """Accept true and false."""
    if not isinstance(value, bool):
        yield (), f"must be true or false, not {kind(value)}"


def number(value: object) -> Iterator[Fault]:
    """Accept any number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield (), f"must be a number, not {kind(value)}"


def positive(value: object) -> Iterator[Fault]:
    """Accept a number above zero."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield (), f"must be a number, not {kind(value)}"
    elif not value > 0:
        yield (), "must be greater than zero"


def whole(least: int, most: int | None = None) -> Shape:
    """Accept a whole number within bounds."""
    bounds = f"{least} to {most}" if most is not None else f"{least} or more"

    def shape(value: object) -> Iterator[Fault]:
        if isinstance(value, bool) or not isinstance(value, int):
            yield (), f"must be a whole number, not {kind(value)}"
        elif value < least or (most is not None and value > most):
            yield (), f"must be {bounds}"

    return shape


def one_of(*words: str) -> Shape:
    """Accept one of a few words."""

    def shape(value: object) -> Iterator[Fault]:
        if not isinstance(value, str) or value not in words:
            yield (), f"must be one of {', '.join(sorted(words))}"

    return shape


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


def path(*suffixes: str) -> Shape:
    """Accept a path inside the plugin that starts with ./ and has one of the suffixes."""

    def shape(value: object) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield (), f"must be a path, not {kind(value)}"
        elif not value.startswith("./"):
            yield (), "must be a path that starts with './'"
        elif suffixes and not value.endswith(suffixes):
            yield (), f"must be a path that ends with {' or '.join(suffixes)}"

    return shape


def list_of(item: Shape, most: int | None = None) -> Shape:
    """Accept a list whose items all have one shape."""

    def shape(value: object) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield (), f"must be a list, not {kind(value)}"
            return
        if most is not None and len(value) > most:
            yield (), f"must have at most {most} item"
        for index, element in enumerate(value):
            yield from _inside(index, item(element))

    return shape


def record(item: Shape, key: Shape = anything) -> Shape:
    """Accept an object with keys of one shape and values of one shape."""

    def shape(value: object) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield (), f"must be an object, not {kind(value)}"
            return
        for name, element in value.items():
            yield from _inside(name, key(name))
            yield from _inside(name, item(element))

    return shape


def table(fields: Mapping[str, Shape], required: tuple[str, ...] = (), strict: bool = False) -> Shape:
    """Accept an object with known fields; a strict one refuses all others."""
    frozen = MappingProxyType(dict(fields))

    def shape(value: object) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield (), f"must be an object, not {kind(value)}"
            return
        for name in required:
            if name not in value:
                yield (), f"lacks '{name}'"
        for name, element in value.items():
            if name in frozen:
                yield from _inside(name, frozen[name](element))
            elif strict:
                yield (name,), UNKNOWN_KEY

    return shape


def either(what: str, *shapes: Shape) -> Shape:
    """Accept a value of any of the shapes; report the deepest fault."""

    def shape(value: object) -> Iterator[Fault]:
        deepest: Fault = ((), f"must be {what}")
        for option in shapes:
            fault = next(option(value), None)
            if fault is None:
                return
            if len(fault[0]) > len(deepest[0]):
                deepest = fault
        yield deepest

    return shape


def objects_only(inner: Shape) -> Shape:
    """Check an object; accept anything else, which the client ignores with a warning."""

    def shape(value: object) -> Iterator[Fault]:
        if isinstance(value, dict):
            yield from inner(value)

    return shape


def _inside(key: str | int, faults: Iterator[Fault]) -> Iterator[Fault]:
    for where, what in faults:
        yield (key, *where), what
