"""Fill the paragraphs and list items of Markdown to one width; keep lines that have a meaning.

A macro makes a line shorter or longer than its source; filled, a prompt reads as if it had been typed. Front matter,
headings, code, tables, quotes, HTML, link definitions and paragraphs with a hard break stay as they are, and so does
every line end before a line that may begin a block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

WIDTH = 120

_ITEM = re.compile(r"(?:[-*+]|(\d{1,9})[.)])(?: *$|( +))")
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_ALONE = re.compile(r"#{1,6}(?: |$)|(?:(?:\* *){3,}|(?:_ *)+|(?:- *){3,})$")
"""Headings and rules, which end with their line."""
_ROWS = re.compile(r"[>|]")
"""Quotes and tables, which continue until another block begins."""
_UP_TO_BLANK = re.compile(r"<|\[[^\]]+\]:")
_HTML_ENDS = {
    "<!--": "-->", "<?": "?>", "<![cdata[": "]]>",
    "<pre": "</pre>", "<script": "</script>", "<style": "</style>", "<textarea": "</textarea>",
}  # fmt: skip
_UNDERLINE = re.compile(r"[-=:| ]*[-=][-=:| ]*$")
"""A line that makes the line above a heading or a table header."""
_HARD_BREAK = re.compile(r"(?:  |\\)$")
_NEVER_FIRST = re.compile(r"[#>|<]|```|~~~|(?:\d{1,9}[.)]|[-=_*:|+]+)$")
"""Words that would begin a block at the start of a line."""
_PIECE = re.compile(r"[^\\` \n]+|[ \n]+|\\\S|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|.", re.DOTALL)
"""Letters, space, an escaped character, a code span, or a sign that begins none."""
_NEW_BLOCK, _BLANK = "new block", "blank line"


@dataclass(frozen=True, slots=True)
class Filled:
    """Filled text, and the original line number of each of its lines."""

    text: str
    lines: tuple[int, ...]


@dataclass(slots=True)
class _Paragraph:
    """A paragraph, with the indentation and list marks before its first word."""

    number: int
    prefix: str
    lines: list[str]
    literal: bool = False

    def filled(self) -> Iterator[tuple[str, int]]:
        """Yield its filled lines, each with the original line number of its first word."""
        if self.literal or any(map(_HARD_BREAK.search, self.lines)):
            yield self.prefix + self.lines[0], self.number
            yield from ((line, self.number + n) for n, line in enumerate(self.lines[1:], 1))
            return
        words = _held_together(self._words())
        first, number = next(words)
        line = self.prefix + first
        for word, came_from in words:
            if len(line) + 1 + len(word) > WIDTH:
                yield line, number
                line, number = " " * len(self.prefix) + word, came_from
            else:
                line += f" {word}"
        yield line, number

    def _words(self) -> Iterator[tuple[str, int]]:
        """Yield words with their line numbers; a code span is one word, or part of one."""
        word = ""
        number = begun = self.number
        for match in _PIECE.finditer("\n".join(line.strip(" ") for line in self.lines)):
            piece = match.group()
            if not piece.strip(" \n"):
                if word:
                    yield word, begun
                word = ""
            else:
                begun = begun if word else number
                word += piece.replace("\n", " ")
            number += piece.count("\n")
        yield word, begun


def _held_together(words: Iterator[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Join two words if the second must not begin a line or the first must not end one (a hard break)."""
    held, number = next(words)
    for word, came_from in words:
        if _NEVER_FIRST.match(word) or held.endswith("\\"):
            held += f" {word}"
        else:
            yield held, number
            held, number = word, came_from
    yield held, number


@dataclass(slots=True)
class _Reader:
    """The state of a reading: finished lines and open blocks."""

    out: list[str]
    numbers: list[int]
    paragraph: _Paragraph | None = None
    inside: list[int] = field(default_factory=list)
    """The columns where the contents of the open list items begin."""
    has_empty_item: bool = False
    """Whether the last line was an empty list item."""
    until: str = ""
    """What ends the current unfilled lines: fence marks, an end of HTML, a new block, a blank line."""

    def read(self, line: str, number: int) -> None:
        """Take in one line."""
        bare = line.lstrip(" ")
        column = len(line) - len(bare)
        is_after_empty_item, self.has_empty_item = self.has_empty_item, False
        if self.until and self._is_left_alone(bare, column):
            self._copy(line, number)
        elif not bare:
            self.close()
            self._copy(line, number)
            if is_after_empty_item:
                self.inside.pop()  # it stayed empty
        elif self.paragraph and column - self._within() >= 4:
            # Not code in Markdown, but the author may have meant it as code.
            self.close()
            self._copy(line, number)
            self.until = _BLANK
        elif self.paragraph and not self._interrupts(bare, column):
            self.paragraph.lines.append(line)
            self.paragraph.literal |= bool(_UNDERLINE.match(bare)) or "\t" in line
        else:
            self.close()
            self._begin(line, number)

    def close(self) -> None:
        """End the open paragraph."""
        if self.paragraph:
            for line, number in self.paragraph.filled():
                self._copy(line, number)
        self.paragraph = None

    def _within(self) -> int:
        return self.inside[-1] if self.inside else 0

    def _copy(self, line: str, number: int) -> None:
        self.out.append(line)
        self.numbers.append(number)

    def _is_left_alone(self, bare: str, column: int) -> bool:
        """Say whether a line belongs to unfilled lines, and notice where these end."""
        until = self.until
        if until == _NEW_BLOCK:
            goes_on = bool(bare) and (not _begins_block(bare) or bool(_ROWS.match(bare)))
        elif until == _BLANK:
            goes_on = bool(bare)
        elif until[0] in "`~":
            if bare and self.inside and column < self.inside[-1]:
                self.until = ""  # a fence ends with its list item
                return False
            goes_on = not (bare.startswith(until) and not bare.strip(until[0] + " "))
            self.until = until if goes_on else ""
            return True
        else:
            self.until = "" if until in bare.lower() else until
            return True
        self.until = until if goes_on else ""
        return goes_on

    def _interrupts(self, bare: str, column: int) -> bool:
        """Say whether a line begins a block although a paragraph is open."""
        if _UNDERLINE.match(bare):
            return False
        item = _ITEM.match(bare)
        if item is None or _ALONE.match(bare):
            return _begins_block(bare)
        return column < self._within() or (bool(item.group(2)) and int(item.group(1) or 1) == 1)

    def _begin(self, line: str, number: int) -> None:
        """Begin a paragraph, or keep the line and its block unfilled."""
        at = len(line) - len(line.lstrip(" "))
        while self.inside and at < self.inside[-1]:
            self.inside.pop()
        if at - self._within() >= 4 or "\t" in line:
            self._copy(line, number)
            return
        while (item := _ITEM.match(line, at)) and not _ALONE.match(line[at:]):
            if not 0 < len(item.group(2) or "") < 5:
                self.inside.append(len(item.group().rstrip(" ")) + at + 1)
                self.has_empty_item = not item.group(2)
                break
            at = item.end()
            self.inside.append(at)
        bare = line[at:]
        if not _begins_block(bare):
            self.paragraph = _Paragraph(number, line[:at], [bare], literal=bare.startswith("```"))
            return
        self._copy(line, number)
        if fence := _FENCE.match(bare):
            self.until = fence.group()
        elif _ROWS.match(bare):
            self.until = _NEW_BLOCK
        elif _UP_TO_BLANK.match(bare):
            self.until = _end_of_html(bare.lower())


def _begins_block(bare: str) -> bool:
    """Say whether a line without its indentation begins a block other than a paragraph."""
    return any(pattern.match(bare) for pattern in (_ITEM, _FENCE, _ALONE, _ROWS, _UP_TO_BLANK))


def _end_of_html(bare: str) -> str:
    for begin, end in _HTML_ENDS.items():
        if bare.startswith(begin):
            return "" if end in bare[len(begin) :] else end
    return _BLANK


@lru_cache(maxsize=512)
def fill(text: str) -> Filled:
    """Return Markdown with its paragraphs filled: the same words in the same blocks; once for each text."""
    lines = text.split("\n")
    start = _after_front_matter(lines)
    reader = _Reader(lines[:start], list(range(start)))
    for number, line in enumerate(lines[start:], start):
        reader.read(line, number)
    reader.close()
    return Filled("\n".join(reader.out), tuple(reader.numbers))


def _after_front_matter(lines: list[str]) -> int:
    if lines[0] != "---":
        return 0
    return next((number + 1 for number, line in enumerate(lines[1:], 1) if line == "---"), 0)
