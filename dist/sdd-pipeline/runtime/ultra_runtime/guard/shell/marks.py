"""Marks: private-use characters that replace unknown text.

A resolved word is a plain string.  Where a part of it comes from outside the
text (a variable of the environment, the output of a program) one of these
characters takes its place, so that the same string functions and the same
reader work on words that are known only in part.
"""

from __future__ import annotations

UNKNOWN = "\ue000"
FETCHED = "\ue001"  # what a downloader printed
DECODED = "\ue002"  # what a decoder printed
HOME = "\ue003"
USER_HOME = "\ue004"  # the home of the user whose name follows

TAINTS = (FETCHED, DECODED)
OPAQUE = (UNKNOWN, FETCHED, DECODED)
ALL = (UNKNOWN, FETCHED, DECODED, HOME, USER_HOME)

MAX_MADE = 64 * 1024  # the longest text that the guard makes from others
MAX_NAME = 255  # no file has a longer name

_WILD = frozenset((UNKNOWN, FETCHED, DECODED, "*", "?", "["))


def clean(text: str) -> str:
    """Remove marks that are already in the text, so that nobody can forge one, and DOS line endings."""
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    for mark in ALL:
        if mark in text:
            text = text.replace(mark, "\ufffd")
    return text


def known(word: str) -> bool:
    """Tell whether every part of the word is known."""
    return UNKNOWN not in word and FETCHED not in word and DECODED not in word


def taint(text: str) -> str:
    """Return the marks of foreign text in a text."""
    return "".join(mark for mark in TAINTS if mark in text)


def replaced(text: str, old: str, new: str, times: int = -1) -> str:
    """Replace a part of a text; what would grow beyond the longest text is unknown."""
    count = text.count(old) if times < 0 else times
    if len(text) + count * (len(new) - len(old)) > MAX_MADE:
        return UNKNOWN + taint(text + new)
    return text.replace(old, new, times)


def base_name(word: str) -> str:
    """Return the last component of a path, which is the name of a command."""
    return word[word.rfind("/") + 1 :]


def collapsed(path: str) -> str:
    """Remove `//`, `.` and `name/..` from a path."""
    if "/." not in path and "//" not in path and path[:1] != ".":
        return path
    out: list[str] = []
    for at, name in enumerate(path.split("/")):
        if name == ".." and out and out[-1] not in ("..", ".", HOME) and UNKNOWN not in out[-1]:
            if out != [""]:  # above the root is the root
                out.pop()
        elif name not in (".", "") or not at:
            out.append(name)
    return "/".join(out) or ("/" if path[0] == "/" else "")


def show(word: str) -> str:
    """Return a word for people: unknown parts as three dots, the home as a tilde."""
    for mark in OPAQUE:
        word = word.replace(mark, "...")
    return word.replace(HOME, "~").replace(USER_HOME, "~")


def pieces(word: str) -> list[str]:
    """Split a word at its unknown parts and glob characters."""
    out = [""]
    in_set, has_sets = False, "]" in word
    for char in word:
        if in_set:
            in_set = char != "]"
        elif char in _WILD:
            in_set = char == "[" and has_sets
            out.append("")
        else:
            out[-1] += char
    return out


def may_be(word: str, target: str) -> bool:
    """Tell whether the word could be the target, for some values of its unknown parts."""
    parts = pieces(word)
    if len(parts) == 1:
        return word == target
    head, tail = parts[0], parts[-1]
    if len(head) + len(tail) > len(target) or not (target.startswith(head) and target.endswith(tail)):
        return False
    at, end = len(head), len(target) - len(tail)
    for part in parts[1:-1]:
        found = target.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
