"""Read shell text into a tree of commands.

The reader follows bash, but is more lenient: a missing `fi` or a stray `)` does not
stop it, since it is safer to read on.  Only text that cannot be parsed is refused: an
open quote or substitution, and text beyond a limit.
"""

from __future__ import annotations

from ultra_runtime.guard.shell.compoundreader import CLOSE_BRACE, CLOSERS, DO, DONE, OPENERS, CompoundReader
from ultra_runtime.guard.shell.syntax import (
    LITERAL,
    SUBSTITUTION,
    Compound,
    Pipeline,
    Script,
    ShellAssignment,
    SimpleCommand,
    Unreadable,
    Word,
    WordPart,
)
from ultra_runtime.guard.shell.wordreader import SPECIAL

MAX_TEXT = 256 * 1024

_REDIRECTS = frozenset("<>&{0123456789")  # what a redirection may begin with
_ASSIGNABLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def read(text: str) -> tuple[Script, str, int]:
    """Read the text: what could be read, why the rest could not, and the work it took."""
    reader = Reader(text)
    script = Script()
    if len(text) > MAX_TEXT:
        return script, "too long", 0
    if "\0" in text:
        return script, "a NUL character", 0
    try:
        reader.commands(script, frozenset())
        reader.bodies()
    except Unreadable as error:
        return script, str(error), reader.steps
    return script, "", reader.steps


class Reader(CompoundReader):
    """Reads commands; its base classes read words and redirections."""

    def inner(self, text: str) -> Reader:
        """Return a reader for a part of this text."""
        reader = Reader(text, self.depth)
        reader.braced_commands = self.braced_commands
        reader.deeper()
        return reader

    def commands(self, script: Script, ends: frozenset[str]) -> None:
        """Read commands up to one of the ends, which is left unread.

        They are added to an existing script, so that commands before an error are kept.
        """
        self.deeper()
        closed = ")" in ends
        self.parentheses += closed
        while True:
            self.separators(";;" in ends)
            if self.pos >= self.end:
                break
            char = self.text[self.pos]
            if char == ")":
                if self.parentheses:
                    break
                self.pos += 1
                continue
            if char == ";":
                break
            keyword = self.keyword()
            if keyword in CLOSERS:
                if keyword in ends:
                    break
                self.pos += len(keyword)
                continue
            start = self.pos
            self._pipeline(script)
            if self.pos == start:  # not a command: skip it
                self.pos += 1
        self.parentheses -= closed
        self.depth -= 1

    def _pipeline(self, script: Script) -> None:
        """Read commands joined by pipes."""
        pipeline = Pipeline([])
        script.pipelines.append(pipeline)
        while True:
            self._prefixes()
            self._command(pipeline.commands)
            self.blank()
            if not self.text.startswith("|", self.pos) or self.text.startswith("||", self.pos):
                break
            self.pos += 2 if self.text.startswith("|&", self.pos) else 1
            self.newlines()
        if self.text.startswith(("&&", "||"), self.pos):
            self.pos += 2
            pipeline.decides = True
        elif self.text.startswith("&", self.pos) and not self.text.startswith("&>", self.pos):
            self.pos += 1
            pipeline.background = True

    def _prefixes(self) -> None:
        """Skip `!`, `time` and `coproc`."""
        while True:
            self.blank()
            keyword = self.keyword()
            if keyword == "!":
                self.pos += 1
            elif keyword == "time":
                here = self.pos
                self.pos += 4
                self.blank()
                if self.text.startswith("-", self.pos):  # with options it is the program
                    self.pos = here
                    return
            elif keyword == "coproc":
                self.pos += 6
                self._coproc_name()
            elif self.text.startswith("!(", self.pos):
                self.pos += 1
            else:
                return

    def _coproc_name(self) -> None:
        """Skip the name of a coproc, which only a compound command can have."""
        self.blank()
        here = self.pos
        self.run(SPECIAL)
        self.blank()
        if self.keyword() not in OPENERS and not self.text.startswith("(", self.pos):
            self.pos = here

    def _command(self, into: list[SimpleCommand | Compound]) -> None:
        """Read one command."""
        keyword = self.keyword()
        if self.text.startswith("(", self.pos):
            compound = self._parenthesized()
        elif keyword in OPENERS:
            self.pos += len(keyword)
            compound = self._compound(keyword)
        else:
            self._simple(into)
            return
        into.append(compound)
        self._redirections(compound)

    def _redirections(self, command: SimpleCommand | Compound) -> None:
        """Read the redirections after a compound command."""
        while True:
            self.blank()
            redirection = self.redirection()
            if redirection is None:
                return
            command.redirections.append(redirection)

    def _parenthesized(self) -> Compound:
        """Read a subshell or an arithmetic command."""
        if self.text.startswith("((", self.pos):
            close = self.arithmetic_end(self.pos + 2)
            if close >= 0:
                word = Word([self._arithmetic(self.pos + 2, close, True)])
                self.pos = close + 2
                return Compound("arithmetic", [], [word])
        self.pos += 1
        script = self.script(frozenset(")"))
        self.pos = min(self.pos + 1, self.end)
        return Compound("subshell", [script])

    def _compound(self, keyword: str) -> Compound:
        """Read what follows a reserved word that opens something."""
        if keyword == "{":
            return Compound("group", [self.until(CLOSE_BRACE)])
        if keyword == "if":
            return self.if_command()
        if keyword in ("while", "until"):
            condition = self.until(DO)
            return Compound("while", [condition, self.until(DONE)])
        if keyword in ("for", "select"):
            return self.for_command()
        if keyword == "case":
            return self.case_command()
        if keyword == "[[":
            return self.test_command()
        self.blank()
        name = self.run(SPECIAL)
        self.blank()
        if self.text.startswith("(", self.pos):
            self.pos = self._empty_parentheses() or self.pos
        return self._function(name)

    def _function(self, name: str) -> Compound:
        """Read the body of a function."""
        self.newlines()
        body = Script()
        holder: list[SimpleCommand | Compound] = []
        self.deeper()
        if self.text.startswith("{", self.pos):  # zsh needs no blank after it
            self.pos += 1
            holder.append(Compound("group", [self.until(CLOSE_BRACE)]))
            self._redirections(holder[0])
        elif self.pos < self.end and self.text[self.pos] not in ";&|)":
            self._command(holder)
        self.depth -= 1
        body.pipelines.append(Pipeline(holder))
        return Compound("function", [body], None, name)

    def _empty_parentheses(self) -> int:
        """Return the place after `( )` if it is at this place, else 0."""
        at = self.pos + 1
        while self.text[at : at + 1] in (" ", "\t"):
            at += 1
        return at + 1 if self.text.startswith(")", at) else 0

    def _simple(self, into: list[SimpleCommand | Compound]) -> None:
        """Read a simple command, or the function that its first word turns out to name."""
        command = SimpleCommand()
        into.append(command)
        text = self.text
        while True:
            self.blank()
            char = text[self.pos : self.pos + 1]
            if not char or char in "\n;)|" or (char == "&" and not text.startswith("&>", self.pos)):
                return
            if char == "(":
                behind = self._empty_parentheses()
                name = command.words[0].plain() if len(command.words) == 1 else None
                if behind and name:
                    self.pos = behind
                    into[-1] = self._function(name)
                    return
                if not command.words:
                    return
                command.words.append(self._argument())
                continue
            redirection = self.redirection() if char in _REDIRECTS else None
            if redirection is not None:
                command.redirections.append(redirection)
                continue
            word = self.word()
            if word is not None:
                self._add(command, word)

    def _argument(self) -> Word:
        """Read `(...)` among arguments: an error in bash, a substitution in fish and PowerShell."""
        self.pos += 1
        script = self.script(frozenset(")"))
        self.pos = min(self.pos + 1, self.end)
        return Word([WordPart(SUBSTITUTION, script=script)])

    def _add(self, command: SimpleCommand, word: Word) -> None:
        """Add a word to the command, as an assignment if it is one."""
        first = word.parts[0]
        name, equals, value = first.text.partition("=")
        if first.kind == LITERAL and equals:
            append = name.endswith("+")
            bare = name[:-1] if append else name
            name = bare.split("[", 1)[0]
            if (
                name
                and _ASSIGNABLE.issuperset(name)
                and not name[0].isdecimal()
                and (name == bare or bare[-1] == "]")
            ):
                if len(word.parts) == 1 and not value and self.text.startswith("(", self.pos):
                    command.assignments.append(ShellAssignment(name, None, self._array(), append))
                    return
                if not command.words:
                    parts = [WordPart(LITERAL, value), *word.parts[1:]]
                    command.assignments.append(ShellAssignment(bare, Word(parts), None, append))
                    return
        command.words.append(word)

    def _array(self) -> list[Word]:
        """Read the values of an array."""
        self.pos += 1
        words: list[Word] = []
        while self.pos < self.end:
            self.newlines()
            word = self.word()
            if word is not None:
                words.append(word)
            elif self.text.startswith(")", self.pos):
                self.pos += 1
                break
            else:
                self.pos += 1
        return words
