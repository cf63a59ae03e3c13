"""Resolve escapes inside $'...' and in the format of printf and echo -e."""

from __future__ import annotations

_SIMPLE = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v",
    "e": "\x1b", "E": "\x1b", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")
_WIDTH = {"x": 2, "u": 4, "U": 8}


def _digits(text: str, at: int, allowed: frozenset[str], most: int) -> int:
    """Return the end of a run of digits, up to a maximum length."""
    end = at
    while end < len(text) and end - at < most and text[end] in allowed:
        end += 1
    return end


def escape(text: str, at: int, zero_octal: bool) -> tuple[str, int]:
    """Resolve the escape whose backslash is at that place, with a character behind it: its text and what follows it."""
    nxt = text[at + 1]
    if nxt in _WIDTH:
        end = _digits(text, at + 2, _HEX, _WIDTH[nxt])
        if end == at + 2:
            return "\\" + nxt, end
        code = int(text[at + 2 : end], 16)
        return (chr(code) if code < 0x110000 else "\ufffd"), end
    if nxt in _OCTAL:
        # printf's %b and echo write \0nnn, $'' and the format of printf \nnn
        start = at + 2 if zero_octal and nxt == "0" else at + 1
        end = max(_digits(text, start, _OCTAL, 3), at + 2)
        return chr(int(text[start:end] or "0", 8) & 0xFF), end
    if nxt in _SIMPLE:
        return _SIMPLE[nxt], at + 2
    return "\\" + nxt, at + 2


def resolve(text: str, zero_octal: bool = False) -> str:
    """Resolve all backslash escapes as printf and echo -e do."""
    out: list[str] = []
    at = 0
    while True:
        found = text.find("\\", at)
        if found < 0 or found + 1 == len(text):
            out.append(text[at:])
            return "".join(out)
        out.append(text[at:found])
        if text[found + 1] == "c":  # \c ends the output
            return "".join(out)
        piece, at = escape(text, found, zero_octal)
        out.append(piece)


def ansi(text: str, at: int) -> tuple[str, int]:
    """Read $'...' after its opening quote: the text, and the place after the end or -1."""
    out: list[str] = []
    while True:
        end = at
        while end < len(text) and text[end] != "'" and text[end] != "\\":
            end += 1
        out.append(text[at:end])
        if end >= len(text) or (text[end] == "\\" and end + 1 >= len(text)):
            return "", -1
        if text[end] == "'":
            # bash ends the string at a NUL
            return "".join(out).split("\0", 1)[0], end + 1
        if text[end + 1] == "c" and end + 2 < len(text):
            out.append(chr(ord(text[end + 2]) & 0x1F))
            at = end + 3
            continue
        piece, at = escape(text, end, False)
        out.append(piece)
