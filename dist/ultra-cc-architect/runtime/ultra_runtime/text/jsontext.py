"""Read and write JSON without the `json` package, whose import doubles the start-up time.

The C scanner behind `json` does the work; where it is not available, the package itself does.
"""

from __future__ import annotations

from ultra_runtime.errors import UltraError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DEEPEST = 100
LONGEST_NUMBER = 300
SPACE = " \t\r\n"
TEXT, NAME = "strict", "surrogateescape"
"""How a string is encoded: half a surrogate pair is no text, but Python spells bytes of a file's name so."""


class JsonError(UltraError):
    """Text that is not the JSON we read, with the line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class JsonObject:
    """A JSON object, the line of each of its keys, and its text."""

    __slots__ = ("lines", "text", "values")

    def __init__(self, values: dict[str, Any], lines: dict[str, int], text: str = "") -> None:
        self.values = values
        self.lines = lines
        self.text = text


class _OddValueError(UltraError):
    """Something inside a value that `json` accepts and we do not."""


class _Settings:
    """What the C scanner expects of a decoder; `array_hook` is new in Python 3.15."""

    strict = True
    object_hook = None
    array_hook = None

    @staticmethod
    def object_pairs_hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in pairs:
            if name in values:
                raise _OddValueError(f'the key "{name[:80]}" appears twice')
            values[name] = value
        return values

    @staticmethod
    def parse_int(digits: str) -> int:
        if len(digits) > LONGEST_NUMBER:
            raise _OddValueError(f"a number has more than {LONGEST_NUMBER} digits")
        return int(digits)

    @staticmethod
    def parse_float(digits: str) -> float:
        number = float(digits)
        if number in (float("inf"), float("-inf")):
            raise _OddValueError("a number is too large")
        return number

    @staticmethod
    def parse_constant(name: str) -> float:
        raise _OddValueError(f"{name} is not JSON")


def read_object(data: bytes, names: bool = False) -> JsonObject:
    """Return the JSON object in these bytes; with `names` it may have names of files, whose bytes need not be text."""
    text = _decode(data)
    try:
        document = _members(text)
    except ValueError as problem:  # json.JSONDecodeError, without an import to name it
        message = getattr(problem, "msg", "it cannot be read").lower()
        for end in (" at", " starting"):
            message = message[: -len(end)] if message.endswith(end) else message
        raise JsonError(message, _line(text, getattr(problem, "pos", 0))) from None
    has_escapes = "\\u" in text  # only an escape can spell half a surrogate pair
    for name, value in document.values.items():
        _refuse_odd(name, value, document.lines[name], has_escapes, NAME if names else TEXT)
    return document


def _decode(data: bytes) -> str:
    try:
        # Decoding as utf-8-sig does the same, but imports a module.
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as problem:
        raise JsonError("it is not UTF-8", 1 + data.count(b"\n", 0, problem.start)) from None


def _members(text: str) -> JsonObject:
    try:
        return _read_members(text)
    except SystemError:
        # Up to Python 3.12 the scanner looks for its own error class in json.decoder and does not import it.
        import json.decoder  # noqa: F401

        return _read_members(text)


def _read_members(text: str) -> JsonObject:
    """Read the outermost object key by key, to know the line of each key."""
    scan_string, scan_value = scanners()
    document = JsonObject({}, {}, text)
    line, counted = 1, 0
    at = _skip(text, 0)
    at = _skip(text, _expect(text, at, "{", "it must be one object, which starts with {"))
    if text[at : at + 1] == "}":
        _expect_end(text, at + 1)
        return document
    while True:
        start = _expect(text, at, '"', "a key in double quotes is expected")
        line, counted = line + text.count("\n", counted, at), at
        name, at = scan_string(text, start, True)
        if name in document.values:
            raise JsonError(f'the key "{name[:80]}" appears twice', line)
        at = _skip(text, _expect(text, _skip(text, at), ":", "a colon is expected after the key"))
        try:
            value, at = scan_value(text, at)
        except StopIteration as problem:
            raise JsonError("a value is expected", _line(text, problem.value)) from None
        except _OddValueError as problem:
            raise JsonError(str(problem), line) from None
        except RecursionError:
            raise JsonError(f"it is nested deeper than {DEEPEST} levels", line) from None
        document.values[name] = value
        document.lines[name] = line
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            _expect_end(text, at + 1)
            return document
        at = _skip(text, _expect(text, at, ",", "a comma or } is expected"))


def scanners() -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the functions that read a string and a value at a place of a text."""
    try:
        from _json import make_scanner, scanstring

        settings: Any = _Settings
        return scanstring, make_scanner(settings)
    except (ImportError, AttributeError, TypeError):
        from json import decoder

        package: Any = decoder
        settings = package.JSONDecoder(
            object_pairs_hook=_Settings.object_pairs_hook,
            parse_int=_Settings.parse_int,
            parse_float=_Settings.parse_float,
            parse_constant=_Settings.parse_constant,
        )
        return package.scanstring, settings.scan_once


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in SPACE:
        at += 1
    return at


def _expect(text: str, at: int, mark: str, otherwise: str) -> int:
    if text[at : at + 1] != mark:
        raise JsonError(otherwise, _line(text, at))
    return at + 1


def _expect_end(text: str, at: int) -> None:
    at = _skip(text, at)
    if at < len(text):
        raise JsonError("there is more text after the end of the object", _line(text, at))


def _line(text: str, at: int) -> int:
    return 1 + text.count("\n", 0, at)


def _refuse_odd(name: str, value: object, line: int, has_escapes: bool, errors: str) -> None:
    """Refuse what cannot be written back: nesting that is too deep, and halves of surrogate pairs."""
    level: list[object] = [name, value]
    for _ in range(DEEPEST):
        if has_escapes and not all(_is_unicode(item, errors) for item in level):
            raise JsonError("half a surrogate pair is not a character", line)
        level = [part for item in level if type(item) in (dict, list) for part in _parts(item)]
        if not level:
            return
    raise JsonError(f"it is nested deeper than {DEEPEST} levels", line)


def _parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _is_unicode(value: object, errors: str = TEXT) -> bool:
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode("utf-8", errors)
        except UnicodeEncodeError:
            return False
    return True


def write(value: object) -> str:
    """Return the value as one line of JSON, letters of all alphabets unescaped."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_string(str(key))}:{write(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(write, value)) + "]"
    if isinstance(value, str):
        return _string(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _string(text: str) -> str:
    try:
        from _json import encode_basestring, encode_basestring_ascii
    except ImportError:
        from json.encoder import encode_basestring, encode_basestring_ascii

    return encode_basestring(text) if _is_unicode(text) else encode_basestring_ascii(text)
