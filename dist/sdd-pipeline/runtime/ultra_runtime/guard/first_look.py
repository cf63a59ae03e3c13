"""A cheap first look: may any rule match this command at all?

A no must always be right; a yes may be wrong, because the command is then parsed in full.
So the answer is no only for short and plain commands without any word, however quoted,
that a rule looks for.  Those words are rendered from the policy and from the tables
that guard/follow uses.
"""

from __future__ import annotations

LONGEST = 1000
MOST_WORDS = 32

_SUBSTITUTIONS = ("$(", "${", "$'", '$"', "`", "<(", ">(", "\0", "\\\\\n")
_QUOTES = {ord("'"): None, ord('"'): None, ord("\\"): None}
_BREAKS = dict.fromkeys(map(ord, ";&|()<>{}=:!@#%^~+,/\t\n\r"), " ")
_APART = {**_BREAKS, **dict.fromkeys(_QUOTES, " ")}

# This runs before every tool call: rendered.table() does the same, but imports a module.
_WORDS = __import__("ultra_runtime.tables.first_look", fromlist=["*"])
WRITERS: frozenset[str] = _WORDS.WRITERS  # what may change a file that it names
# Words that name a command without spelling it in one piece.
_TEXTS = ("sudo_", "_sudo", "$sudo", "mkfs", "newfs", *_WORDS.TEXTS)
_GIT = frozenset(("push", "reset", "bisect", "rebase", "submodule", "filter-branch"))
_RUNS_NEXT = frozenset("|;&\n<>(")  # what may run the text that a source prints
_IN_CODE = ("rm", "remove", "kill", "chmod", "fork", "exec", "eval", "system", "Function", "popen", "spawn")
_SETTERS = frozenset(
    (
        "read", "for", "set", "select", "mapfile", "readarray", "getopts", "declare", "typeset", "local", "export",
        "readonly", "unset", "shift", "let",
    )
)  # fmt: skip


def may_match(command: str) -> bool:
    """Tell whether a rule could match; False means that none can."""
    if len(command) > LONGEST:
        return True
    for text in _SUBSTITUTIONS:
        if text in command:
            return True
    if not command.isascii():
        return True
    text = (command + " ").replace("\\\n", "").replace("/dev/null ", " ").replace(".exe", " ")
    quoted = "'" in command or '"' in command
    words: list[str] = []
    if quoted or "\\" in command:
        if _may_be_unclosed(command, quoted):
            return True
        words = text.translate(_APART).split()
        text = text.translate(_QUOTES)
    words += text.translate(_BREAKS).split()
    if len(words) > MOST_WORDS * (2 if quoted else 1):
        return True
    return _dynamic(text, words, quoted) or _named(text, frozenset(words), "\\" in command)


def _may_be_unclosed(command: str, quoted: bool) -> bool:
    """Tell whether a quote may be open at the end, or whether a command may resolve escapes when it prints them."""
    if "\\" in command and ("|" in command or ">" in command):
        return True
    if not quoted:
        return False
    if "#" in command or "<<" in command:
        return True
    at, end = 0, len(command)
    while at < end:
        char = command[at]
        if char == "\\":
            at += 2
            continue
        at += 1
        if char == "'":
            at = command.find("'", at) + 1
            if not at:
                return True
        elif char == '"':
            while at < end and command[at] != '"':
                at += 2 if command[at] == "\\" else 1
            if at >= end:
                return True
            at += 1
    return False


def _dynamic(text: str, words: list[str], quoted: bool) -> bool:
    """Tell whether braces, variables, globs or functions may make words that are not in the text."""
    if "{" in text and ("," in text or ".." in text):
        return True
    if "(" in text and "()" in text.replace(" ", "").replace("\t", ""):
        return True
    variable = "$" in text
    if not variable and "*" not in text and "?" not in text and "[" not in text:
        return False
    if "=" in text or "+" in text or "777" in text or "refs/" in text or _tells(text, quoted):
        return True
    if variable and ("SHELL" in text or "BASH" in text or not _SETTERS.isdisjoint(words)):
        return True
    return any(_is_made(word) for word in words)


def _tells(text: str, quoted: bool) -> bool:
    """Tell whether the options could be those of rm, kill or git, whatever name they follow."""
    if "-" not in text:
        return False
    options = text if quoted else "".join(word for word in text.split() if word[0] == "-")
    return (
        ("r" in options.lower() and "f" in options)
        or "-1" in options
        or "-ha" in options
        or "-std" in options
    )


def _is_made(word: str) -> bool:
    """Tell whether a word could become the name of a command by a variable or a glob in it."""
    at = word.find("$")
    if at > 0 or (at == 0 and not (word[1:2].isalpha() or word[1:2] == "_")):
        return True
    at = min((word.find(char) for char in "*?[" if char in word), default=0)
    return at > 0 and (_WORDS.DOTTED or "." not in word[at:])


def _named(text: str, words: frozenset[str], escaped: bool) -> bool:
    """Tell whether the text has a word that a rule looks for, and what else that rule needs."""
    lower = text.lower()
    for part in _TEXTS:
        if part in lower:
            return True
    if not _GIT.isdisjoint(words) or not _WORDS.WORDS.isdisjoint(words):
        return True
    commands, sources = _WORDS.COMMANDS, _WORDS.SOURCES
    for word in words:
        for name in _names(word):
            needs = commands.get(name)
            if needs is not None and (not needs or _has(needs, lower, words)):
                return True
            if name in sources and not _RUNS_NEXT.isdisjoint(text):
                return True
    if not _WORDS.ATTACHED.isdisjoint(words) and any(
        word[0] == "-" != word[1:2] and len(word) > 2 for word in words
    ):
        return True
    if any(
        word.lower().startswith(_WORDS.LANGUAGES) or word.lower().rstrip("0123456789.") in _WORDS.LETTERS
        for word in words
    ):
        return escaped or any(part in text for part in _IN_CODE)
    return False


def _names(word: str) -> tuple[str, ...]:
    """Return the names under which the policy may list a command."""
    if word[0] == "-":
        return tuple(module for module in _WORDS.MODULES if word.endswith(module))  # python -mpip
    bare = word.rstrip("0123456789.")  # pip3.11 is pip
    return (word, bare, word.lower()) if "-" in word else (word, bare)


def _has(needs: tuple[str, ...], text: str, words: frozenset[str]) -> bool:
    """Tell whether the text has one of the needs: a word, the beginning* of a word, or a *text*."""
    for need in needs:
        if need[0] == "*":
            if need[1:-1] in text:
                return True
        elif need[-1] == "*":
            if any(word.startswith(need[:-1]) for word in words):
                return True
        elif need in words:
            return True
    return False
