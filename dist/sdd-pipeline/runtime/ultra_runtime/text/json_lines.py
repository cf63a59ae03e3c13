"""Find the line of every key in the first levels of a JSON object, for a message that names one."""

from __future__ import annotations

from ultra_runtime.text.jsontext import SPACE, scanners

DEEPEST = 3


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the line of each key by its path; the text has been read as one JSON object before."""
    walk = _Walk(text)
    walk.read_object(text.index("{"), ())
    return walk.lines


class _Walk:
    """Reads the text from left to right and counts lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: dict[tuple[str, ...], int] = {}
        self.line, self.counted = 1, 0
        self.scan_string, self.scan_value = scanners()

    def read_object(self, at: int, path: tuple[str, ...]) -> int:
        """Read the object that opens here and return the place after it."""
        at = self._skip(at + 1)
        while self.text[at] != "}":
            self.line, self.counted = self.line + self.text.count("\n", self.counted, at), at
            name, at = self.scan_string(self.text, at + 1, True)
            inner = (*path, name)
            self.lines[inner] = self.line
            at = self._skip(self._skip(at) + 1)
            if self.text[at] == "{" and len(inner) < DEEPEST:
                at = self.read_object(at, inner)
            else:
                _, at = self.scan_value(self.text, at)
            at = self._skip(at)
            if self.text[at] == ",":
                at = self._skip(at + 1)
        return at + 1

    def _skip(self, at: int) -> int:
        while self.text[at] in SPACE:
            at += 1
        return at
