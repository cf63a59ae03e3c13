"""Describe shapes of JSON values, and find where a value differs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Concatenate, ParamSpec

from ultra_plugin.check.jsontext import Path

Fault = tuple[Path, str]
Shape = Callable[[object], Iterator[Fault]]
P = ParamSpec("P")
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


def _made(check: Callable[Concatenate[object, P], Iterator[Fault]]) -> Callable[P, Shape]:
    """Turn a check of a value into a function that takes the rest and returns a shape."""

    def make(*args: P.args, **kwargs: P.kwargs) -> Shape:
        return lambda value: check(value, *args, **kwargs)

    return make


def anything(value: object) -> Iterator[Fault]:
    """Accept every value."""
    yield from ()


@_made
def text(value: object, least: int = 0) -> Iterator[Fault]:
    """Accept text of at least some length."""
    if not isinstance(value, str):
        yield (), f"must be text, not {kind(value)}"
    elif len(value) < least:
        yield (), "must not be empty"


@_made
def word(value: object, pattern: str, what: str) -> Iterator[Fault]:
    """Accept text that matches a pattern as a whole."""
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        yield (), f"must be {what}"


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


@_made
def whole(value: object, least: int, most: int | None = None) -> Iterator[Fault]:
    """Accept a whole number within bounds."""
    bounds = f"{least} to {most}" if most is not None else f"{least} or more"
    if isinstance(value, bool) or not isinstance(value, int):
        yield (), f"must be a whole number, not {kind(value)}"
    elif value < least or (most is not None and value > most):
        yield (), f"must be {bounds}"


@_made
def one_of(value: object, *words: str) -> Iterator[Fault]:
    """Accept one of a few words."""
    if not isinstance(value, str) or value not in words:
        yield (), f"must be one of {', '.join(sorted(words))}"


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


@_made
def path(value: object, *suffixes: str) -> Iterator[Fault]:
    """Accept a path inside the plugin that starts with ./ and has one of the suffixes."""
    if not isinstance(value, str):
        yield (), f"must be a path, not {kind(value)}"
    elif not value.startswith("./"):
        yield (), "must be a path that starts with './'"
    elif suffixes and not value.endswith(suffixes):
        yield (), f"must be a path that ends with {' or '.join(suffixes)}"


@_made
def list_of(value: object, item: Shape, most: int | None = None) -> Iterator[Fault]:
    """Accept a list whose items all have one shape."""
    if not isinstance(value, list):
        yield (), f"must be a list, not {kind(value)}"
        return
    if most is not None and len(value) > most:
        yield (), f"must have at most {most} item"
    for index, element in enumerate(value):
        yield from _inside(index, item(element))


@_made
def record(value: object, item: Shape, key: Shape = anything) -> Iterator[Fault]:
    """Accept an object with keys of one shape and values of one shape."""
    if not isinstance(value, dict):
        yield (), f"must be an object, not {kind(value)}"
        return
    for name, element in value.items():
        yield from _inside(name, key(name))
        yield from _inside(name, item(element))


@_made
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


@_made
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


@_made
def objects_only(value: object, inner: Shape) -> Iterator[Fault]:
    """Check an object; accept anything else, which the client ignores with a warning."""
    if isinstance(value, dict):
        yield from inner(value)


def _inside(key: str | int, faults: Iterator[Fault]) -> Iterator[Fault]:
    for where, what in faults:
        yield (key, *where), what
