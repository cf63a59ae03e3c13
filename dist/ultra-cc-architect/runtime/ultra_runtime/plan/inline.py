"""Read one line of Markdown: code spans, lists of paths and numbers, commands with their expected output."""

from __future__ import annotations

from ultra_runtime.struct import Struct
from ultra_runtime.typed import Iterable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.text.markdown import Item, TextBlock

ARROWS = ("->", "→")
EXPECTED = "expected"
NOTHING = ("none", "nothing", "n/a", "-", "—", "–")
BEHIND_NONE = " \t\n,;:(`*_—–"
BETWEEN_PATHS = (",", ";", "\n", "&", "+", " and ")
DASHES = (" - ", " – ", " — ", " -> ", " → ")
NOUNS = ("step", "steps", "session", "sessions", "wave")
BETWEEN = (",", ";", "and", "&", "+", "")
RANGES = ("-", "–", "—", "to", "through", "..")
SHELLS = ("", "sh", "bash", "shell", "zsh", "console")
LONGEST_NUMBER = 9
NEW = "(new"


class Span(Struct):
    """A piece of text between backticks, and where it starts and ends with them."""

    start: int
    end: int
    text: str


class InlineCommand(Struct):
    """A shell command (None when there is only prose) and its expected output.

    When `literal` is true the output must contain `expected`; otherwise `expected` is prose for a person.
    """

    text: str
    line: int
    command: str | None = None
    expected: str = ""
    literal: bool = False
    more: bool = False
    """True when there is a second command, which is not run."""


def spans(text: str) -> list[Span]:
    """Return the code spans of a text: from a run of backticks to the next run of the same length."""
    if "`" not in text:
        return []
    runs = _runs(text)
    next_same: dict[int, int] = {}
    closing: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1]
        closing[index] = next_same.get(length, -1)
        next_same[length] = index
    found = []
    index = 0
    while index < len(runs):
        close = closing[index]
        if close < 0:
            index += 1
            continue
        start, length = runs[index]
        end = runs[close][0]
        found.append(Span(start, end + length, _trimmed(text[start + length : end])))
        index = close + 1
    return found


def _runs(text: str) -> list[tuple[int, int]]:
    runs = []
    at = text.find("`")
    while at >= 0:
        end = at
        while text[end : end + 1] == "`":
            end += 1
        runs.append((at, end - at))
        at = text.find("`", end)
    return runs


def _trimmed(text: str) -> str:
    """Remove one space on each side of a span, as Markdown does."""
    text = text.replace("\n", " ")
    if len(text) > 1 and text[0] == text[-1] == " " and text.strip(" "):
        return text[1:-1]
    return text


def read_command(value: str, line: int, blocks: Iterable[TextBlock] = ()) -> InlineCommand:
    """Read `command` -> expected: text; a fenced shell block may replace the command in backticks."""
    found = spans(value)
    at = _expected_at(value, found)
    before = [span for span in found if at is None or span.start < at[0]]
    command = before[0].text.strip() if before else ""
    if not command:
        command = next(
            (block.text for block in blocks if block.language in SHELLS and block.text.strip()), ""
        )
    expected, literal = _expected(value[at[1] :]) if at else ("", False)
    return InlineCommand(value, line, command or None, expected, literal, more=len(before) > 1)


def read_if_command(value: str, line: int, blocks: Iterable[TextBlock] = ()) -> InlineCommand:
    """Read text that is a command or begins with one; anything else is prose, whose code is not run."""
    if value.startswith("`"):
        return read_command(value, line)
    if value and not value.startswith(ARROWS):
        return InlineCommand(value, line)
    return read_command(value, line, blocks)


def _expected_at(value: str, found: list[Span]) -> tuple[int, int] | None:
    """Return where an arrow with `expected:` outside code starts, and where its text starts."""
    inside = iter(found)
    span = next(inside, None)
    places = sorted(place for arrow in ARROWS for place in _finds(value, arrow))
    for place in places:
        while span and span.end <= place:
            span = next(inside, None)
        if span and span.start <= place:
            continue
        rest = value[place : place + 40].lstrip("->→ \t\n*_")
        if rest[: len(EXPECTED)].casefold() == EXPECTED:
            colon = value.find(":", place)
            if colon >= 0:
                return place, colon + 1
    return None


def _finds(text: str, part: str) -> list[int]:
    found = []
    at = text.find(part)
    while at >= 0:
        found.append(at)
        at = text.find(part, at + len(part))
    return found


def _expected(text: str) -> tuple[str, bool]:
    text = text.strip().lstrip("*_ ").strip()
    if text.startswith("`") and (found := spans(text)) and found[0].start == 0:
        return found[0].text, True
    return text, False


def is_nothing(value: str) -> bool:
    """Return whether a value says that there is nothing, perhaps with a reason after it."""
    bare = value.strip()
    word = bare.strip("`*").casefold()
    if not bare or word in NOTHING or word == "_none_":
        return True
    return word.startswith("none") and (word == "none." or word[4] in BEHIND_NONE)


def paths(item: Item | None) -> tuple[str, ...]:
    """Return the paths of a field, in backticks or separated by commas, including nested items."""
    if item is None:
        return ()
    names = _paths_of(item.value)
    for child in item.children:
        names += _paths_of(child.text)
    return tuple(dict.fromkeys(names))


def new_paths(item: Item | None) -> tuple[str, ...]:
    """Return the paths of a field that are marked with (new)."""
    texts = [item.value, *(child.text for child in item.children)] if item else []
    pieces = [piece for text in texts for piece in text.replace("\n", ",").split(",") if NEW in piece]
    return tuple(name for piece in pieces for name in _paths_of(piece)[:1])


def _paths_of(text: str) -> list[str]:
    """Return the first code span of every entry of a list, or the entries themselves if there is no code."""
    if is_nothing(text):
        return []
    found = spans(text)
    if not found:
        pieces = [_bare(piece) for piece in text.replace("\n", ",").split(",")]
        return [piece for piece in pieces if piece and not is_nothing(piece)]
    names: list[str] = []
    end = 0
    for span in found:
        between = outside_parentheses(text[end : span.start])
        if not names or any(sign in between for sign in BETWEEN_PATHS):
            names.append(span.text.strip())
        end = span.end
    return [name for name in names if name]


def outside_parentheses(text: str) -> str:
    """Return the text without parentheses and their content; an unclosed one drops the rest."""
    outside = []
    depth = 0
    for piece in text.replace("(", "\0(").replace(")", ")\0").split("\0"):
        depth += piece.startswith("(")
        if not depth:
            outside.append(piece)
        depth -= bool(depth) and piece.endswith(")")
    return " ".join(outside)


def _bare(piece: str) -> str:
    """Remove a remark after a path without backticks."""
    for sign in (" (", *DASHES):
        piece = piece.partition(sign)[0]
    return piece.strip().strip("\"'")


def numbers(value: str) -> list[tuple[int, int]]:
    """Return the numbers and ranges of `1, 3-5` or `Session 1 and Session 2` as first and last; prose ends the list."""
    if is_nothing(value):
        return []
    found: list[tuple[int, int]] = []
    joined = False
    for word in _words(value):
        if word.isascii() and word.isdigit() and len(word) <= LONGEST_NUMBER:
            number = int(word)
            if joined and found and found[-1][0] <= number:
                found[-1] = (found[-1][0], number)
            else:
                found.append((number, number))
            joined = False
        elif word in RANGES:
            joined = bool(found)
        elif word in BETWEEN:
            joined = False
        elif word not in NOUNS:
            break
    return found


def _words(value: str) -> list[str]:
    """Return words, numbers and signs outside parentheses."""
    text = outside_parentheses(value.casefold()).replace("..", " .. ")
    for sign in ("`", "*", "[", "]", "#", ":"):
        text = text.replace(sign, " ")
    for sign in ("-", "–", "—", ",", ";"):
        text = text.replace(sign, f" {sign} ")
    return [word if word in RANGES else word.rstrip(".") for word in text.split()]
