"""Parse front matter: a flat mapping of scalars and lists of scalars, a subset of YAML.

Any bytes give a `FrontMatter`: values, or one problem with its code and line.
"""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.text.yaml_mapping import DUPLICATE, NESTED, MappingError, MappingReader, clean
from ultra_runtime.text.yaml_value import MalformedError, Scalar, typed
from ultra_runtime.typed import Mapping, Union

TYPE_CHECKING = False
if TYPE_CHECKING:
    Plain = Union[str, int, float, bool, None]
    Value = Union[Plain, list[Plain]]

MISSING = "FM_MISSING"
UNCLOSED = "FM_UNCLOSED"
PARSE = "FM_PARSE"
NOT_UTF8 = "FM_NOT_UTF8"
MARK = b"\xef\xbb\xbf"
CODES = {NESTED: "FM_NESTED", DUPLICATE: "FM_DUPLICATE_KEY"}


class FrontMatterError(UltraError):
    """Why the front matter cannot be read."""

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
        mapping = MappingReader([clean(line, row) for row, line in enumerate(lines[:end])], row=1)
        mapping.read()
        result.lines = {name: row + 1 for name, row in mapping.row_of.items()}
        if not mapping.values:
            raise FrontMatterError(PARSE, 1, "the front matter is empty")
        result.values = typed_values(mapping, types or {})
    except FrontMatterError as problem:
        result.problem = problem
    except MappingError as problem:
        result.problem = FrontMatterError(CODES.get(problem.kind, PARSE), problem.row + 1, str(problem))
    return result


def typed_values(mapping: MappingReader, types: Mapping[str, str]) -> dict[str, Value]:
    """Return the values of a mapping, each of the type that the contract gives it."""
    values: dict[str, Value] = {}
    for name, value in mapping.values.items():
        kind = types.get(name)
        try:
            if isinstance(value, Scalar):
                values[name] = typed(value, kind)
            else:
                of_item = "text" if kind == "list" else kind
                values[name] = [typed(item, of_item) for item in value if isinstance(item, Scalar)]
        except MalformedError as problem:
            raise MappingError(str(problem), mapping.row_of[name]) from None
    return values


def without_mark(data: bytes) -> bytes:
    """Return the bytes without a byte order mark."""
    # Decoding as utf-8-sig does the same, but imports a module.
    return data[len(MARK) :] if data.startswith(MARK) else data


def _decode(data: bytes) -> str:
    try:
        return without_mark(data).decode("utf-8")
    except UnicodeDecodeError as problem:
        line = 1 + data.count(b"\n", 0, problem.start)
        raise FrontMatterError(NOT_UTF8, line, "the file is not UTF-8: save it as UTF-8") from None


def _closing_line(lines: list[str]) -> int:
    if lines[0].startswith("---\r") and not _is_fence(lines[0]):
        raise FrontMatterError(PARSE, 1, "a line ends in a carriage return alone: end lines with a line feed")
    if not _is_fence(lines[0]):
        raise FrontMatterError(MISSING, 1, "there is no front matter: the first line must be ---")
    for number, line in enumerate(lines[1:], 1):
        if line.startswith("---") and _is_fence(line):
            return number
    raise FrontMatterError(UNCLOSED, 1, "the front matter is not closed: end it with a line ---")


def _is_fence(line: str) -> bool:
    line = line[:-1] if line.endswith("\r") else line
    return line.rstrip(" \t") == "---"
