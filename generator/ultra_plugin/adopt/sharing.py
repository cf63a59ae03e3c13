"""Move paragraphs that several prompts share into fragments, if every rendered byte stays the same."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ultra_plugin.adopt.reading import Shelf
from ultra_plugin.source import PLUGINS

FOLDER = "fragments/shared"
_FEWEST_LINES = 3
_BRACES = re.compile(r"\{[{%#]")
_PARAGRAPHS = re.compile(r"\A---\n(?:.*\n)*?---\n\n*|(?:[^\n]+\n)+\n*|\n+|[^\n]+\Z")
"""The header, a paragraph with the blank lines after it, or the rest."""
_SLUG = re.compile(r"[a-z0-9]+")
_MARKERS = ("<<<<<<< ", ">>>>>>> ")


@dataclass(frozen=True, slots=True)
class Shared:
    """What sharing saved."""

    fragments: int
    uses: int
    lines: int
    """Lines of the prompts before, minus lines of the templates and fragments after."""


@dataclass(frozen=True, slots=True)
class _Page:
    path: str
    blocks: tuple[str, ...]


def share(shelf: Shelf, sources: Path, fewest: int) -> Shared | None:
    """Replace blocks that occur often enough by includes; return what that saved, or None."""
    pages = _merged([*_pages(shelf)])
    counts = Counter(block for page in pages for block in page.blocks)
    names = {block: _name(block) for block, count in counts.items() if _pays(block, count, fewest)}
    if not names:
        return None
    (sources / FOLDER).mkdir(parents=True)
    for block, name in names.items():
        _put(sources / name, _escaped(block))
    uses = saved = 0
    for page in pages:
        shared = [block for block in page.blocks if block in names]
        if shared:
            place = sources / page.path
            _put(place.with_name(f"{place.name}.j2"), "".join(_source(block, names) for block in page.blocks))
            (place.with_name(f"{place.name}.j2")).chmod(place.stat().st_mode & 0o777)
            place.unlink()
            uses += len(shared)
            saved += sum(block.count("\n") - 1 for block in shared)
    saved -= sum(block.count("\n") for block in names)
    return Shared(len(names), uses, saved)


def _pages(shelf: Shelf) -> Iterator[_Page]:
    """Yield the Markdown files that a template can hold: UTF-8, with plain line ends."""
    for one in shelf.plugins:
        for path, file in one.bundle.files.items():
            if not path.endswith(".md") or file.symlink or b"\r" in file.content or b"\0" in file.content:
                continue
            try:
                text = file.content.decode("utf-8")
            except UnicodeDecodeError:
                continue
            taken = f"{path}.j2" in one.bundle.files or any(mark in text for mark in _MARKERS)
            if not taken:
                yield _Page(f"{PLUGINS}/{one.name}/{path}", tuple(_PARAGRAPHS.findall(text)))


def _merged(pages: Sequence[_Page]) -> list[_Page]:
    """Join paragraphs that are always next to each other, so that a shared passage is one fragment."""
    after: dict[str, set[str]] = defaultdict(set)
    before: dict[str, set[str]] = defaultdict(set)
    for page in pages:
        for first, second in zip(("", *page.blocks), (*page.blocks, ""), strict=True):
            after[first].add(second)
            before[second].add(first)

    def belong(first: str, second: str) -> bool:
        return after[first] == {second} and before[second] == {first}

    merged = []
    for page in pages:
        blocks: list[str] = []
        last = ""
        for block in page.blocks:
            if blocks and belong(last, block):
                blocks[-1] += block
            else:
                blocks.append(block)
            last = block
        merged.append(_Page(page.path, tuple(blocks)))
    return merged


def _pays(block: str, count: int, fewest: int) -> bool:
    lines = block.count("\n")
    return count >= fewest and block.endswith("\n") and lines >= _FEWEST_LINES


def _name(block: str) -> str:
    """Return the path of a fragment: its first words, and a digest that keeps it unique."""
    words = "-".join(_SLUG.findall(block.lower())[:5])[:40].strip("-")
    digest = hashlib.sha256(block.encode()).hexdigest()[:8]
    return f"{FOLDER}/{words}-{digest}.md.j2" if words else f"{FOLDER}/{digest}.md.j2"


def _source(block: str, names: Mapping[str, str]) -> str:
    name = names.get(block)
    return f'{{% include "{name}" %}}\n' if name else _escaped(block)


def _escaped(text: str) -> str:
    """Return a text as a template that renders to it."""
    return _BRACES.sub(lambda found: f"{{{{ '{found.group()}' }}}}", text)


def _put(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
