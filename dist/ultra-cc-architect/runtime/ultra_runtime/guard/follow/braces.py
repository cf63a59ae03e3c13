"""Brace expansion: {a,b} and {1..3} in the unquoted text of a word."""

from __future__ import annotations

from ultra_runtime.guard.shell.syntax import LITERAL, WordPart
from ultra_runtime.typed import Union

TYPE_CHECKING = False
if TYPE_CHECKING:
    Atom = Union[str, WordPart]  # a brace or comma, or a part without them

MAX_WORDS = 256
MAX_LENGTH = 64 * 1024
MAX_DEPTH = 20


class TooMany(Exception):
    """The braces give too many words."""


def expand(parts: list[WordPart]) -> list[list[WordPart]] | None:
    """Return the words that the braces give, or None when they are too many."""
    atoms = _atoms(parts)
    try:
        closes = _closes(atoms)
        if not closes:
            return [parts]
        words = _alternatives(atoms, closes, 0, len(atoms), 0)
    except TooMany:
        return None
    return [_joined(word) for word in words]


def _atoms(parts: list[WordPart]) -> list[Atom]:
    """Split the words at their unquoted braces and commas."""
    atoms: list[Atom] = []
    for part in parts:
        if part.kind != LITERAL or not ("{" in part.text or "}" in part.text or "," in part.text):
            atoms.append(part)
            continue
        start = 0
        for at, char in enumerate(part.text):
            if char in "{},":
                if at > start:
                    atoms.append(WordPart(LITERAL, part.text[start:at]))
                atoms.append(char)
                start = at + 1
        if start < len(part.text):
            atoms.append(WordPart(LITERAL, part.text[start:]))
    return atoms


def _closes(atoms: list[Atom]) -> dict[int, tuple[int, list[int]]]:
    """Return for each opening brace that expands its end and its commas."""
    found: dict[int, tuple[int, list[int]]] = {}
    stack: list[tuple[int, list[int]]] = []
    for at, atom in enumerate(atoms):
        if atom == "{":
            stack.append((at, []))
        elif atom == "," and stack:
            stack[-1][1].append(at)
        elif atom == "}" and stack:
            start, commas = stack.pop()
            if commas or _sequence(atoms, start, at) is not None:
                found[start] = (at, commas)
    return found


def _sequence(atoms: list[Atom], start: int, end: int) -> list[str] | None:
    """Return the members of {1..3} or {a..e}, or None when it is not a sequence."""
    if end != start + 2:
        return None
    inside = atoms[start + 1]
    if isinstance(inside, str) or inside.kind != LITERAL or ".." not in inside.text:
        return None
    ends = inside.text.split("..")
    if len(ends) not in (2, 3) or (len(ends) == 3 and not _number(ends[2])):
        return None
    first, last = ends[0], ends[1]
    step = abs(int(ends[2])) if len(ends) == 3 else 1
    if _number(first) and _number(last):
        return _numbers(first, last, step or 1)
    if len(first) == 1 and len(last) == 1 and (first + last).isalpha():
        return [chr(code) for code in _steps(ord(first), ord(last), step or 1)]
    return None


def _number(text: str) -> bool:
    """Tell whether the text is a whole number."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    return digits.isascii() and digits.isdecimal() and len(digits) < 16


def _numbers(first: str, last: str, step: int) -> list[str]:
    """Return the numbers between two, padded as bash pads them."""
    padded = any(len(text.lstrip("-")) > 1 and text.lstrip("-")[0] == "0" for text in (first, last))
    width = max(len(first), len(last)) if padded else 0
    return [str(number).zfill(width) for number in _steps(int(first), int(last), step)]


def _steps(first: int, last: int, step: int) -> range:
    """Return the range between two numbers, both included."""
    if abs(last - first) // step >= MAX_WORDS:
        raise TooMany
    return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)


def _alternatives(
    atoms: list[Atom], closes: dict[int, tuple[int, list[int]]], start: int, end: int, depth: int
) -> list[list[Atom]]:
    """Return what the atoms between two places expand to."""
    if depth > MAX_DEPTH:
        raise TooMany
    words: list[list[Atom]] = [[]]
    length = 0
    at = start
    while at < end:
        atom = atoms[at]
        if at not in closes:
            length += 1 if isinstance(atom, str) else len(atom.text) + 1
            for word in words:
                word.append(atom)
            at += 1
            continue
        close, commas = closes[at]
        options: list[list[Atom]] = []
        if commas:
            edges = [at, *commas, close]
            for left, right in zip(edges, edges[1:]):
                options += _alternatives(atoms, closes, left + 1, right, depth + 1)
        else:
            options = [[WordPart(LITERAL, text)] for text in _sequence(atoms, at, close) or []]
        if len(words) * len(options) > MAX_WORDS or len(words) * len(options) * length > MAX_LENGTH:
            raise TooMany
        words = [word + option for word in words for option in options]
        at = close + 1
    if len(words) * length > MAX_LENGTH and len(words) > 1:
        raise TooMany
    return words


def _joined(word: list[Atom]) -> list[WordPart]:
    """Put braces and commas that did not expand back as text."""
    return [WordPart(LITERAL, atom) if isinstance(atom, str) else atom for atom in word]
