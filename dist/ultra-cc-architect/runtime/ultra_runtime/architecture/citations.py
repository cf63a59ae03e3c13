"""Find the sources that a claim names, and check that the quoted words are there.

A source is a path in backticks, followed by the quoted words: `src/limit.py:12` "def allow". A file of the
repository needs its line or range of lines. A file of the project, such as `research/01-limits.md`, may do without.
"""

from __future__ import annotations

import os

from ultra_runtime.contract.forms import is_location
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.struct import Struct
from ultra_runtime.text.markdown import Document, TextSection, split_marker
from ultra_runtime.typed import Iterator
from ultra_runtime.words import one_line

QUOTES = {'"': '"', "\u201c": "\u201d"}
NEW = "(new)"
GONE, MOVED = "gone", "moved"


class Citation(Struct):
    """A path with its lines, if it has some, and the words that should be there."""

    path: str
    first: int
    last: int
    quote: str

    def __str__(self) -> str:
        lines = f":{self.first}" if self.first else ""
        return one_line(self.path + lines + (f"-{self.last}" if self.last > self.first else ""), 200)


class Claim(Struct):
    """One paragraph or list item, and the line where it begins."""

    line: int
    text: str

    @property
    def is_new(self) -> bool:
        """Whether it is about something that does not exist yet."""
        return NEW in self.text

    def citations(self) -> Iterator[Citation]:
        """Yield each source that the claim names."""
        pieces = self.text.split("`")
        for at in range(1, len(pieces) - 1, 2):
            path, first, last = _place(pieces[at].strip())
            if path:
                yield Citation(path, first, last, _quote(pieces[at + 1 :]))


def _place(span: str) -> tuple[str, int, int]:
    """Return path and lines of a code span; no path when the span is not a source."""
    if is_location(span):
        path, _, lines = span.rpartition(":")
        first, _, last = lines.partition("-")
        return path.strip(), int(first), int(last or first)
    is_path = "/" in span.strip("/") or span.endswith(".md")
    return (span, 0, 0) if is_path and " " not in span else ("", 0, 0)


def _quote(rest: list[str]) -> str:
    """Return the quoted words after a code span; they may contain backticks."""
    text = "`".join(rest).lstrip(" \n:,(")
    end = QUOTES.get(text[:1])
    return text[1:].partition(end)[0] if end else ""


def claims_of(document: Document, section: TextSection) -> Iterator[Claim]:
    """Yield the paragraphs and list items of a section, without fences, tables and headings."""
    fenced = {line for block in document.blocks for line in range(block.line, block.end_line + 1)}
    start = 0
    words: list[str] = []
    for number, line in enumerate(document.body(section), section.line + 1):
        text = line.strip()
        is_text = bool(text) and number not in fenced and text[0] not in "#|"
        if words and (not is_text or split_marker(text) is not None):
            yield Claim(start, "\n".join(words))
            words = []
        if is_text:
            start = start if words else number
            words.append(text)
    if words:
        yield Claim(start, "\n".join(words))


class Places:
    """The files that sources may name; each is read once."""

    def __init__(self, root: str, project: str) -> None:
        self.root = root
        self.project = project
        self._texts: dict[str, list[str] | None] = {}

    def fault(self, source: Citation) -> tuple[str, str]:
        """Return what is wrong with a source: nothing, `gone` or `moved`, and the sentence."""
        lines, is_own = self._find(source.path)
        if lines is None:
            return GONE, f"there is no file {one_line(source.path, 200)}"
        if not source.first and not is_own:
            return GONE, f"{source} is a file of the repository and needs a line"
        if source.last > len(lines):
            return GONE, f"{source} has only {len(lines)} lines"
        if not source.quote.strip():
            return GONE, f"{source} is named without words quoted from it"
        wanted = _flat(source.quote)
        near = lines[source.first - 1 : source.last] if source.first else lines
        if wanted in _flat(" ".join(near)):
            return "", ""
        line = _line_of(lines, wanted)
        if line:
            return MOVED, f"{one_line(source.quote)} is now on line {line} of {one_line(source.path, 200)}"
        return GONE, f"{source} does not say {one_line(source.quote)}"

    def exists(self, path: str) -> bool:
        """Tell whether a file or folder of the repository exists."""
        return self._is_inside(os.path.join(self.root, path)) and os.path.exists(
            os.path.join(self.root, path)
        )

    def _find(self, path: str) -> tuple[list[str] | None, bool]:
        """Return the lines of a file, and whether it is one of the project's own."""
        for folder in (self.project, self.root):
            lines = self._lines(os.path.join(folder, path))
            if lines is not None:
                inside = os.path.realpath(os.path.join(folder, path)).startswith(self.project + os.sep)
                return lines, inside
        return None, False

    def _lines(self, path: str) -> list[str] | None:
        if path not in self._texts:
            try:
                text = read_regular(path).decode("utf-8", "replace") if self._is_inside(path) else None
            except UnreadableError:
                text = None
            self._texts[path] = None if text is None else text.splitlines()
        return self._texts[path]

    def _is_inside(self, path: str) -> bool:
        return "\0" not in path and os.path.realpath(path).startswith(self.root + os.sep)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _line_of(lines: list[str], wanted: str) -> int:
    """Return the first line that has the words, perhaps together with the next ones; 0 when there is none."""
    for number, line in enumerate(lines, 1):
        if wanted in _flat(line):
            return number
    whole, starts = "", []
    for number, line in enumerate(lines, 1):
        starts.append((len(whole), number))
        whole += _flat(line) + " "
    at = whole.find(wanted)
    return max((number for start, number in starts if start <= at), default=0) if at >= 0 else 0
