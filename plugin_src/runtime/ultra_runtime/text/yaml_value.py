"""Read one value of the YAML subset: a plain or quoted scalar, or a flow list of scalars."""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.struct import Struct
from ultra_runtime.typed import Callable, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    Item = TypeVar("Item")

ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028",
    "P": "\u2029",
}  # fmt: skip
HEX = frozenset("0123456789abcdefABCDEF")
HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}
RESERVED = {
    "&": "an anchor", "*": "an alias", "!": "a tag", "|": "a block scalar", ">": "a block scalar",
    "%": "a directive", "@": "a reserved sign", "`": "a reserved sign", ",": "a comma", "]": "a bracket",
    "}": "a brace", "[": "a list", "{": "a mapping", "#": "a comment", "?": "a key", ":": "a value",
    "-": "a list item", "'": "a quote", '"': "a quote", "\t": "a tab",
}  # fmt: skip
NULLS = ("", "~", "null", "Null", "NULL")
BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
LONGEST_NUMBER = 300
NOT_AN_ESCAPE = "is not an escape of YAML"


class MalformedError(UltraError):
    """A value that the subset does not have; `row` is counted from where the value starts."""

    def __init__(self, message: str, row: int = 0, nested: bool = False) -> None:
        super().__init__(message)
        self.row = row
        self.nested = nested


class Scalar(Struct):
    """The text of a scalar, and whether it was written without quotes."""

    text: str
    plain: bool


def is_comment(line: str, at: int) -> bool:
    """Tell whether a comment starts here: at the start of the line or after a space."""
    return line[at : at + 1] == "#" and (at == 0 or line[at - 1] == " ")


def skip_spaces(line: str, at: int) -> int:
    """Return the place of the next character that is not a space."""
    while line[at : at + 1] == " ":
        at += 1
    return at


def expect_end(line: str, at: int) -> None:
    """Refuse anything but spaces and a comment in the rest of the line."""
    at = skip_spaces(line, at)
    if at < len(line) and not is_comment(line, at):
        raise MalformedError("there is more text after the end of the value")


def check_start(line: str, at: int, flow: bool = False) -> None:
    """Refuse a plain scalar that starts with a sign that has a meaning in YAML."""
    sign = line[at]
    if sign not in RESERVED:
        return
    followed = line[at + 1 : at + 2] not in ("", " ", "\t")
    if not (followed and (sign == "-" or (sign in "?:" and not flow))):
        raise MalformedError(f'"{sign}" starts {RESERVED[sign]} in YAML: put the text in quotes')


def read_plain(line: str, at: int) -> Scalar:
    """Read a plain scalar of block style: the rest of the line without its comment."""
    check_start(line, at)
    end = line.find(" #", at)
    scalar = plain_scalar(line[at:] if end < 0 else line[at:end])
    if ": " in scalar.text or scalar.text.endswith(":"):
        raise MalformedError('the text contains ": ", which starts a value in YAML: put it in quotes')
    return scalar


def plain_scalar(text: str) -> Scalar:
    """Return an unquoted scalar."""
    if "\t" in text:
        raise MalformedError("a tab is outside quotes: use spaces, or put the text in quotes")
    return Scalar(text.rstrip(" "), True)


def read_quoted(line: str, at: int) -> tuple[Scalar, int]:
    """Read a quoted scalar and return it with the place after its closing quote."""
    return _read_double(line, at + 1) if line[at] == '"' else _read_single(line, at + 1)


def _read_single(line: str, at: int) -> tuple[Scalar, int]:
    pieces = []
    while True:
        end = line.find("'", at)
        if end < 0:
            raise MalformedError("the quote is not closed on its line")
        pieces.append(line[at:end])
        if line[end + 1 : end + 2] != "'":
            return Scalar("".join(pieces), False), end + 1
        pieces.append("'")
        at = end + 2


def _read_double(line: str, at: int) -> tuple[Scalar, int]:
    pieces = []
    start = at
    while at < len(line):
        if line[at] == '"':
            pieces.append(line[start:at])
            return Scalar("".join(pieces), False), at + 1
        if line[at] == "\\":
            pieces.append(line[start:at])
            letter, at = _read_escape(line, at + 1)
            pieces.append(letter)
            start = at
        else:
            at += 1
    raise MalformedError("the quote is not closed on its line")


def _read_escape(line: str, at: int) -> tuple[str, int]:
    sign = line[at : at + 1]
    if sign in ESCAPES:
        return ESCAPES[sign], at + 1
    digits = line[at + 1 : at + 1 + HEX_ESCAPES[sign]] if sign in HEX_ESCAPES else ""
    if not digits or len(digits) < HEX_ESCAPES[sign] or not HEX.issuperset(digits):
        raise MalformedError(f'"\\{sign}" {NOT_AN_ESCAPE}: write \\\\ for a backslash')
    number = int(digits, 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise MalformedError(f'"\\{sign}{digits}" is not a character')
    return chr(number), at + 1 + len(digits)


def read_flow_list(
    lines: list[str], row: int, at: int, read_item: Callable[[str, int], tuple[Item, int]]
) -> tuple[list[Item], int, int]:
    """Read the list that opens here and return its items with the row and place after its bracket."""
    first = row
    items: list[Item] = []
    wants_item = True
    at += 1
    try:
        while True:
            row, at = _skip_in_flow(lines, row, at)
            sign = lines[row][at]
            if sign == "]":
                return items, row, at + 1
            if wants_item:
                item, at = read_item(lines[row], at)
                items.append(item)
            elif sign == ",":
                at += 1
            else:
                _refuse_after_item(sign)
            wants_item = not wants_item
    except MalformedError as problem:
        problem.row = row - first
        raise


def _skip_in_flow(lines: list[str], row: int, at: int) -> tuple[int, int]:
    while row < len(lines):
        at = skip_spaces(lines[row], at)
        if at < len(lines[row]) and not is_comment(lines[row], at):
            return row, at
        row, at = row + 1, 0
    raise MalformedError("the list is not closed: it needs a ]")


def read_flow_record(line: str, at: int) -> tuple[dict[str, Scalar], int]:
    """Read the mapping of scalars that opens here and closes on the same line."""
    record: dict[str, Scalar] = {}
    at = skip_spaces(line, at + 1)
    while line[at : at + 1] != "}":
        if at >= len(line) or is_comment(line, at):
            raise MalformedError("the mapping is not closed on its line: it needs a }")
        key, at = read_flow_item(line, at)
        at = skip_spaces(line, at)
        if line[at : at + 1] != ":" or not key.text:
            raise MalformedError("a mapping in braces must contain key: value")
        if key.text in record:
            raise MalformedError(f'the key "{key.text[:80]}" appears twice in one item')
        at = skip_spaces(line, at + 1)
        if line[at : at + 1] in ("", ",", "}"):
            record[key.text] = Scalar("", True)
        else:
            record[key.text], at = read_flow_item(line, at)
            at = skip_spaces(line, at)
        if line[at : at + 1] == ",":
            at = skip_spaces(line, at + 1)
        elif line[at : at + 1] != "}":
            raise MalformedError("a comma or } is expected after the value: put it in quotes")
    return record, at + 1


def read_flow_item(line: str, at: int) -> tuple[Scalar, int]:
    """Read one scalar of a flow list and return it with the place after it."""
    if line[at] in "'\"":
        return read_quoted(line, at)
    if line[at] in "[{":
        raise MalformedError("a list holds scalars only", nested=True)
    check_start(line, at, flow=True)
    end = at
    while end < len(line) and not _ends_flow_item(line, end):
        end += 1
    return plain_scalar(line[at:end]), end


def _ends_flow_item(line: str, at: int) -> bool:
    sign = line[at]
    if sign == ":":
        return line[at + 1 : at + 2] in ("", " ", "\t", ",", "[", "]", "{", "}")
    return sign in ",?[]{}" or is_comment(line, at)


def _refuse_after_item(sign: str) -> None:
    if sign == ":":
        raise MalformedError("a list holds scalars only, and this is a mapping", nested=True)
    raise MalformedError(f'"{sign}" is in a list where a comma or ] is expected: put the item in quotes')


def typed(scalar: Scalar, kind: str | None = None) -> str | int | float | bool | None:
    """Convert a scalar to its type in the contract (in a list: text), or else to the type that its form has."""
    text = scalar.text
    if not scalar.plain:
        return text
    if text in NULLS:
        return None
    if kind in (None, "boolean") and text in BOOLEANS:
        return BOOLEANS[text]
    if kind in (None, "integer", "number") and _is_whole(text):
        return int(_bounded(text))
    if kind in (None, "number") and _is_decimal(text):
        return float(_bounded(text))
    return text


def _is_whole(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and (digits[0] != "0" or digits == "0")


def _is_decimal(text: str) -> bool:
    digits = text[1:] if text[:1] in ("+", "-") else text
    before, point, after = digits.partition(".")
    return bool(point) and (before + after).isascii() and (before + after).isdigit()


def _bounded(number: str) -> str:
    if len(number) > LONGEST_NUMBER:
        raise MalformedError(f"a number has more than {LONGEST_NUMBER} digits: put it in quotes")
    return number
