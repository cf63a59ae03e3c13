"""Find in programs of other languages what plainly does the same as a blocked command.

No language is parsed.  The text is split into names, numbers, strings and signs, and
calls with literal arguments are checked; a string that is only printed or stored is
not.
"""

from __future__ import annotations

from ultra_runtime.guard.follow.kinds import SHELLS
from ultra_runtime.guard.shell.quotes import resolve

NAME, NUMBER, STRING, SHELL, SIGN = range(5)
MAX_TOKENS = 60_000
MAX_ARGUMENTS = 64

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
_DIGITS = frozenset("0123456789")
_HASH_COMMENTS = frozenset(("python", "pypy", "perl", "ruby", "awk", "r", "rscript", "julia", "tclsh", "php"))
_SLASH_COMMENTS = frozenset(("node", "nodejs", "deno", "bun", "tsx", "ts-node", "php"))
_BACKQUOTE_RUNS = frozenset(("perl", "ruby", "php"))
_CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}

_RUNNERS = frozenset(
    (
        "system", "popen", "Popen", "check_call", "check_output", "getoutput", "getstatusoutput", "execSync",
        "spawnSync", "execFile", "execFileSync", "shell_exec", "passthru", "proc_open", "pcntl_exec", "exec", "spawn",
        "execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe", "spawnl", "spawnlp", "spawnv",
        "spawnvp", "posix_spawn", "capture2", "capture2e", "capture3", "popen2", "popen2e", "popen3", "execute",
        "script", "startfile", "run", "call", "Command",
    )
)  # fmt: skip
_REMOVERS = frozenset(("rmtree", "rm_rf", "remove_tree", "rm_rf!"))
_CONDITIONAL_REMOVERS = frozenset(
    ("rm", "rmSync", "rm_r", "rmdir", "rmdirSync", "remove_entry", "removeSync")
)
_FORKERS = ([(NAME, "os")], [(NAME, "Process")], [(NAME, "Kernel")], [(NAME, "child_process")])
_MODES = frozenset(("chmod", "chmodSync", "lchmod", "fchmod", "chmod_R", "lchmodSync", "fchmodSync"))
_OPEN_MODES = frozenset(("0o777", "0O777", "0777", "511", "777"))
_PRINTERS = frozenset(("print", "puts", "echo", "say", "log", "write", "printf"))
_FETCHERS = frozenset(
    ("urlopen", "urlretrieve", "requests", "httpx", "urllib", "fetch", "axios", "LWP", "file_get_contents")
)
_DECODERS = frozenset(
    (
        "b64decode", "decode64", "urlsafe_decode64", "decodebytes", "atob", "unhexlify", "fromhex",
        "base64_decode", "a85decode", "b32decode", "decode_base64",
    )
)  # fmt: skip


class CodeFinding:
    """What a program would do: shell texts, commands, other programs, rules it breaks."""

    __slots__ = (
        "codes",
        "commands",
        "decodes",
        "fetches",
        "printed",
        "rules",
        "runners",
        "texts",
        "values",
        "writes",
    )

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.commands: list[list[str]] = []
        self.codes: list[str] = []
        self.rules: list[str] = []
        self.writes: list[str] = []
        self.printed: list[str] = []
        self.values: dict[str, str] = {}  # names whose value is a string
        self.runners: set[str] = set()  # names under which a function is imported that runs a program
        self.decodes = False
        self.fetches = False


def look(code: str, language: str) -> CodeFinding:
    """Look through a program."""
    tokens = _folded(tokens_of(code, language))
    names = {text for kind, text in tokens if kind in (NAME, STRING)}  # a module may be named by a string
    found = CodeFinding()
    last = (SIGN, "")
    for (kind, name), sign, (value_kind, value) in zip(tokens, tokens[1:], tokens[2:]):
        if kind == NAME and sign == (SIGN, "=") and value_kind == STRING:
            found.values[name] = value
        elif (
            name in ("in", "of")
            and sign in ((SIGN, "["), (SIGN, "("))
            and value_kind == STRING
            and last[0] == NAME
        ):
            found.values[last[1]] = value  # for x in ["..."]
        elif name in _RUNNERS and sign == (NAME, "as") and value_kind == NAME and kind == NAME:
            found.runners.add(value)  # from os import system as s
        last = (kind, name)
    found.decodes, found.fetches = bool(names & _DECODERS), bool(names & _FETCHERS)
    for at, (kind, text) in enumerate(tokens):
        if kind == SHELL:
            found.texts.append(text)
        elif kind == NAME and not _is_definition(tokens, at):
            _call(tokens, at, text, names, language, found)
        elif kind == STRING and language == "awk" and _is_piped(tokens, at):
            found.texts.append(text)
            if text.strip() in SHELLS:  # print "..." | "sh"
                found.texts.append(_printed_before(tokens, at))
        elif kind == STRING and language == "awk" and tokens[at - 1 : at] == [(SIGN, ">")]:
            found.writes.append(text)
    if _forks_in_loop(tokens, language):
        found.rules.append("code_fork")
    return found


def _folded(tokens: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Join strings that are added, and turn getattr(x, "name") and x["name"](...) into the name."""
    if not any(token in tokens for token in ((SIGN, "+"), (NAME, "getattr"), (SIGN, "["))):
        return tokens
    out: list[tuple[int, str]] = []
    opened: list[bool] = []  # for every open parenthesis, whether it is that of getattr
    at = 0
    while at < len(tokens):
        kind, text = tokens[at]
        at += 1
        if kind == STRING:
            parts = [text]
            while (
                tokens[at : at + 1] == [(SIGN, "+")] and at + 1 < len(tokens) and tokens[at + 1][0] == STRING
            ):
                parts.append(tokens[at + 1][1])
                at += 2
            out.append((STRING, "".join(parts)))
        elif kind == SIGN and text == ")" and opened and opened.pop() and out[-1][0] == STRING:
            out[-1] = (NAME, out[-1][1])
        elif (
            (kind, text) == (SIGN, "]")
            and tokens[at : at + 1] == [(SIGN, "(")]
            and len(out) > 2
            and out[-1][0] == STRING
            and out[-2] == (SIGN, "[")
            and (out[-3][0] == NAME or out[-3] == (SIGN, ")"))
        ):
            out[-2:] = [(SIGN, "."), (NAME, out[-1][1])]
        else:
            if kind == SIGN and text == "(":
                opened.append(out[-1:] == [(NAME, "getattr")])
            out.append((kind, text))
    return out


def _is_called(tokens: list[tuple[int, str]], at: int, language: str) -> bool:
    """Tell whether a name is called here, not only mentioned, imported or a property."""
    kind, text = tokens[at + 1] if at + 1 < len(tokens) else (SIGN, ";")
    if text == "(" and kind == SIGN:
        return True
    if text == "as" and kind == NAME:  # imported under another name
        other = tokens[at + 2 : at + 3]
        return any(pair == (*other, (SIGN, "(")) for pair in zip(tokens, tokens[1:]))
    return language in ("perl", "ruby", "tclsh") and (kind != SIGN or text in "$@[%:")


def _forks_in_loop(tokens: list[tuple[int, str]], language: str) -> bool:
    """Tell whether a fork follows the head of a loop, or in perl precedes a `while`."""
    looping = False
    for at, (kind, text) in enumerate(tokens):
        if kind != NAME:
            continue
        looping = looping or text in ("while", "until", "loop", "for", "redo", "goto")
        if text != "fork":
            continue
        if tokens[at - 1 : at] == [(SIGN, ".")] and tokens[max(at - 2, 0) : at - 1] not in _FORKERS:
            continue
        after = tokens[at + 1 : at + 2]
        called = after == [(SIGN, "(")] or language in ("perl", "ruby", "php")
        if called and (looping or after in ([(NAME, "while")], [(NAME, "until")])):
            return True
    return False


def strings(code: str, language: str) -> list[str]:
    """Return the strings in a program."""
    return [text for kind, text in tokens_of(code, language) if kind == STRING]


def _call(
    tokens: list[tuple[int, str]], at: int, name: str, names: set[str], language: str, found: CodeFinding
) -> None:
    """Look at a name that may be called here."""
    if (name in _RUNNERS and _runs(name, names, language)) or name in found.runners:
        whole = arguments_at(tokens, at)
        arguments = [token for token in whole if token[0] in (NAME, STRING)]
        given = [found.values.get(text, "") if kind == NAME else text for kind, text in arguments]
        literal = [text for text in given if text]
        if literal:
            found.texts.append(literal[0])
            if len(literal) > 1:
                found.texts.append("".join(literal))  # "r" + "m -rf x"
                found.commands.append(literal)
                if (NAME, "join") in whole:
                    found.texts.append(literal[0].join(literal[1:]))
                elif (SIGN, "%") in whole or (NAME, "format") in whole:
                    found.texts.append(_filled(literal))
    elif name in _REMOVERS:
        if _is_called(tokens, at, language):
            found.rules.append("code_remove")
    elif name in _CONDITIONAL_REMOVERS:
        inside = {text for kind, text in arguments_at(tokens, at) if kind == NAME}
        if "force" in inside and (name == "rm_r" or "recursive" in inside):
            found.rules.append("code_remove")
    elif name in _MODES and language != "awk":
        if any(kind != NAME and text in _OPEN_MODES for kind, text in arguments_at(tokens, at)):
            found.rules.append("code_mode")
    elif name == "kill":
        if _reaches_all(arguments_at(tokens, at)):
            found.rules.append("code_kill")
    elif name in _PRINTERS:
        found.printed += [text for kind, text in arguments_at(tokens, at) if kind == STRING]
    elif name == "open":
        strings = [text for kind, text in arguments_at(tokens, at) if kind == STRING]
        found.writes += opened(strings)
        if language == "perl" and strings:
            if strings[0] in ("-|", "|-"):
                found.texts += strings[1:2]
                found.commands += [strings[1:]] if strings[1:] else []
            elif "|" in (strings[0][:1], strings[0].rstrip()[-1:]):
                found.texts.append(strings[0].strip().strip("|"))
            elif strings[0][:1] == ">" and (path := strings[0].lstrip("> ")):
                found.writes.append(path)
    method = tokens[at - 1 : at] == [(SIGN, ".")]
    if name == "system" or (name in ("exec", "eval", "Function") and not method):
        arguments = arguments_at(tokens, at)
        inside = {text for kind, text in arguments if kind == NAME}
        if "Buffer" in inside and (STRING, "base64") in arguments:
            inside.add("atob")
        fetched = any(kind == STRING and text.startswith(("http://", "https://")) for kind, text in arguments)
        passed_on = tokens[at - 1 : at] == [(SIGN, "(")] and tokens[at + 1 : at + 2] == [(SIGN, ")")]
        if inside & _DECODERS or (name != "system" and names & _DECODERS and (inside or passed_on)):
            found.rules.append("decoded_text")
        elif name != "system" and (
            fetched or inside & _FETCHERS or (names & _FETCHERS and (inside or passed_on))
        ):
            found.rules.append("fetched_text")
        if name != "system":
            found.codes += [text for kind, text in arguments if kind == STRING][:1]


def opened(strings: list[str]) -> list[str]:
    """Return the file that a call of open writes, given its strings: the path and the mode; perl has the mode first."""
    if strings[1:] and strings[0] and not strings[0].strip("+<>"):
        return strings[1:2] if _writes(strings[0]) else []
    return strings[:1] if any(map(_writes, strings[1:])) else []


def _writes(mode: str) -> bool:
    """Tell whether a file that is opened so can be written."""
    return (
        mode[:1] == ">"
        or mode[:2] == "+<"
        or (not mode.strip("rwaxbt+") and not set("wax+").isdisjoint(mode))
    )


def _filled(literal: list[str]) -> str:
    """Return a format of Python with its values."""
    parts = literal[0].replace("{}", "%s").split("%s")
    return "".join(f"{part}{value}" for part, value in zip(parts, [*literal[1:], *[""] * len(parts)]))


def _runs(name: str, names: set[str], language: str) -> bool:
    """Tell whether a name that has many meanings means running a program here."""
    if name in ("run", "call"):
        return bool(names & {"subprocess", "Deno"})
    if name in ("exec", "spawn"):
        return language in ("perl", "ruby", "php", "tclsh", "lua", "awk") or bool(
            names & {"child_process", "pty", "execSync", "Bun"}
        )
    if name == "script":
        return language == "osascript"
    if name == "Command":
        return "Deno" in names
    return True


def _is_definition(tokens: list[tuple[int, str]], at: int) -> bool:
    return at > 0 and tokens[at - 1] in ((NAME, "def"), (NAME, "function"), (NAME, "sub"))


def _is_piped(tokens: list[tuple[int, str]], at: int) -> bool:
    """Tell whether a string of awk is a command: `"cmd" | getline` or `print | "cmd"`."""
    before = tokens[at - 1] if at else (SIGN, "")
    after = tokens[at + 1 : at + 3]
    return before == (SIGN, "|") or after == [(SIGN, "|"), (NAME, "getline")]


def _printed_before(tokens: list[tuple[int, str]], at: int) -> str:
    """Return the strings of the print statement of awk that ends at a place."""
    strings_: list[str] = []
    for kind, text in reversed(tokens[max(0, at - MAX_ARGUMENTS) : at]):
        if kind == NAME and text in ("print", "printf"):
            break
        if kind == STRING:
            strings_.append(text)
    return "".join(reversed(strings_))


def _reaches_all(arguments: list[tuple[int, str]]) -> bool:
    """Tell whether process -1 is among the arguments of a kill."""
    for at, token in enumerate(arguments):
        if token == (NUMBER, "1") and at and arguments[at - 1] == (SIGN, "-"):
            before = arguments[at - 2] if at > 1 else (SIGN, "(")
            if before in ((SIGN, "("), (SIGN, ","), (SIGN, " ")):
                return True
    return False


def arguments_at(tokens: list[tuple[int, str]], at: int) -> list[tuple[int, str]]:
    """Return the tokens that are given to the name at a place, with or without parentheses."""
    out: list[tuple[int, str]] = []
    level = 0
    for kind, text in tokens[at + 1 : at + MAX_ARGUMENTS]:
        if kind == SIGN:
            if text in "([{":
                level += 1
            elif text in ")]}":
                level -= 1
                if level < 0 or (level == 0 and text == ")"):
                    break
            elif (text in ";\n" and level == 0) or (not out and text in ".="):
                break
        out.append((kind, text))
    return out


def tokens_of(code: str, language: str) -> list[tuple[int, str]]:
    """Split a program into tokens."""
    tokens: list[tuple[int, str]] = []
    at, end = 0, len(code)
    while at < end and len(tokens) < MAX_TOKENS:
        char = code[at]
        if char in _LETTERS:
            start = at
            while at < end and code[at] in _LETTERS:
                at += 1
            word = code[start:at]
            quoted = _quote_like(code, at, word, language, tokens)
            if quoted:
                at = quoted
            else:
                tokens.append((NUMBER if word[0] in _DIGITS else NAME, word))
        elif char in "'\"`":
            at = _string(code, at, language, tokens)
        elif (char == "#" and language in _HASH_COMMENTS) or (
            code.startswith("//", at) and language in _SLASH_COMMENTS
        ):
            newline = code.find("\n", at)
            at = end if newline < 0 else newline
        elif (
            char == "%"
            and language == "ruby"
            and code.startswith("%x", at)
            and code[at + 2 : at + 3] in _CLOSERS
        ):
            at = _delimited(code, at + 2, SHELL, tokens)
        else:
            if char not in " \t\r":
                tokens.append((SIGN, char))
            at += 1
    return tokens


def _string(code: str, at: int, language: str, tokens: list[tuple[int, str]]) -> int:
    """Read a string; return the place after it."""
    quote = code[at]
    mark = quote * 3 if code.startswith(quote * 3, at) and language in ("python", "pypy") else quote
    start = at = at + len(mark)
    while True:
        found = code.find(mark, at)
        if found < 0:
            found = len(code)
            break
        slashes = found
        while slashes > start and code[slashes - 1] == "\\":
            slashes -= 1
        if (found - slashes) % 2 == 0:
            break
        at = found + 1
    kind = SHELL if quote == "`" and language in _BACKQUOTE_RUNS else STRING
    tokens.append((kind, resolve(code[start:found])))
    return found + len(mark)


def _quote_like(code: str, at: int, word: str, language: str, tokens: list[tuple[int, str]]) -> int:
    """Read q{...}, qq{...}, qw(...) and qx{...} of perl; return the place after it, or 0."""
    if (
        language != "perl"
        or word not in ("q", "qq", "qx", "qw")
        or code[at : at + 1] in ("", " ", ",", ";", "=", ")")
    ):
        return 0
    if word != "qw":
        return _delimited(code, at, SHELL if word == "qx" else STRING, tokens)
    behind = _delimited(code, at, STRING, tokens)
    tokens[-1:] = [(STRING, item) for item in tokens[-1][1].split()]
    return behind


def _delimited(code: str, at: int, kind: int, tokens: list[tuple[int, str]]) -> int:
    """Read a string between a sign and its counterpart."""
    close = code.find(_CLOSERS.get(code[at], code[at]), at + 1)
    close = len(code) if close < 0 else close
    tokens.append((kind, code[at + 1 : close]))
    return close + 1
