"""Read a mapping of the YAML subset line by line: scalars, lists of scalars and, if requested, lists of records."""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.text.yaml_value import (
    MalformedError,
    Scalar,
    check_start,
    expect_end,
    is_comment,
    plain_scalar,
    read_flow_item,
    read_flow_list,
    read_flow_record,
    read_plain,
    read_quoted,
    skip_spaces,
    typed,
)
from ultra_runtime.typed import Union

TYPE_CHECKING = False
if TYPE_CHECKING:
    Record = dict[str, Scalar]
    Item = Union[Scalar, Record]

NESTED = "nested"
DUPLICATE = "duplicate"
LONGEST_KEY = 1024


class MappingError(UltraError):
    """Why lines are not a mapping of the subset; `row` counts from 0, `kind` names the two special reasons."""

    def __init__(self, message: str, row: int, kind: str = "") -> None:
        super().__init__(message)
        self.row = row
        self.kind = kind


def clean(line: str, row: int) -> str:
    """Remove the carriage return at the end of a line and refuse control characters."""
    line = line[:-1] if line.endswith("\r") else line
    if not line.isprintable():
        for letter in line:
            if not _is_allowed(ord(letter)):
                raise MappingError(f"the control character U+{ord(letter):04X} is not allowed here", row)
    return line


def _is_allowed(code: int) -> bool:
    if code < 0xA0:
        return code == 9 or 0x20 <= code < 0x7F
    return code not in (0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)


class MappingReader:
    """Reads cleaned lines, one entry or list item after the other; `row_of` has the row of each key."""

    def __init__(self, lines: list[str], row: int = 0, records: bool = False) -> None:
        self.lines = lines
        self.row = row
        self.records = records
        self.values: dict[str, Scalar | list[Item]] = {}
        self.row_of: dict[str, int] = {}
        self.item_rows: dict[str, list[int]] = {}
        self.indent: int | None = None
        self.open_key: str | None = None
        self.item_indent: int | None = None
        self.record: Record | None = None
        self.record_indent = 0

    def read(self) -> None:
        while self.row < len(self.lines):
            line = self.lines[self.row]
            at = skip_spaces(line, 0)
            try:
                if at < len(line) and not is_comment(line, at):
                    self._read_line(line, at)
            except MalformedError as problem:
                kind = NESTED if problem.nested else ""
                raise MappingError(str(problem), self.row + problem.row, kind) from None
            self.row += 1

    def _read_line(self, line: str, at: int) -> None:
        if line[at] == "-" and line[at + 1 : at + 2] in ("", " "):
            self._read_item(line, at)
        elif self.record is not None and at == self.record_indent:
            self._read_pair(self.record, line, at)
        else:
            self.record = None
            self._check_indent(line, at)
            self._read_entry(line, at)

    def _read_item(self, line: str, at: int) -> None:
        if self.indent is None:
            raise MalformedError("this is a list where a mapping is expected: write key: value")
        if self.open_key is None or at < self.indent:
            raise MalformedError("a list item needs a key that ends in a colon above it")
        if self.item_indent not in (None, at):
            raise MalformedError("list items must start in the same column")
        self.item_indent = at
        known = self.values[self.open_key]
        items = known if isinstance(known, list) else []
        self.values[self.open_key] = items
        self.item_rows.setdefault(self.open_key, []).append(self.row)
        self.record = None
        at = skip_spaces(line, at + 1)
        items.append(self._record(line, at) if self._starts_record(line, at) else self._item_value(line, at))

    def _starts_record(self, line: str, at: int) -> bool:
        if not self.records or at == len(line):
            return False
        return line[at] == "{" or (line[at] not in "'\"[-#" and _find_colon(line, at) is not None)

    def _record(self, line: str, at: int) -> Record:
        if line[at] == "{":
            record, end = read_flow_record(line, at)
            expect_end(line, end)
            return record
        self.record, self.record_indent = {}, at
        self._read_pair(self.record, line, at)
        return self.record

    def _read_pair(self, record: Record, line: str, at: int) -> None:
        key, colon = self._read_key(line, at)
        if key in record:
            raise MappingError(f'the key "{key[:80]}" appears twice in one item', self.row, DUPLICATE)
        start = skip_spaces(line, colon + 1)
        if start == len(line) or is_comment(line, start):
            record[key] = Scalar("", True)
        elif line[start] in "[{":
            raise MalformedError("the values of an item are scalars", nested=True)
        else:
            record[key] = self._scalar(line, start)

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
        if _find_colon(line, at) is not None:
            raise MalformedError("a list holds scalars only, and this is a mapping", nested=True)
        return read_plain(line, at)

    def _check_indent(self, line: str, at: int) -> None:
        if self.indent is None:
            self.indent = at
        elif at > self.indent and self.open_key is not None and _find_colon(line, at) is not None:
            raise MalformedError("a mapping cannot contain another mapping", nested=True)
        elif at > self.indent:
            raise MalformedError("a value must be on the line of its key: put both on one line")
        elif at < self.indent:
            raise MalformedError("keys must start in the same column")

    def _read_entry(self, line: str, at: int) -> None:
        key, colon = self._read_key(line, at)
        if key in self.values:
            raise MappingError(f'the key "{key[:80]}" appears twice', self.row, DUPLICATE)
        start = skip_spaces(line, colon + 1)
        self.row_of[key] = self.row
        self.open_key = self.item_indent = None
        if start == len(line) or is_comment(line, start):
            self.values[key] = Scalar("", True)
            self.open_key = key
        else:
            self.values[key] = self._entry_value(line, start)

    def _read_key(self, line: str, at: int) -> tuple[str, int]:
        if at == 0 and line[:3] in ("---", "...") and line[3:4] in ("", " "):
            raise MalformedError(f"{line[:3]} starts or ends a document: this is one document")
        if line[at] in "'\"":
            scalar, end = read_quoted(line, at)
            colon = skip_spaces(line, end)
            if line[colon : colon + 1] != ":" or line[colon + 1 : colon + 2] not in ("", " "):
                raise MalformedError("a colon and a space are expected after the key")
        else:
            check_start(line, at)
            found = _find_colon(line, at)
            if found is None:
                raise MalformedError("this line is not an entry: write key: value")
            colon = found
            scalar = plain_scalar(line[at:colon])
            if scalar.text == "<<" or not isinstance(typed(scalar), str):
                raise MalformedError(f"the key {scalar.text[:80]} is not text: put it in quotes")
        if colon - at > LONGEST_KEY:
            raise MalformedError(f"the key is longer than {LONGEST_KEY} characters")
        return scalar.text, colon

    def _entry_value(self, line: str, at: int) -> Scalar | list[Item]:
        if line[at] == "{":
            raise MalformedError("a mapping cannot contain another mapping", nested=True)
        if line[at] == "[":
            items, last, end = read_flow_list(self.lines, self.row, at, self._flow_item)
            self.row = last
            expect_end(self.lines[last], end)
            return items
        return self._scalar(line, at)

    def _flow_item(self, line: str, at: int) -> tuple[Item, int]:
        return read_flow_record(line, at) if self.records and line[at] == "{" else read_flow_item(line, at)

    def _scalar(self, line: str, at: int) -> Scalar:
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
