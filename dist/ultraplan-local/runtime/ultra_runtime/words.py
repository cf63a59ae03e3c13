"""Format names, paths and values for messages of one line."""

from __future__ import annotations

from ultra_runtime.typed import Iterable

PLAIN_IN_SHELL = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,")


def one_line(text: str, limit: int = 160) -> str:
    """Return the text on one line: control characters as escapes, the middle of a long one left out."""
    if len(text) > limit:
        text = f"{text[: limit // 2]}...{text[-limit // 4 :]}"
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii") for letter in text
    )


def shell_word(text: str) -> str:
    """Return the text as one word of a shell command."""
    if text and PLAIN_IN_SHELL.issuperset(text):
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"


def listed(names: Iterable[str], word: str = "and") -> str:
    """Return the names as a list in words."""
    *rest, last = list(names) or ["nothing"]
    return f"{', '.join(rest)} {word} {last}" if rest else last


def shortened(names: Iterable[str], most: int) -> list[str]:
    """Return the first names, and as the last one how many more there are."""
    found = list(names)
    return found[:most] + ([f"{len(found) - most} more"] if len(found) > most else [])


def first_of(names: Iterable[str], most: int, sign: str = ", ") -> str:
    """Return the first names with a sign between them, and how many more there are."""
    shown = shortened(names, most)
    return sign.join(shown[:most]) + "".join(f" and {more}" for more in shown[most:])


def bare_words(text: str) -> str:
    """Return the letters and digits of a text in one case, so that only its words are compared."""
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


def counted(number: int, thing: str) -> str:
    """Return a count with its noun, in the singular for one."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def text_of(value: object) -> str:
    """Return a value if it is text, else nothing."""
    return value if isinstance(value, str) else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean X?)` for the known word that looks most like this one, or nothing."""
    close = close_words(word, known)
    return f" (did you mean {close[0]}?)" if close else ""


def close_words(word: str, known: Iterable[str]) -> list[str]:
    """Return the known words that look like this one, the nearest first."""
    from difflib import get_close_matches

    # All options begin with dashes, so dashes do not count as likeness.
    names = {name.lstrip("-"): name for name in known}
    return [names[name] for name in get_close_matches(word.lstrip("-"), list(names), 3, 0.6)]
