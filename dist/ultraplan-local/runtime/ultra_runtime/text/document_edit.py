"""Change one field, section or step of an artifact and leave every other byte as it is."""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.text import frontmatter, markdown
from ultra_runtime.text.markdown import Document, TextSection
from ultra_runtime.text.yaml_value import read_quoted, skip_spaces
from ultra_runtime.typed import Callable, Sequence
from ultra_runtime.words import listed, one_line

SECTION_LEVEL = 2


class EditError(UltraError):
    """Why a part of an artifact cannot be changed."""


def set_field(data: bytes, name: str, value: str) -> bytes:
    """Set a field of the front matter to a plain word; a new field is added at the end."""
    as_text = {name: "text"}
    found = frontmatter.parse(data, as_text)
    if found.values is None:
        raise EditError(f"its front matter cannot be read: {found.problem}")
    lines = data.split(b"\n")
    if name in found.lines:
        row = found.lines[name] - 1
        old = found.values[name]
        if isinstance(old, list):
            raise EditError(f"{name} is a list")
        lines[row] = _with_value(lines[row].decode(), value).encode()
    else:
        row = min(found.lines.values()) - 1
        indent = lines[row][: len(lines[row]) - len(lines[row].lstrip(b" "))]
        end = b"\r" if lines[row].endswith(b"\r") else b""
        lines.insert(found.body_line - 2, indent + f"{name}: {value}".encode() + end)
    changed = b"\n".join(lines)
    if frontmatter.parse(changed, as_text).values != {**found.values, name: value}:
        raise EditError(f"the line of {name} cannot be changed: write it as {name}: {value}")
    return changed


def _with_value(line: str, value: str) -> str:
    """Return the line of an entry with another value; a comment after it stays."""
    at = skip_spaces(line, 0)
    after_key = read_quoted(line, at)[1] if line[at] in "'\"" else at
    start = line.index(":", after_key) + 1
    begin = skip_spaces(line, start)
    if line[begin : begin + 1] in ("'", '"'):
        end = read_quoted(line, begin)[1]
    else:
        comment = line.find(" #", start)
        end = len(line.rstrip("\r")) if comment < 0 else comment
        end = start + len(line[start:end].rstrip(" "))
    return f"{line[:start]} {value}{line[end:]}"


def replace_section(data: bytes, title: str, text: str, order: Sequence[str]) -> bytes:
    """Replace the text of a section; a missing one that the contract lists is inserted in its place."""
    title = title.lstrip("#").strip()
    document = _document(data)

    def is_it(heading: TextSection) -> bool:
        return heading.level == SECTION_LEVEL and heading.is_called(title)

    found = [one for one in document.headings if is_it(one)]
    if len(found) > 1:
        raise EditError(f"the section {one_line(title)} occurs twice: put the whole artifact")
    if found:
        return _replace(data, document, found[0], text, is_it)
    known = [name for name in order if markdown.is_same_title(name, title)]
    if not known:
        there = [one.title for one in document.headings if one.level == SECTION_LEVEL]
        raise EditError(f"there is no section {one_line(title)}; the sections are {listed(there)}")
    return _add(data, document, known[0], _part(text, SECTION_LEVEL, is_it), order)


def remove_section(data: bytes, title: str) -> bytes:
    """Remove a section, if it is there."""
    found = _document(data).section(title)
    lines = data.split(b"\n")
    return b"\n".join(lines[: found.line - 1] + lines[found.end - 1 :]) if found else data


def replace_step(data: bytes, number: int, text: str, word: str, level: int) -> bytes:
    """Replace the text of a step, found by word and number of its heading; the next number adds a step."""
    document = _document(data)
    steps = {
        one: its_number
        for one in document.headings
        if one.level == level and (its_number := _step_number(one, word)) is not None
    }
    found = [one for one, its_number in steps.items() if its_number == number]
    if len(found) > 1:
        raise EditError(f"{word} {number} occurs twice")

    def is_step(heading: TextSection) -> bool:
        return heading.level == level and _step_number(heading, word) == number

    if found:
        return _replace(data, document, found[0], text, is_step)
    last = [one for one, its_number in steps.items() if its_number == number - 1]
    if len(last) != 1 or any(its_number > number for its_number in steps.values()):
        raise EditError(f"there is no {word} {number}")
    heading, body = _part(text, level, is_step)
    if heading is None:
        raise EditError(
            f"{word} {number} is new: begin it with the heading {'#' * level} {word} {number}: title"
        )
    lines = data.split(b"\n")
    end = last[0].end - 1
    before = [""] if lines[end - 1].strip() else []
    return _joined(
        lines, end, end, [*before, *_spaced(heading, body), *([""] if end < len(lines) - 1 else [])]
    )


def _step_number(heading: TextSection, word: str) -> int | None:
    """Return the number of a step's heading, or nothing for any other."""
    words = heading.title.partition(":")[0].split()
    is_step = words[:-1] == word.split() and words[-1].isascii() and words[-1].isdigit()
    return int(words[-1]) if is_step and len(words[-1]) < 10 else None


def _document(data: bytes) -> Document:
    """Parse the body; front matter is optional, but must be closed."""
    found = frontmatter.parse(data)
    if found.problem is None:
        return markdown.parse(found.body, found.body_line)
    if found.problem.code != frontmatter.MISSING:
        raise EditError(f"line {found.problem.line}: {found.problem}")
    return markdown.parse(data.decode("utf-8-sig"))


def _replace(
    data: bytes, document: Document, old: TextSection, text: str, same: Callable[[TextSection], bool]
) -> bytes:
    lines = data.split(b"\n")
    heading, body = _part(text, old.level, same)
    if heading is None:
        heading = lines[old.line - 1].rstrip(b"\r").decode()
    blank_at_end = 0
    for line in reversed(document.body(old)):
        if line.strip():
            break
        blank_at_end += 1
    if not blank_at_end and old.end <= document.first_line + len(document.lines) - 1:
        blank_at_end = 1
    new = _spaced(heading, body) + [""] * blank_at_end
    return _joined(lines, old.line - 1, old.end - 1, new)


def _part(text: str, level: int, same: Callable[[TextSection], bool]) -> tuple[str | None, list[str]]:
    """Return the heading that a text begins with, if any, and its other lines, none of which ends the part."""
    part = markdown.parse(text)
    start = 0
    while start < len(part.lines) and not part.lines[start].strip():
        start += 1
    for heading in part.headings:
        if heading.level > level:
            continue
        if heading.line != start + 1:
            raise EditError(f"line {heading.line} of the text starts another part: put one part at a time")
        if not same(heading):
            raise EditError(
                f"the text begins with the heading {one_line(heading.title)}, which is that of another part"
            )
    for block in part.blocks:
        if not block.closed:
            raise EditError(f"the code block that begins on line {block.line} of the text does not end")
    if part.headings and part.headings[0].line == start + 1 and part.headings[0].level <= level:
        return part.lines[start], part.lines[start + 1 :]
    return None, part.lines


def _spaced(heading: str, body: list[str]) -> list[str]:
    """Return a heading, an empty line, and the text without empty lines around it."""
    text = "\n".join(body).strip("\n")
    return [heading, "", *text.split("\n")] if text.strip() else [heading]


def _add(
    data: bytes, document: Document, title: str, part: tuple[str | None, list[str]], order: Sequence[str]
) -> bytes:
    """Insert a new section before the first one that follows it in the contract, else at the end."""
    heading, body = part
    new = _spaced(heading or f"{'#' * SECTION_LEVEL} {title}", body)
    later = order[order.index(title) + 1 :]
    lines = data.split(b"\n")
    for section in document.headings:
        if section.level == SECTION_LEVEL and any(section.is_called(name) for name in later):
            return _joined(lines, section.line - 1, section.line - 1, [*new, ""])
    end = len(lines) - 1 if lines[-1] == b"" else len(lines)
    before = [""] if end and lines[end - 1].strip() else []
    return _joined(lines, end, end, before + new)


def _joined(lines: list[bytes], start: int, end: int, new: list[str]) -> bytes:
    """Replace the lines from start to end; the new ones get the line ending of the line above, or of the first."""
    ending = b"\r" if lines[max(start - 1, 0)].endswith(b"\r") else b""
    return b"\n".join(lines[:start] + [line.encode() + ending for line in new] + lines[end:])
