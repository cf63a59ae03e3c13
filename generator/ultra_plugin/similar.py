"""Find the known word that somebody meant, and paths that some systems cannot tell apart."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from pathlib import PurePosixPath
from unicodedata import normalize

_MOST_COMPARED = 500
"""With more known words than this, comparing with each of them would take quadratic time for many wrong words."""


@lru_cache(maxsize=4096)
def closest(word: str, known: frozenset[str]) -> str:
    """Return the known word that is most like another word, or ""; of very many, one that differs in a letter."""
    names: Set[str] = known
    if len(known) > _MOST_COMPARED:
        by_cut = _by_cut(known)
        names = {name for cut in _cuts(word) for name in by_cut.get(cut, ())}
    close = difflib.get_close_matches(word, sorted(names), n=1)
    return close[0] if close else ""


@lru_cache(maxsize=8)
def _by_cut(known: frozenset[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in known:
        for cut in _cuts(name):
            found.setdefault(cut, []).append(name)
    return found


def _cuts(word: str) -> set[str]:
    """Return a word, and the word without each of its letters."""
    return {word, *(word[:place] + word[place + 1 :] for place in range(min(len(word), 60)))}


def twins(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each file or folder that some systems take for an earlier one, and how it differs from that one."""
    first: dict[str, str] = {}
    for path in paths:
        for name in (path, *map(str, PurePosixPath(path).parents)):
            if (other := first.setdefault(normalize("NFC", name).casefold(), name)) != name:
                what = "case" if name.casefold() == other.casefold() else "the encoding of a letter"
                yield name, f"differs from '{other}' only in {what}, and some systems keep only one of them"
