"""Read loops, branches and tests: the commands with reserved words."""

from __future__ import annotations

from ultra_runtime.guard.shell.linereader import LineReader
from ultra_runtime.guard.shell.syntax import Compound, Script, Word
from ultra_runtime.guard.shell.wordreader import META, SPECIAL

OPENERS = frozenset(("{", "if", "while", "until", "for", "select", "case", "function", "[["))
CLOSERS = frozenset(("}", "then", "do", "done", "elif", "else", "fi", "esac"))
_KEYWORDS = OPENERS | CLOSERS | frozenset(("!", "time", "coproc"))
_FIRST = frozenset(word[0] for word in _KEYWORDS)
DONE, CLOSE_BRACE, DO = frozenset(("done",)), frozenset(("}",)), frozenset(("do",))
_BRANCHES, _ITEM = frozenset(("elif", "else", "fi")), frozenset((";;", "esac"))


class CompoundReader(LineReader):
    """Reads compound commands; a subclass reads the commands inside."""

    def keyword(self) -> str:
        """Return the reserved word at this place, or nothing."""
        text, pos = self.text, self.pos
        if pos >= self.end or text[pos] not in _FIRST:
            return ""
        stop = min(self.end, pos + 9)
        while pos < stop and text[pos] not in SPECIAL:
            pos += 1
        word = text[self.pos : pos]
        if word not in _KEYWORDS or (pos < self.end and text[pos] not in META):
            return ""
        return word

    def take(self, keyword: str) -> bool:
        """Skip the keyword if it is at this place."""
        if self.keyword() != keyword:
            return False
        self.pos += len(keyword)
        return True

    def until(self, ends: frozenset[str]) -> Script:
        """Read commands up to and including one of the reserved words."""
        script = self.script(ends)
        if self.pos < self.end and self.keyword() in ends:
            self.pos += len(self.keyword())
        return script

    def if_command(self) -> Compound:
        """Read the branches of an `if`."""
        scripts = [self.until(frozenset(("then",)))]
        while True:
            scripts.append(self.script(_BRANCHES))
            keyword = self.keyword() if self.pos < self.end else ""
            self.pos += len(keyword) if keyword in _BRANCHES else 0
            if keyword == "elif":
                scripts.append(self.until(frozenset(("then",))))
            elif keyword != "else":
                return Compound("if", scripts)

    def for_command(self) -> Compound:
        """Read a `for` or `select` loop."""
        self.blank()
        words: list[Word] | None = None
        name = ""
        if self.text.startswith("((", self.pos):
            close = self.arithmetic_end(self.pos + 2)
            if close >= 0:
                words = [Word([self._arithmetic(self.pos + 2, close, True)])]
                self.pos = close + 2
        else:
            name = self.run(SPECIAL)
            self.newlines()
            if self.text.startswith("in", self.pos) and self.text[self.pos + 2 : self.pos + 3] in (
                *META,
                "\\",
                "",
            ):
                self.pos += 2
                words = self._list()
        self.separators(False)
        if self.take("{"):
            return Compound("for", [self.until(CLOSE_BRACE)], words, name)
        self.take("do")
        return Compound("for", [self.until(DONE)], words, name)

    def _list(self) -> list[Word]:
        """Read words up to the end of the command."""
        words: list[Word] = []
        while True:
            self.blank()
            word = self.word()
            if word is None:
                return words
            words.append(word)

    def case_command(self) -> Compound:
        """Read a `case`; its patterns are words, its items scripts."""
        self.blank()
        subject = self.word()
        words = [subject] if subject else []
        scripts: list[Script] = []
        self.newlines()
        if not self.text.startswith("in", self.pos):
            return Compound("case", scripts, words)
        self.pos += 2
        while True:
            self.newlines()
            if self.pos >= self.end or self.take("esac"):
                return Compound("case", scripts, words)
            start = self.pos
            self._patterns(words)
            scripts.append(self.script(_ITEM))
            if self.text.startswith(";", self.pos):
                self.pos += 3 if self.text.startswith(";;&", self.pos) else 2
            if self.pos == start:
                return Compound("case", scripts, words)

    def _patterns(self, words: list[Word]) -> None:
        """Read the patterns of one item and their parenthesis."""
        if self.text.startswith("(", self.pos):
            self.pos += 1
        while self.pos < self.end:
            self.newlines()
            word = self.word()
            if word is not None:
                words.append(word)
            elif self.text.startswith("|", self.pos):
                self.pos += 1
            else:
                break
        if self.text.startswith(")", self.pos):
            self.pos += 1

    def test_command(self) -> Compound:
        """Read [[ ... ]], in which operators of the shell are operators of the test."""
        words: list[Word] = []
        while self.pos < self.end:
            self.newlines()
            word = self.word()
            if word is None:
                self.pos += 1
            elif word.plain() == "]]":
                break
            else:
                words.append(word)
        return Compound("test", [], words)

    def separators(self, in_case: bool) -> None:
        """Skip what may separate commands."""
        while self.pos < self.end:
            self.blank()
            char = self.text[self.pos : self.pos + 1]
            if char == "\n":
                self.newline()
            elif char == ";":
                if in_case and self.text[self.pos + 1 : self.pos + 2] in (";", "&", "|"):
                    return
                self.pos += 1
            elif char == "&" and not self.text.startswith(">", self.pos + 1):
                self.pos += 1
            else:
                return
