"""Plain arithmetic of the shell: whole numbers in any base, variables, + - * / % and parentheses."""

from __future__ import annotations

from ultra_runtime.guard.shell.marks import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.shell.shell_state import Shell

MAX_TEXT = 200
MAX_NUMBER = 10**9
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789#")


class _NoNumber(Exception):
    """The text is more than plain arithmetic, or not known."""


def value_of(text: str, shell: Shell) -> int | None:
    """Return the value of an expression, or None when it is not certain."""
    if len(text) > MAX_TEXT or not known(text):
        return None
    sum_ = _Sum(text, shell)
    try:
        value = sum_.terms()
    except (_NoNumber, RecursionError):
        return None
    return value if not sum_.next() else None


class _Sum:
    """A place in an expression."""

    def __init__(self, text: str, shell: Shell) -> None:
        self.text = "".join(text.split()).replace("$", "")
        self.at = 0
        self.shell = shell

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def terms(self) -> int:
        """Read what + and - join."""
        value = self._factors()
        while self.next() and self.next() in "+-":
            sign = 1 if self.next() == "+" else -1
            self.at += 1
            value = _small(value + sign * self._factors())
        return value

    def _factors(self) -> int:
        value = self._one()
        while self.next() and self.next() in "*/%":
            sign = self.next()
            self.at += 1
            other = self._one()
            if sign == "*":
                value = _small(value * other)
            elif other == 0:
                raise _NoNumber
            else:  # the shell rounds towards zero
                whole = abs(value) // abs(other) * (1 if (value < 0) == (other < 0) else -1)
                value = whole if sign == "/" else value - whole * other
        return value

    def _one(self) -> int:
        """Read a number, a variable, or what is in parentheses."""
        char = self.next()
        if char and char in "+-":
            self.at += 1
            return self._one() if char == "+" else -self._one()
        if char == "(":
            self.at += 1
            value = self.terms()
            if self.next() != ")":
                raise _NoNumber
            self.at += 1
            return value
        start = self.at
        while self.next() and self.next() in _NAME:
            self.at += 1
        word = self.text[start : self.at]
        if not word:
            raise _NoNumber
        if not word[0].isdecimal():
            found = self.shell.get(word)
            word = found if isinstance(found, str) else "?"
        return _number(word)


def _number(word: str) -> int:
    """Return a number as the shell reads it: 0x1f, 017 and 2#101 have a base of their own."""
    base, mark, digits = word.partition("#")
    if not mark:
        base, digits = (
            ("16", word[2:]) if word[:2] in ("0x", "0X") else ("8" if word[:1] == "0" else "10", word)
        )
    if len(word) > 12 or not base.isdecimal() or not 2 <= int(base) <= 36 or not digits.isalnum():
        raise _NoNumber
    try:
        return _small(int(digits, int(base)))
    except ValueError:
        raise _NoNumber from None


def _small(value: int) -> int:
    if abs(value) > MAX_NUMBER:
        raise _NoNumber
    return value
