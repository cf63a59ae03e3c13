"""Read shell text into a tree of commands.

The reader follows bash, and is lenient where bash is not: a missing `fi` or a
stray `)` does not stop it, since nothing is gained by refusing to look further.
Only text without a reading is refused: an open quote or substitution, and what
passes a bound.
"""

from __future__ import annotations

from ultra_runtime.guard.linereader import LineReader
from ultra_runtime.guard.tree import (
    LITERAL,
    SUBSTITUTION,
    Assignment,
    Command,
    Compound,
    Part,
    Pipeline,
    Script,
    Unreadable,
    Word,
)
from ultra_runtime.guard.wordreader import META, SPECIAL

MAX_TEXT = 256 * 1024

_OPENERS = frozenset(("{", "if", "while", "until", "for", "select", "case", "function", "[["))
_CLOSERS = frozenset(("}", "then", "do", "done", "elif", "else", "fi", "esac"))
_KEYWORDS = _OPENERS | _CLOSERS | frozenset(("!", "time", "coproc"))
_FIRST = frozenset(word[0] for word in _KEYWORDS)
_ASSIGNABLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_DONE, _CLOSE_BRACE, _DO = frozenset(("done",)), frozenset(("}",)), frozenset(("do",))
_BRANCHES, _ITEM = frozenset(("elif", "else", "fi")), frozenset((";;", "esac"))


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


class Reader(LineReader):
    """Reads commands; words and redirections are read by the classes above."""

    def inner(self, text: str) -> Reader:
        """Return a reader for text taken out of this one."""
        reader = Reader(text, self.depth)
        reader.braced_commands = self.braced_commands
        reader.deeper()
        return reader

    def commands(self, script: Script, ends: frozenset[str]) -> None:
        """Read commands up to one of the ends, which is left unread.

        They go into a script that is there already, so that what came before an error is kept.
        """
        self.deeper()
        closed = ")" in ends
        self.parentheses += closed
        while True:
            self._separators(";;" in ends)
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
            keyword = self._keyword()
            if keyword in _CLOSERS:
                if keyword in ends:
                    break
                self.pos += len(keyword)
                continue
            start = self.pos
            self._pipeline(script)
            if self.pos == start:  # nothing here is a command: look behind it
                self.pos += 1
        self.parentheses -= closed
        self.depth -= 1

    def _separators(self, in_case: bool) -> None:
        """Skip what may stand between commands."""
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

    def _keyword(self) -> str:
        """Return the reserved word that stands here, or nothing."""
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

    def _take(self, keyword: str) -> bool:
        """Go behind the keyword if it stands here."""
        if self._keyword() != keyword:
            return False
        self.pos += len(keyword)
        return True

    def _pipeline(self, script: Script) -> None:
        """Read commands joined by pipes."""
        pipeline = Pipeline([], False)
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
        elif self.text.startswith("&", self.pos) and not self.text.startswith("&>", self.pos):
            self.pos += 1
            pipeline.background = True

    def _prefixes(self) -> None:
        """Go behind `!`, `time` and `coproc`."""
        while True:
            self.blank()
            keyword = self._keyword()
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
        """Go behind the name of a coproc, which only a compound command can have."""
        self.blank()
        here = self.pos
        self.run(SPECIAL)
        self.blank()
        if self._keyword() not in _OPENERS and not self.text.startswith("(", self.pos):
            self.pos = here

    def _command(self, into: list[Command | Compound]) -> None:
        """Read one command."""
        keyword = self._keyword()
        if self.text.startswith("(", self.pos):
            compound = self._parenthesized()
        elif keyword in _OPENERS:
            self.pos += len(keyword)
            compound = self._compound(keyword)
        else:
            self._simple(into)
            return
        into.append(compound)
        self._redirections(compound)

    def _redirections(self, command: Command | Compound) -> None:
        """Read the redirections behind a compound command."""
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
            return Compound("group", [self._until(_CLOSE_BRACE)])
        if keyword == "if":
            return self._if()
        if keyword in ("while", "until"):
            condition = self._until(_DO)
            return Compound("while", [condition, self._until(_DONE)])
        if keyword in ("for", "select"):
            return self._for()
        if keyword == "case":
            return self._case()
        if keyword == "[[":
            return self._test()
        self.blank()
        name = self.run(SPECIAL)
        self.blank()
        if self.text.startswith("(", self.pos):
            self.pos = self._empty_parentheses() or self.pos
        return self._function(name)

    def _until(self, ends: frozenset[str]) -> Script:
        """Read commands to behind one of the reserved words."""
        script = self.script(ends)
        if self.pos < self.end and self._keyword() in ends:
            self.pos += len(self._keyword())
        return script

    def _if(self) -> Compound:
        """Read the branches of an `if`."""
        scripts = [self._until(frozenset(("then",)))]
        while True:
            scripts.append(self.script(_BRANCHES))
            keyword = self._keyword() if self.pos < self.end else ""
            self.pos += len(keyword) if keyword in _BRANCHES else 0
            if keyword == "elif":
                scripts.append(self._until(frozenset(("then",))))
            elif keyword != "else":
                return Compound("if", scripts)

    def _for(self) -> Compound:
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
        self._separators(False)
        if self._take("{"):
            return Compound("for", [self._until(_CLOSE_BRACE)], words, name)
        self._take("do")
        return Compound("for", [self._until(_DONE)], words, name)

    def _list(self) -> list[Word]:
        """Read words up to the end of the command."""
        words: list[Word] = []
        while True:
            self.blank()
            word = self.word()
            if word is None:
                return words
            words.append(word)

    def _case(self) -> Compound:
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
            if self.pos >= self.end or self._take("esac"):
                return Compound("case", scripts, words)
            start = self.pos
            self._patterns(words)
            scripts.append(self.script(_ITEM))
            if self.text.startswith(";", self.pos):
                self.pos += 3 if self.text.startswith(";;&", self.pos) else 2
            if self.pos == start:
                return Compound("case", scripts, words)

    def _patterns(self, words: list[Word]) -> None:
        """Read the patterns of one item to behind their parenthesis."""
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

    def _test(self) -> Compound:
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

    def _function(self, name: str) -> Compound:
        """Read the body of a function."""
        self.newlines()
        body = Script()
        holder: list[Command | Compound] = []
        self.deeper()
        if self.text.startswith("{", self.pos):  # zsh needs no blank behind it
            self.pos += 1
            holder.append(Compound("group", [self._until(_CLOSE_BRACE)]))
            self._redirections(holder[0])
        elif self.pos < self.end and self.text[self.pos] not in ";&|)":
            self._command(holder)
        self.depth -= 1
        body.pipelines.append(Pipeline(holder, False))
        return Compound("function", [body], None, name)

    def _empty_parentheses(self) -> int:
        """Return the place behind `( )` when that stands here, else 0."""
        at = self.pos + 1
        while self.text[at : at + 1] in (" ", "\t"):
            at += 1
        return at + 1 if self.text.startswith(")", at) else 0

    def _simple(self, into: list[Command | Compound]) -> None:
        """Read a simple command, or the function that its first word turns out to name."""
        command = Command()
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
            redirection = self.redirection()
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
        return Word([Part(SUBSTITUTION, script=script)])

    def _add(self, command: Command, word: Word) -> None:
        """Put a word into the command, as an assignment where it is one."""
        first = word.parts[0]
        equals = first.text.find("=") if first.kind == LITERAL else -1
        if equals > 0:
            name, append = first.text[:equals], first.text[equals - 1] == "+"
            bare = name[:-1] if append else name
            name = bare.split("[", 1)[0]
            if (
                name
                and _ASSIGNABLE.issuperset(name)
                and not name[0].isdigit()
                and (name == bare or bare[-1] == "]")
            ):
                is_array = (
                    len(word.parts) == 1
                    and equals + 1 == len(first.text)
                    and self.text.startswith("(", self.pos)
                )
                if is_array:
                    command.assignments.append(Assignment(name, None, self._array(), append))
                    return
                if not command.words:
                    value = [Part(LITERAL, first.text[equals + 1 :]), *word.parts[1:]]
                    key = bare if name != bare else name
                    command.assignments.append(Assignment(key, Word(value), None, append))
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
