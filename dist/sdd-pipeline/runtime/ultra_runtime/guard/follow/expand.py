"""Expand words to strings as the shell does, with marks for unknown parts."""

from __future__ import annotations

from ultra_runtime.guard.shell.marks import HOME, UNKNOWN, USER_HOME
from ultra_runtime.guard.shell.syntax import (
    ARITHMETIC,
    LITERAL,
    PROCESS,
    QUOTED,
    SUBSTITUTION,
    VARIABLE,
    Word,
    WordPart,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower

_BLANK = " \t\n"


class _Fields:
    """Words under construction."""

    __slots__ = ("current", "done", "open")

    def __init__(self) -> None:
        self.done: list[str] = []
        self.current: list[str] = []
        self.open = False  # an empty word counts if part of it was quoted

    def add(self, text: str, quoted: bool) -> None:
        if text or quoted:
            self.current.append(text)
            self.open = True

    def cut(self) -> None:
        """End the current word."""
        if self.open:
            self.done.append("".join(self.current))
            self.current = []
            self.open = False

    def add_split(self, text: str, separators: str) -> None:
        """Add the result of an unquoted expansion, which the shell splits into words."""
        if separators == _BLANK:
            pieces = text.split()
        else:
            pieces = [text[start:end] for start, end in spans(text, separators)]
        if text and text[0] in separators and pieces[:1] != [""]:
            self.cut()
        for at, piece in enumerate(pieces):
            if at:
                self.cut()
            self.add(piece, not piece)
        if pieces and text[-1] in separators:
            self.cut()


def spans(text: str, separators: str) -> list[tuple[int, int]]:
    """Return where the words of a text begin and end; only a separator that is no blank makes an empty word."""
    signs = frozenset(separators)
    blanks = signs.intersection(_BLANK)
    found: list[tuple[int, int]] = []
    at, end = 0, len(text)
    while at < end and text[at] in blanks:
        at += 1
    while at < end:
        start = at
        while at < end and text[at] not in signs:
            at += 1
        found.append((start, at))
        while at < end and text[at] in blanks:
            at += 1
        if at < end and text[at] in signs:
            at += 1
            while at < end and text[at] in blanks:
                at += 1
    return found


def words(follower: Follower, items: list[Word]) -> list[str]:
    """Expand words to the list of arguments they give."""
    out: list[str] = []
    for item in items:
        plain = item.plain()
        if plain is not None and "{" not in plain and plain[0] != "~":
            out.append(plain)
        else:
            out += fields(follower, item)
    return out


def fields(follower: Follower, word: Word) -> list[str]:
    """Expand one word to the arguments it gives."""
    parts = word.parts
    if len(parts) == 1 and parts[0].quoted:  # "$x" and 'x': one word, unless it is a list
        value = parts[0].text if parts[0].kind == QUOTED else evaluate(follower, parts[0])
        if isinstance(value, str):
            follower.work.spend(len(value))
            return [value]
        made = _Fields()
        _add(follower, parts[0], value, made)
        made.cut()
        follower.work.spend(sum(map(len, made.done)))
        return made.done
    alternatives: list[list[WordPart]] | None = [parts]
    for part in parts:
        if part.kind == LITERAL and "{" in part.text:
            from ultra_runtime.guard.follow import braces

            alternatives = braces.expand(parts)
            if alternatives is None:
                follower.work.spend(braces.MAX_WORDS)
                return [UNKNOWN]
            break
    made = _Fields()
    for parts in alternatives or []:
        for at, part in enumerate(parts):
            if part.kind == LITERAL:
                made.add(tilde(part.text) if not at else part.text, False)
            elif part.kind == QUOTED:
                made.add(part.text, True)
            else:
                _expansion(follower, part, made)
        made.cut()
    follower.work.spend(sum(map(len, made.done)))
    return made.done


def _expansion(follower: Follower, part: WordPart, made: _Fields) -> None:
    """Add what an expansion gives."""
    _add(follower, part, evaluate(follower, part), made)


def _add(follower: Follower, part: WordPart, value: str | list[str], made: _Fields) -> None:
    """Add a value: one word in quotes, else split."""
    if isinstance(value, list) and part.quoted:
        index = follower.text(part.index) if part.index is not None else ""
        if "*" in (part.text, index):
            value = _separators(follower)[:1].join(value)
    if isinstance(value, list):  # "$@" and its like: one word each
        for at, item in enumerate(value):
            if at:
                made.cut()
            made.add(item, part.quoted) if part.quoted else made.add_split(item, _separators(follower))
    elif part.quoted or part.kind == PROCESS:
        made.add(value, True)
    else:
        made.add_split(value, _separators(follower))


def _separators(follower: Follower) -> str:
    value = follower.shell.variables.get("IFS")
    if isinstance(value, str):
        follower.work.spend(len(value) // 8)
    return value if isinstance(value, str) and UNKNOWN not in value else _BLANK


def evaluate(follower: Follower, part: WordPart) -> str | list[str]:
    """Return the value of an expansion."""
    if part.kind == VARIABLE:
        from ultra_runtime.guard.follow.parameter import parameter

        return parameter(follower, part)
    if part.kind == SUBSTITUTION and part.script is not None:
        return follower.capture(part.script)
    if part.kind == PROCESS and part.script is not None:
        return follower.process(part.script, part.text)
    if part.kind == ARITHMETIC and part.word is not None:
        from ultra_runtime.guard.follow.parameter import compute

        value = compute(follower, text(follower, part.word))
        return UNKNOWN if value is None else str(value)
    return UNKNOWN


def text(follower: Follower, word: Word) -> str:
    """Expand a word without splitting it: a value, a target, a body."""
    out: list[str] = []
    for at, part in enumerate(word.parts):
        if part.kind == LITERAL:
            out.append(tilde(part.text) if not at else part.text)
        elif part.kind == QUOTED:
            out.append(part.text)
        else:
            value = evaluate(follower, part)
            out.append(value if isinstance(value, str) else " ".join(value))
    made = "".join(out)
    follower.work.spend(len(made))
    return made


def tilde(text: str) -> str:
    """Resolve the tilde at the start of an unquoted word."""
    if text[0:1] != "~":
        return text
    slash = text.find("/")
    name = text[1:] if slash < 0 else text[1:slash]
    rest = "" if slash < 0 else text[slash:]
    if not name:
        return HOME + rest
    if name == "+":
        return "." + rest
    if name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        return USER_HOME + name + rest
    return text
