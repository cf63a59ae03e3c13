"""Find the headings, list items and fenced blocks of a Markdown text, each with its line.

One pass over the lines, which ignores the inside of fences. Line numbers start at `first_line`, so that
a body below front matter keeps the numbers of its file; splitting the file's bytes at b"\\n" gives the same lines.
"""

from __future__ import annotations

from ultra_runtime.typed import Iterator

DEEPEST = 6
LONGEST_NAME = 60
MARKERS = "-*+"
DIGITS = "0123456789"
LONGEST_NUMBER = 9  # digits of the marker of an ordered list, as in CommonMark
EMPHASIS = ("**", "__", "*", "_")
# An item belongs to the one above it from this many columns on; less is a sibling that was not aligned.
NESTED_FROM = 2


class TextBlock:
    """A fenced code block: its info string, its lines without the fence's indentation, and its place."""

    __slots__ = ("closed", "end_line", "indent", "info", "line", "lines")
    end_line: int

    def __init__(self, info: str, indent: int, line: int) -> None:
        self.info = info
        self.indent = indent
        self.line = line
        self.lines: list[str] = []
        self.closed = False

    @property
    def language(self) -> str:
        """The first word of the info string in lower case."""
        return self.info.split(None, 1)[0].lower() if self.info else ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


class Item:
    """A list item: `text` is its own words, line by line; `name: value` when it reads as a field."""

    __slots__ = ("blocks", "children", "indent", "line", "name", "parts")

    def __init__(self, indent: int, line: int, text: str) -> None:
        self.indent = indent
        self.line = line
        self.name, first = split_field(text)
        self.parts = [first] if first else []
        self.children: list[Item] = []
        self.blocks: list[TextBlock] = []

    @property
    def value(self) -> str:
        """The text after the name, or all of it when there is no name; continuation lines follow a line feed."""
        return "\n".join(self.parts)

    @property
    def text(self) -> str:
        """The words of the item with its name."""
        return f"{self.name}: {self.value}".rstrip() if self.name else self.value

    def child(self, name: str) -> Item | None:
        """Return the first item below this one that is the field of that name, in any case."""
        return _named(self.children, name)


class TextSection:
    """A heading with the text below it; the text before the first heading is a section of level 0.

    `items` (the outermost only) and `blocks` are those up to the next heading of any level. `end` is the line
    after the last one of the section, its subsections included.
    """

    __slots__ = ("after", "blocks", "end", "index", "items", "level", "line", "title")
    after: int
    end: int

    def __init__(self, level: int, title: str, line: int, index: int) -> None:
        self.level = level
        self.title = title
        self.line = line
        self.index = index
        self.items: list[Item] = []
        self.blocks: list[TextBlock] = []

    def field(self, name: str) -> Item | None:
        """Return the first outermost item that is the field of that name, in any case."""
        return _named(self.items, name)

    def is_called(self, title: str) -> bool:
        """Tell whether this is the title, in any case and with any spaces."""
        return is_same_title(self.title, title)


class Document:
    """The parts of a text in their order; `sections[0]` is the text before the first heading."""

    __slots__ = ("blocks", "first_line", "lines", "sections")

    def __init__(self, lines: list[str], first_line: int) -> None:
        self.lines = lines
        self.first_line = first_line
        self.sections = [TextSection(0, "", first_line - 1, 0)]
        self.blocks: list[TextBlock] = []

    @property
    def headings(self) -> list[TextSection]:
        return self.sections[1:]

    def section(self, title: str, level: int = 2) -> TextSection | None:
        """Return the first section of that title and level, in any case."""
        for section in self.sections:
            if section.level == level and section.is_called(title):
                return section
        return None

    def below(self, section: TextSection) -> list[TextSection]:
        """Return the subsections of a section, of every level, in their order."""
        return self.sections[section.index + 1 : section.after]

    def body(self, section: TextSection) -> list[str]:
        """Return the lines below the heading, those of subsections included."""
        return self.slice(section.line + 1, section.end)

    def slice(self, line: int, end: int) -> list[str]:
        """Return the lines with these numbers, the last one not included."""
        return self.lines[line - self.first_line : end - self.first_line]


def parse(text: str, first_line: int = 1) -> Document:
    """Read a text; a byte order mark and carriage returns at the end of lines are ignored."""
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    document = Document(lines, first_line)
    _Reader(document).read()
    return document


def split_field(text: str) -> tuple[str, str]:
    """Split `**Name:** value`, `**Name**: value` or `Name: value`; without a name the text is all value."""
    for sign in EMPHASIS:
        if text.startswith(sign):
            end = text.find(sign, len(sign), LONGEST_NAME + 2 * len(sign))
            name, rest = text[len(sign) : end].rstrip(), text[end + len(sign) :]
            if end < 0 or not name:
                return "", text
            if name.endswith(":"):
                return name[:-1].rstrip(), rest.strip()
            rest = rest.lstrip()
            return (name, rest[1:].strip()) if rest.startswith(":") else ("", text)
    colon = text.find(":", 0, LONGEST_NAME + 1)
    if colon <= 0 or text[colon + 1 : colon + 2] not in ("", " ", "\t", "\n") or "`" in text[:colon]:
        return "", text
    return text[:colon].rstrip(), text[colon + 1 :].strip()


def split_marker(text: str) -> str | None:
    """Return what follows the marker of a list item, or nothing when there is no marker."""
    end = 1 if text[0] in MARKERS else 0
    if not end and text[0] in DIGITS:
        end = 1
        while end < min(len(text), LONGEST_NUMBER) and text[end] in DIGITS:
            end += 1
        end = end + 1 if text[end : end + 1] in (".", ")") else 0
    if not end or text[end : end + 1] not in ("", " ", "\t"):
        return None
    return text[end:].strip()


def _named(items: list[Item], name: str) -> Item | None:
    wanted = _key(name)
    for item in items:
        if item.name and _key(item.name) == wanted:
            return item
    return None


def is_same_title(one: str, other: str) -> bool:
    """Tell whether two titles are the same, in any case and with any spaces."""
    return _key(one) == _key(other)


def _key(title: str) -> str:
    return " ".join(title.split()).casefold()


def _indent(line: str) -> int:
    """Return the column in which the text of a line starts."""
    blank = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blank.expandtabs(4)) if "\t" in blank else len(blank)


def _heading(line: str, text: str) -> tuple[int, str] | None:
    level = len(text) - len(text.lstrip("#"))
    title = text[level:]
    if level > DEEPEST or title[:1] not in ("", " ", "\t") or _indent(line) > 3:
        return None
    title = title.strip()
    bare = title.rstrip("#")
    if bare != title and (not bare or bare[-1] in " \t"):
        title = bare.rstrip()
    return level, title


def _fence(text: str) -> tuple[str, str] | None:
    """Return the fence that a text opens, and its info string."""
    sign = text[0]
    info = text.lstrip(sign)
    if len(text) - len(info) < 3 or (sign == "`" and "`" in info):
        return None
    return text[: len(text) - len(info)], info.strip()


class _Reader:
    """Reads the lines once and tracks what is open: the fence, the list items, the section."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.section = document.sections[0]
        self.open_sections = [self.section]
        self.open_items: list[Item] = []
        self.after_blank = False

    def read(self) -> None:
        number = self.document.first_line
        lines = iter(self.document.lines)
        for line in lines:
            text = line.strip(" \t")
            if not text:
                self.after_blank = True
            elif text[0] == "#" and (heading := _heading(line, text)):
                self._read_heading(heading, number)
            elif text[0] in "`~" and (fence := _fence(text)):
                number = self._read_block(fence, _indent(line), number, lines)
            elif (rest := split_marker(text)) is not None:
                number = self._read_item(line, rest, number, lines)
            elif self.open_items:
                self._read_continuation(line, text)
            number += 1
        self._close_sections(1, number)
        self.document.sections[0].end = number
        self.document.sections[0].after = len(self.document.sections)

    def _read_heading(self, heading: tuple[int, str], number: int) -> None:
        level, title = heading
        self._close_sections(level, number)
        self.section = TextSection(level, title, number, len(self.document.sections))
        self.document.sections.append(self.section)
        self.open_sections.append(self.section)
        self.open_items = []

    def _close_sections(self, level: int, number: int) -> None:
        while self.open_sections[-1].level >= level:
            closed = self.open_sections.pop()
            closed.end = number
            closed.after = len(self.document.sections)

    def _read_item(self, line: str, text: str, number: int, lines: Iterator[str]) -> int:
        indent = _indent(line)
        self._close_items(indent)
        fence = _fence(text) if text[:1] in ("`", "~") else None
        item = Item(indent, number, "" if fence else text)
        (self.open_items[-1].children if self.open_items else self.section.items).append(item)
        self.open_items.append(item)
        self.after_blank = False
        if fence:
            return self._read_block(fence, indent + NESTED_FROM, number, lines)
        return number

    def _read_continuation(self, line: str, text: str) -> None:
        if self.after_blank:
            self._close_items(_indent(line))
        if self.open_items:
            self.open_items[-1].parts.append(text)
        self.after_blank = False

    def _close_items(self, indent: int) -> None:
        while self.open_items and indent < self.open_items[-1].indent + NESTED_FROM:
            self.open_items.pop()

    def _read_block(self, fence: tuple[str, str], indent: int, number: int, lines: Iterator[str]) -> int:
        """Read on to the closing fence or the end of the text and return the number of the last line read."""
        opening, info = fence
        self._close_items(indent)
        block = TextBlock(info, indent, number)
        for line in lines:
            number += 1
            text = line.lstrip(" \t")
            if text.startswith(opening) and _closes(line, text, opening, indent):
                block.closed = True
                break
            cut = min(len(line) - len(text), indent)
            block.lines.append(line[cut:] if cut else line)
        block.end_line = number
        self.document.blocks.append(block)
        self.section.blocks.append(block)
        if self.open_items:
            self.open_items[-1].blocks.append(block)
        self.after_blank = False
        return number


def _closes(line: str, text: str, opening: str, indent: int) -> bool:
    return not text.rstrip(" \t").strip(opening) and _indent(line) < indent + 4
