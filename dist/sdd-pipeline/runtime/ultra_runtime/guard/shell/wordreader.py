"""Read one word of shell text: quotes, escapes, and expansions with what is inside them."""

from __future__ import annotations

from ultra_runtime.guard.shell.syntax import (
    ARITHMETIC,
    LITERAL,
    PROCESS,
    QUOTED,
    SUBSTITUTION,
    VARIABLE,
    Script,
    TooMuch,
    Unreadable,
    Word,
    WordPart,
)

MAX_DEPTH = 40
MAX_BRACKETS = 8 * 1024  # longest arithmetic or pattern

META = frozenset(" \t\n;&|()<>")
SPECIAL = META | frozenset("'\"\\$`")
_ENDS = frozenset(" \t\n;&|)")
_IN_DOUBLE = frozenset('"\\$`')
_IN_BODY = frozenset("\\$`")
_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME = _NAME_START | frozenset("0123456789")
_PARAMETERS = frozenset("@*#?-$!0123456789")
_EXTGLOB = frozenset("?*+@!")
_OPERATORS = (
    ":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,",
    "-", "=", "?", "+", "#", "%", "/", "^", ",", "@", ":",
)  # fmt: skip


class WordReader:
    """A place in a text, and how to read the word at that place."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.pos = 0
        self.end = len(text)
        self.depth = depth
        self.parentheses = 0  # how many are open, for what may end a here-document
        self.braced_commands = True
        self.steps = 0  # characters read, for the tests that check that the work is linear

    def script(self, ends: frozenset[str]) -> Script:
        """Read commands up to one of the ends."""
        script = Script()
        self.commands(script, ends)
        return script

    def commands(self, script: Script, ends: frozenset[str]) -> None:
        """Read commands into a script."""
        raise NotImplementedError

    def inner(self, text: str) -> WordReader:
        """Return a reader for a part of this text."""
        raise NotImplementedError

    def deeper(self) -> None:
        """Count one level of nesting, and refuse where there are too many."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooMuch("nested too deep")

    def word(self) -> Word | None:
        """Read the word that starts here, or nothing."""
        text = self.text
        parts: list[WordPart] = []
        if self.pos < self.end and text[self.pos] not in SPECIAL:  # most words are nothing but text
            parts.append(WordPart(LITERAL, self.run(SPECIAL)))
            if self.pos >= self.end or text[self.pos] in _ENDS:
                return Word(parts)
        while self.pos < self.end:
            char = text[self.pos]
            if char not in SPECIAL:
                parts.append(WordPart(LITERAL, self.run(SPECIAL)))
            elif char in "<>":
                if not text.startswith("(", self.pos + 1):
                    break
                parts.append(self._process(char))
            elif char in META:
                if not (char == "(" and self._pattern_group(parts)):
                    break
            else:
                self._unquoted(char, parts)
        return Word(parts) if parts else None

    def run(self, stops: frozenset[str]) -> str:
        """Read the run of characters up to one of the stops."""
        text, end, start = self.text, self.end, self.pos
        pos = start
        while pos < end and text[pos] not in stops:
            pos += 1
        self.pos = pos
        self.steps += pos - start + 1
        return text[start:pos]

    def _unquoted(self, char: str, parts: list[WordPart]) -> None:
        """Read a quote, an escape or an expansion outside double quotes."""
        if char == "'":
            close = self.text.find("'", self.pos + 1)
            if close < 0:
                raise Unreadable("a single quote is not closed")
            parts.append(WordPart(QUOTED, self.text[self.pos + 1 : close], True))
            self.steps += close - self.pos
            self.pos = close + 1
        elif char == '"':
            self.pos += 1
            self._double(parts)
        elif char == "\\":
            self._escape(parts)
        elif char == "$":
            self._dollar(parts, False)
        else:
            self._backquote(parts, False)

    def _escape(self, parts: list[WordPart]) -> None:
        """Read a backslash outside quotes."""
        nxt = self.text[self.pos + 1 : self.pos + 2]
        self.pos += 2
        if nxt != "\n":
            parts.append(WordPart(QUOTED, nxt or "\\", True))

    def _double(self, parts: list[WordPart]) -> None:
        """Read from an opening double quote to its end."""
        before = len(parts)
        while True:
            piece = self.run(_IN_DOUBLE)
            if piece:
                parts.append(WordPart(QUOTED, piece, True))
            if self.pos >= self.end:
                raise Unreadable("a double quote is not closed")
            if self.text[self.pos] == '"':
                self.pos += 1
                if len(parts) == before:  # `""` is an empty word
                    parts.append(WordPart(QUOTED, "", True))
                return
            self._inside_quotes(parts, '$`"\\\n')

    def body(self) -> Word:
        """Read the whole text as a here-document or arithmetic: expansions, but no quotes.

        Bash reads it only when it runs; an expansion without an end is an error then, and text here.
        """
        parts: list[WordPart] = [WordPart(QUOTED, "", True)]
        while self.pos < self.end:
            piece = self.run(_IN_BODY)
            if piece:
                parts.append(WordPart(QUOTED, piece, True))
            start = self.pos
            try:
                if self.pos < self.end:
                    self._inside_quotes(parts, "$`\\\n")
            except TooMuch:
                raise
            except Unreadable:
                parts.append(WordPart(QUOTED, self.text[start:], True))
                break
        return Word(parts)

    def _inside_quotes(self, parts: list[WordPart], escapable: str) -> None:
        """Read an escape or an expansion inside double quotes."""
        char = self.text[self.pos]
        if char == "$":
            self._dollar(parts, True)
        elif char == "`":
            self._backquote(parts, True)
        else:
            nxt = self.text[self.pos + 1 : self.pos + 2]
            self.pos += 2
            if nxt != "\n":
                parts.append(WordPart(QUOTED, nxt if nxt and nxt in escapable else "\\" + nxt, True))

    def _dollar(self, parts: list[WordPart], quoted: bool) -> None:
        """Read what a dollar sign starts."""
        text, at = self.text, self.pos
        nxt = text[at + 1 : at + 2]
        if nxt == "(":
            close = self.arithmetic_end(at + 3) if text.startswith("(", at + 2) else -1
            if close >= 0:
                parts.append(self._arithmetic(at + 3, close, quoted))
                self.pos = close + 2
            else:
                self.pos = at + 2
                parts.append(WordPart(SUBSTITUTION, "", quoted, script=self.parenthesis()))
        elif nxt == "{":
            parts.append(self._parameter(quoted))
        elif nxt == "'" and not quoted:
            from ultra_runtime.guard.shell.quotes import ansi

            piece, end = ansi(text, at + 2)
            if end < 0:
                raise Unreadable("a $' quote is not closed")
            self.steps += end - at
            self.pos = end
            parts.append(WordPart(QUOTED, piece, True))
        elif nxt == '"' and not quoted:
            self.pos = at + 1
        elif nxt in _NAME_START and nxt:
            self.pos = at + 1
            parts.append(WordPart(VARIABLE, self._name(), quoted))
        elif nxt in _PARAMETERS and nxt:
            self.pos = at + 2
            parts.append(WordPart(VARIABLE, nxt, quoted))
        elif nxt == "[" and (close := self._bracket_end(at + 2, "[]")) >= 0:
            parts.append(self._arithmetic(at + 2, close, quoted))
            self.pos = close + 1
        else:
            self.pos = at + 1
            parts.append(WordPart(QUOTED if quoted else LITERAL, "$", quoted))

    def _name(self) -> str:
        """Read the name of a variable."""
        start = self.pos
        while self.pos < self.end and self.text[self.pos] in _NAME:
            self.pos += 1
        return self.text[start : self.pos]

    def parenthesis(self) -> Script:
        """Read commands after an opening parenthesis, and the closing one."""
        script = self.script(frozenset(")"))
        if self.pos >= self.end:
            raise Unreadable("a parenthesis is not closed")
        self.pos += 1
        return script

    def _process(self, direction: str) -> WordPart:
        """Read <(...) or >(...)."""
        self.pos += 2
        return WordPart(PROCESS, direction, script=self.parenthesis())

    def _backquote(self, parts: list[WordPart], quoted: bool) -> None:
        """Read `...`, whose text is a separate script once its escapes are resolved."""
        text, at = self.text, self.pos + 1
        out: list[str] = []
        escapable = '$`\\"' if quoted else "$`\\"
        while True:
            end = at
            while end < self.end and text[end] != "`" and text[end] != "\\":
                end += 1
            out.append(text[at:end])
            if end >= self.end:
                raise Unreadable("a backquote is not closed")
            if text[end] == "`":
                break
            nxt = text[end + 1 : end + 2]
            out.append(nxt if nxt and nxt in escapable else "\\" + nxt)
            at = end + 2
        self.steps += end - self.pos
        self.pos = end + 1
        parts.append(WordPart(SUBSTITUTION, "", quoted, script=self._read_apart("".join(out))))

    def _read_apart(self, text: str) -> Script:
        """Read a script that bash reads only when it runs: a part that cannot be parsed ends it."""
        reader = self.inner(text)
        script = Script()
        try:
            reader.commands(script, frozenset())
        except TooMuch:
            raise
        except Unreadable:
            pass
        self.steps += reader.steps
        return script

    def _arithmetic(self, start: int, close: int, quoted: bool) -> WordPart:
        """Read the arithmetic between two places for the expansions inside it."""
        reader = self.inner(self.text[start:close])
        word = reader.body()
        self.steps += reader.steps
        return WordPart(ARITHMETIC, "", quoted, word=word)

    def arithmetic_end(self, at: int) -> int:
        """Return the place of the `))` of arithmetic that starts here, or -1 when there is none."""
        close = self._bracket_end(at, "()")
        return close if close >= 0 and self.text.startswith(")", close + 1) else -1

    def _bracket_end(self, at: int, brackets: str) -> int:
        """Return the place of the bracket that closes what starts here, or -1."""
        level = 0
        limit = at + MAX_BRACKETS
        while at := self._next_bracket(at, limit, brackets):
            if self.text[at] == brackets[0]:
                level += 1
            elif level:
                level -= 1
            else:
                return at
            at += 1
        return -1

    def _next_bracket(self, at: int, limit: int, brackets: str) -> int:
        """Return the next place of one of two brackets outside quotes, or 0: a text does not begin with what they close."""
        text, end, start = self.text, min(self.end, limit), at
        while at < end:
            char = text[at]
            if char in brackets:
                self.steps += at - start
                return at
            if char == "\\":
                at += 2
            elif char in "'\"`":
                close = text.find(char, at + 1)
                if close < 0:
                    break
                at = close + 1
            else:
                at += 1
        self.steps += end - start
        return 0

    def _pattern_group(self, parts: list[WordPart]) -> bool:
        """Read `(...)` after one of ?*+@!, which is a pattern, not a command."""
        if not parts or parts[-1].kind != LITERAL or parts[-1].text[-1:] not in _EXTGLOB:
            return False
        at, level = self.pos, 0
        limit = at + MAX_BRACKETS
        while at := self._next_bracket(at, limit, "()"):
            level += 1 if self.text[at] == "(" else -1
            at += 1
            if not level:
                parts.append(WordPart(LITERAL, self.text[self.pos : at]))
                self.pos = at
                return True
        return False

    def _parameter(self, quoted: bool) -> WordPart:
        """Read ${...}."""
        self.deeper()
        text = self.text
        self.pos += 2
        if self.braced_commands and text[self.pos : self.pos + 1] in (" ", "\t", "\n", "|"):
            script = self._braced()
            if script is not None:
                self.depth -= 1
                return WordPart(SUBSTITUTION, "", quoted, script=script)
        prefix = text[self.pos : self.pos + 1]
        if (
            prefix
            and prefix in "!#"
            and text[self.pos + 1 : self.pos + 2] not in ("}", ":", "-", "", "?", "%")
        ):
            self.pos += 1
        else:
            prefix = ""
        name = self._name()
        if not name:
            while self.pos < self.end and text[self.pos].isdecimal():
                name += text[self.pos]
                self.pos += 1
        if not name and text[self.pos : self.pos + 1] in _PARAMETERS:
            name = text[self.pos : self.pos + 1]
            self.pos += 1
        index = None
        if text.startswith("[", self.pos):
            self.pos += 1
            index = self._operand("]", quoted)
        op = next((o for o in _OPERATORS if text.startswith(o, self.pos)), "")
        self.pos += len(op)
        word = self._operand("}", quoted)
        if not op and word.parts:
            op = "other"
        self.depth -= 1
        return WordPart(VARIABLE, name, quoted, prefix + op, word, None, index)

    def _braced(self) -> Script | None:
        """Read ${ command; } as newer shells do; other shells reject it."""
        state = self.pos, self.depth, self.parentheses
        self.pos += 1
        try:
            script = self.script(frozenset(("}",)))
            if self.text.startswith("}", self.pos):
                self.pos += 1
                return script
        except TooMuch:
            raise
        except Unreadable:
            pass
        self.pos, self.depth, self.parentheses = state
        self.braced_commands = False  # only once: trying at every level would double the work each time
        return None

    def _operand(self, closer: str, quoted: bool) -> Word:
        """Read the text inside ${...} and its end."""
        parts: list[WordPart] = []
        stops = frozenset(closer + '\\$`"') if quoted else frozenset(closer + "\\$`\"'<>")
        while True:
            piece = self.run(stops)
            if piece:
                parts.append(WordPart(QUOTED if quoted else LITERAL, piece, quoted))
            if self.pos >= self.end:
                raise Unreadable("a ${ is not closed")
            char = self.text[self.pos]
            if char == closer:
                self.pos += 1
                return Word(parts)
            if char in "<>":
                if self.text.startswith("(", self.pos + 1):
                    parts.append(self._process(char))
                else:
                    parts.append(WordPart(LITERAL, char))
                    self.pos += 1
            elif char == '"' or not quoted:
                self._unquoted(char, parts)
            elif self.text.startswith("\\}", self.pos):
                parts.append(WordPart(QUOTED, "}", True))
                self.pos += 2
            else:
                self._inside_quotes(parts, '$`"\\\n')
