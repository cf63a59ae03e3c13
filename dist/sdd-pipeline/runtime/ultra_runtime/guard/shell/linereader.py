"""Read what is between words: blanks, comments, newlines, redirections, here-documents."""

from __future__ import annotations

from ultra_runtime.guard.shell.syntax import LITERAL, QUOTED, Redirection, Script, Word, WordPart
from ultra_runtime.guard.shell.wordreader import WordReader
from ultra_runtime.struct import Struct

_OPERATORS = ("&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">")


class _Here(Struct):
    """A here-document whose body is still to come."""

    redirection: Redirection
    delimiter: str
    quoted: bool
    strip: bool


class LineReader(WordReader):
    """Reads on from word to word, and over here-documents from line to line."""

    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text, depth)
        self._pending: list[_Here] = []

    def parenthesis(self) -> Script:
        """Read a substitution, whose newlines do not start the bodies of outer here-documents."""
        outer, self._pending = self._pending, []
        script = super().parenthesis()
        self._pending = outer + self._pending
        return script

    def blank(self) -> None:
        """Skip blanks, line continuations and a comment."""
        text, pos = self.text, self.pos
        if pos >= self.end or text[pos] not in " \t\\#":
            return
        start = pos
        while pos < self.end:
            char = text[pos]
            if char == " " or char == "\t":
                pos += 1
            elif char == "\\" and text.startswith("\n", pos + 1):
                pos += 2
            else:
                break
        if text.startswith("#", pos):
            newline = text.find("\n", pos)
            pos = self.end if newline < 0 else newline
        self.steps += pos - start
        self.pos = pos

    def newline(self) -> None:
        """Skip a newline and the here-documents that follow it."""
        self.pos += 1
        if self._pending:
            self.bodies()

    def newlines(self) -> None:
        """Skip blanks and newlines."""
        self.blank()
        while self.text.startswith("\n", self.pos):
            self.newline()
            self.blank()

    def redirection(self) -> Redirection | None:
        """Read the redirection at this place, or nothing."""
        text, at = self.text, self.pos
        if text.startswith("{", at):
            close = text.find("}", at, at + 40)
            if (
                close < 0
                or text[close + 1 : close + 2] not in ("<", ">")
                or not text[at + 1 : close].isidentifier()
            ):
                return None
            at = close + 1
        else:
            while text[at : at + 1].isdecimal():
                at += 1
        if text[at : at + 1] not in ("<", ">", "&") or (text.startswith("(", at + 1) and at == self.pos):
            return None
        op = next((o for o in _OPERATORS if text.startswith(o, at)), "")
        if not op:
            return None
        fd = text[self.pos : at]
        self.pos = at + len(op)
        self.blank()
        start = self.pos
        target = self.word() or Word([])
        redirection = Redirection(fd, op, target)
        if op in ("<<", "<<-"):
            self._here(redirection, text[start : self.pos])
        return redirection

    def _here(self, redirection: Redirection, source: str) -> None:
        """Keep a here-document until the newline after which its body starts."""
        parts = redirection.target.parts
        quoted = any(part.quoted for part in parts)
        if all(part.kind in (LITERAL, QUOTED) for part in parts):
            source = "".join(part.text for part in parts)
        self._pending.append(_Here(redirection, source, quoted, redirection.op == "<<-"))
        redirection.target = Word([])

    def bodies(self) -> None:
        """Read the bodies of the pending here-documents."""
        pending, self._pending = self._pending, []
        for here in pending:
            if here is not pending[0] and self.text.startswith("\n", self.pos):
                self.pos += 1  # behind the delimiter of the one before
            here.redirection.target = self._body(here)

    def _body(self, here: _Here) -> Word:
        """Read one body and its delimiter."""
        text, lines = self.text, []
        while self.pos < self.end:
            newline = text.find("\n", self.pos)
            stop = self.end if newline < 0 else newline
            line = text[self.pos : stop]
            self.steps += len(line) + 1
            if here.strip:
                line = line.lstrip("\t")
            if line == here.delimiter:
                self.pos = stop  # the newline is read again as the end of a line
                break
            # bash takes `EOF)` for the end when a substitution ends there
            if self.parentheses and here.delimiter and line.startswith(here.delimiter + ")"):
                self.pos = stop - len(line) + len(here.delimiter)
                break
            lines.append(line + "\n" if newline >= 0 else line)
            self.pos = min(stop + 1, self.end)
        body = "".join(lines)
        if here.quoted:
            return Word([WordPart(QUOTED, body, True)])
        reader = self.inner(body)
        word = reader.body()
        self.steps += reader.steps
        return word
