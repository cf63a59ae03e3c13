"""The syntax tree of shell text: words of parts, commands, pipelines, scripts."""

from __future__ import annotations

from ultra_runtime.struct import Struct

LITERAL, QUOTED, VARIABLE, SUBSTITUTION, PROCESS, ARITHMETIC = range(6)


class WordPart:
    """One stretch of a word: text, or an expansion that gives text."""

    # No Struct: a command has many of them.
    __slots__ = ("index", "kind", "op", "quoted", "script", "text", "word")

    def __init__(
        self,
        kind: int,
        text: str = "",
        quoted: bool = False,
        op: str = "",
        word: Word | None = None,
        script: Script | None = None,
        index: Word | None = None,
    ) -> None:
        self.kind = kind
        self.text = text  # literal text, the name of a variable, "<" or ">" of a process
        self.quoted = quoted
        self.op = op  # the operator of ${name op word}
        self.word = word
        self.script = script
        self.index = index


class Word:
    """A word before expansion."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[WordPart]) -> None:
        self.parts = parts

    def plain(self) -> str | None:
        """Return the text when nothing in the word is quoted or expanded."""
        if len(self.parts) == 1 and self.parts[0].kind == LITERAL:
            return self.parts[0].text
        return None

    def variable(self) -> str:
        """Return the name of the variable that is the whole word, or nothing."""
        part = self.parts[0]
        return part.text if len(self.parts) == 1 and part.kind == VARIABLE and not part.op else ""

    def branches(self) -> bool:
        """Tell whether a command substitution of the word chooses what it prints."""
        return any(
            pipeline.decides
            or any(isinstance(one, Compound) and one.kind in ("if", "case") for one in pipeline.commands)
            for part in self.parts
            if part.script is not None
            for pipeline in part.script.pipelines
        )


class ShellAssignment(Struct):
    """`name=value`, `name+=value` or `name=(values)`."""

    name: str
    value: Word | None
    values: list[Word] | None
    append: bool


class Redirection(Struct):
    """`fd op target`; the target of a here-document is its body."""

    fd: str
    op: str
    target: Word


class SimpleCommand:
    """A simple command."""

    __slots__ = ("assignments", "redirections", "words")

    def __init__(self) -> None:
        self.assignments: list[ShellAssignment] = []
        self.words: list[Word] = []
        self.redirections: list[Redirection] = []

    def expands(self) -> bool:
        """Tell whether the words after the first contain an expansion, for this shell or the next."""
        for word in self.words[1:]:
            for part in word.parts:
                if part.kind not in (LITERAL, QUOTED) or "$" in part.text or "`" in part.text:
                    return True
        return False


class Compound:
    """A loop, a branch, a group, a function: scripts inside, words at its head."""

    __slots__ = ("kind", "name", "redirections", "scripts", "words")

    def __init__(
        self, kind: str, scripts: list[Script], words: list[Word] | None = None, name: str = ""
    ) -> None:
        self.kind = kind
        self.scripts = scripts
        self.words = words
        self.name = name
        self.redirections: list[Redirection] = []


class Pipeline:
    """Commands joined by pipes."""

    __slots__ = ("background", "commands", "decides")

    def __init__(self, commands: list[SimpleCommand | Compound]) -> None:
        self.commands = commands
        self.background = False
        self.decides = False  # && or || follows: the next one may not run


class Script:
    """Pipelines one after the other."""

    __slots__ = ("pipelines",)

    def __init__(self) -> None:
        self.pipelines: list[Pipeline] = []

    def only(self) -> SimpleCommand | None:
        """Return the command of a script that is one simple command: no list, no pipe, not in the background."""
        if len(self.pipelines) != 1 or len(self.pipelines[0].commands) != 1 or self.pipelines[0].background:
            return None
        command = self.pipelines[0].commands[0]
        return command if isinstance(command, SimpleCommand) else None

    def is_plain(self) -> bool:
        """Tell whether the script is one simple command without an assignment."""
        command = self.only()
        return command is not None and not command.assignments

    def file_read(self) -> Redirection | None:
        """Return the redirection of `$(< file)`, which prints the file."""
        command = self.only()
        if command is None or command.words or command.assignments or len(command.redirections) != 1:
            return None
        return command.redirections[0] if command.redirections[0].op == "<" else None


class Unreadable(Exception):
    """Text that cannot be parsed: a quote or bracket without its end."""


class TooMuch(Unreadable):
    """Text beyond a limit; reading stops there."""
