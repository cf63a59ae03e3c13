"""Parse front matter: a flat mapping of scalars and lists of scalars, a subset of YAML.

Whatever the bytes, the answer is a `FrontMatter`: values, or one problem with its code and line.
"""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.yaml_value import (
    MalformedError,
    Scalar,
    check_start,
    expect_end,
    is_comment,
    plain_scalar,
    read_flow_list,
    read_plain,
    read_quoted,
    skip_spaces,
    typed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Union

    Plain = Union[str, int, float, bool, None]
    Value = Union[Plain, list[Plain]]

MISSING = "FM_MISSING"
UNCLOSED = "FM_UNCLOSED"
PARSE = "FM_PARSE"
DUPLICATE_KEY = "FM_DUPLICATE_KEY"
NESTED = "FM_NESTED"
NOT_UTF8 = "FM_NOT_UTF8"

LONGEST_KEY = 1024


class FrontMatterError(UltraError):
    """Why there is no front matter to be had."""

    def __init__(self, code: str, line: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.line = line


class FrontMatter:
    """The values with their lines and the text below, or the problem."""

    __slots__ = ("body", "body_line", "lines", "problem", "values")

    def __init__(self) -> None:
        self.values: dict[str, Value] | None = None
        self.lines: dict[str, int] = {}
        self.body = ""
        self.body_line = 1
        self.problem: FrontMatterError | None = None


def parse(data: bytes, types: Mapping[str, str] | None = None) -> FrontMatter:
    """Read the front matter at the top of a file; `types` names the contract's type of a field."""
    result = FrontMatter()
    try:
        lines = _decode(data).split("\n")
        end = _closing_line(lines)
        result.body = "\n".join(lines[end + 1 :])
        result.body_line = end + 2
        mapping = _Mapping([_clean(line, number) for number, line in enumerate(lines[1:end], 2)])
        mapping.read()
        result.values = mapping.typed_values(types or {})
        result.lines = mapping.line_of
    except FrontMatterError as problem:
        result.problem = problem
    return result


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = 1 + data.count(b"\n", 0, problem.start)
        raise FrontMatterError(NOT_UTF8, line, "the file is not UTF-8: save it as UTF-8") from None


def _closing_line(lines: list[str]) -> int:
    if lines[0].startswith("---\r") and not _is_fence(lines[0]):
        raise FrontMatterError(PARSE, 1, "a carriage return ends a line alone: end lines with a line feed")
    if not _is_fence(lines[0]):
        raise FrontMatterError(MISSING, 1, "there is no front matter: the first line has to be ---")
    for number, line in enumerate(lines[1:], 1):
        if line.startswith("---") and _is_fence(line):
            return number
    raise FrontMatterError(UNCLOSED, 1, "the front matter is not closed: end it with a line ---")


def _is_fence(line: str) -> bool:
    line = line[:-1] if line.endswith("\r") else line
    return line.rstrip(" \t") == "---"


def _clean(line: str, number: int) -> str:
    """Take the carriage return off the end of a line and refuse control characters."""
    line = line[:-1] if line.endswith("\r") else line
    if not line.isprintable():
        for letter in line:
            if not _is_allowed(ord(letter)):
                raise FrontMatterError(
                    PARSE, number, f"the control character U+{ord(letter):04X} is not allowed here"
                )
    return line


def _is_allowed(code: int) -> bool:
    if code < 0xA0:
        return code == 9 or 0x20 <= code < 0x7F
    return code not in (0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)


class _Mapping:
    """Reads the lines between the fences, one entry or list item after the other."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.row = 0
        self.values: dict[str, Scalar | list[Scalar]] = {}
        self.line_of: dict[str, int] = {}
        self.indent: int | None = None
        self.open_key: str | None = None
        self.item_indent: int | None = None

    def read(self) -> None:
        while self.row < len(self.lines):
            line = self.lines[self.row]
            at = skip_spaces(line, 0)
            try:
                if at < len(line) and not is_comment(line, at):
                    self._read_line(line, at)
            except MalformedError as problem:
                code = NESTED if problem.nested else PARSE
                raise FrontMatterError(code, self.row + problem.row + 2, str(problem)) from None
            self.row += 1
        if not self.values:
            raise FrontMatterError(PARSE, 1, "the front matter is empty")

    def typed_values(self, types: Mapping[str, str]) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for name, value in self.values.items():
            kind = types.get(name)
            try:
                if isinstance(value, list):
                    values[name] = [typed(item, kind) for item in value]
                else:
                    values[name] = typed(value, kind)
            except MalformedError as problem:
                raise FrontMatterError(PARSE, self.line_of[name], str(problem)) from None
        return values

    def _read_line(self, line: str, at: int) -> None:
        if line[at] == "-" and line[at + 1 : at + 2] in ("", " "):
            self._read_item(line, at)
        else:
            self._check_indent(line, at)
            self._read_entry(line, at)

    def _read_item(self, line: str, at: int) -> None:
        if self.indent is None:
            raise MalformedError("this is a list, and front matter is a mapping: write key: value")
        if self.open_key is None or at < self.indent:
            raise MalformedError("a list item stands here without a key that ends in a colon above it")
        if self.item_indent not in (None, at):
            raise MalformedError("the list items have to stand in one column")
        self.item_indent = at
        known = self.values[self.open_key]
        items = known if isinstance(known, list) else []
        self.values[self.open_key] = items
        items.append(self._item_value(line, skip_spaces(line, at + 1)))

    def _item_value(self, line: str, at: int) -> Scalar:
        if at == len(line) or is_comment(line, at):
            return Scalar("", True)
        if line[at] in "'\"":
            scalar, end = read_quoted(line, at)
            if line[skip_spaces(line, end) :].startswith(":"):
                raise MalformedError("a list holds scalars only, and this is a mapping", nested=True)
            expect_end(line, end)
            return scalar
        if line[at] in "[{" or (line[at] == "-" and line[at + 1 : at + 2] in ("", " ")):
            raise MalformedError("a list holds scalars only", nested=True)
        check_start(line[at : at + 2])
        if _find_colon(line, at) is not None:
            raise MalformedError("a list holds scalars only, and this is a mapping", nested=True)
        return read_plain(line, at)

    def _check_indent(self, line: str, at: int) -> None:
        if self.indent is None:
            self.indent = at
        elif at > self.indent and self.open_key is not None and _find_colon(line, at) is not None:
            raise MalformedError("a mapping stands inside the mapping: front matter is flat", nested=True)
        elif at > self.indent:
            raise MalformedError("a value has to stand on the line of its key: put it on one line")
        elif at < self.indent:
            raise MalformedError("the keys have to stand in one column")

    def _read_entry(self, line: str, at: int) -> None:
        key, colon = self._read_key(line, at)
        if key in self.values:
            message = f'the key "{key[:80]}" stands twice, first on line {self.line_of[key]}'
            raise FrontMatterError(DUPLICATE_KEY, self.row + 2, message)
        start = skip_spaces(line, colon + 1)
        self.line_of[key] = self.row + 2
        self.open_key = self.item_indent = None
        if start == len(line) or is_comment(line, start):
            self.values[key] = Scalar("", True)
            self.open_key = key
        else:
            self.values[key] = self._entry_value(line, start)

    def _read_key(self, line: str, at: int) -> tuple[str, int]:
        if at == 0 and line[:3] in ("---", "...") and line[3:4] in ("", " "):
            raise MalformedError(f"{line[:3]} starts or ends a document: front matter is one document")
        if line[at] in "'\"":
            scalar, end = read_quoted(line, at)
            colon = skip_spaces(line, end)
            if line[colon : colon + 1] != ":" or line[colon + 1 : colon + 2] not in ("", " "):
                raise MalformedError("a colon and a space are expected after the key")
        else:
            check_start(line[at : at + 2])
            found = _find_colon(line, at)
            if found is None:
                raise MalformedError("this line is no entry: write key: value")
            colon = found
            scalar = plain_scalar(line[at:colon])
            if scalar.text == "<<" or not isinstance(typed(scalar), str):
                raise MalformedError(f"the key {scalar.text[:80]} does not read as text: put it in quotes")
        if colon - at > LONGEST_KEY:
            raise MalformedError(f"the key is longer than {LONGEST_KEY} characters")
        return scalar.text, colon

    def _entry_value(self, line: str, at: int) -> Scalar | list[Scalar]:
        if line[at] == "{":
            raise MalformedError("a mapping stands inside the mapping: front matter is flat", nested=True)
        if line[at] == "[":
            items, last, end = read_flow_list(self.lines, self.row, at)
            self.row = last
            expect_end(self.lines[last], end)
            return items
        if line[at] in "'\"":
            scalar, end = read_quoted(line, at)
            expect_end(line, end)
            return scalar
        return read_plain(line, at)


def _find_colon(line: str, at: int) -> int | None:
    """Return the place of the colon that ends a plain key, if there is one before a comment."""
    comment = line.find(" #", at)
    end = len(line) if comment < 0 else comment
    colon = line.find(": ", at, end + 1)
    if colon < 0:
        text = line[at:end].rstrip(" ")
        colon = at + len(text) - 1 if text.endswith(":") else -1
    return colon if colon >= 0 else None
