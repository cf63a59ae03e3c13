"""Programs that run text although that is not their work: in a script, an option, their input or a file."""

from __future__ import annotations

from ultra_runtime.guard.follow import code
from ultra_runtime.guard.shell.calls import Call, Write, options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower

MAX_LINES = 1000


def _run(follower: Follower, text: str, stdin: str = "") -> None:
    follower.scoped(text, stdin, False)


# -- sed


def sed(follower: Follower, call: Call) -> None:
    """Follow the commands e and w of sed, and these flags of its substitutions."""
    found = options(call.args, "efl", "expression file line-length")
    scripts = [value for name, value in found.values if name in ("e", "expression")] or found.operands[:1]
    scripts += [call.shell.content(value) or "" for name, value in found.values if name in ("f", "file")]
    for script in scripts:
        for letter, text in sed_commands(script):
            if letter == "e" and text:
                _run(follower, text)
                continue
            from ultra_runtime.guard.follow.outputs import printed

            if letter == "e":  # what the substitutions have made of the input
                _run(follower, printed(call))
            else:
                follower.wrote(Write(text, "truncate", "sed"))
                call.shell.write(text, printed(call))


def sed_commands(script: str) -> list[tuple[str, str]]:
    """Return the commands of a script that run or write something: (e or w, text)."""
    found: list[tuple[str, str]] = []
    at, end = 0, len(script)
    while at < end:
        char = script[at]
        if char in "/\\":  # an address
            at = _past(script, at + (char == "\\"), 1)
        elif char in " \t\n;{}!,$~+0123456789":
            at += 1
        elif char in "sy":
            at = _past(script, at + 1, 2)
            stop = _line_end(script, at)
            for place in range(at, stop):
                flag = script[place]
                if flag in ";}\n":
                    stop = place
                    break
                if char == "s" and flag == "e":
                    found.append(("e", ""))
                if flag == "w":
                    found.append(("w", script[place + 1 : stop].strip()))
                    break
            at = stop
        else:
            stop = _line_end(script, at)
            if char in "ewW":
                found.append((char.lower(), script[at + 1 : stop].strip()))
            at = stop if char in "aicrRwWe:btT#" else at + 1
    return found


def _past(script: str, at: int, times: int) -> int:
    """Return the place after the delimited texts that start here."""
    delimiter = script[at : at + 1]
    at += 1
    while times and at < len(script):
        if script[at] == "\\":
            at += 1
        elif script[at] == delimiter:
            times -= 1
        at += 1
    return at


def _line_end(script: str, at: int) -> int:
    newline = script.find("\n", at)
    return len(script) if newline < 0 else newline


# -- programs with a command for the shell among their own


def _texts(follower: Follower, call: Call) -> list[str]:
    """Return the lines that a program with its own commands gets: arguments and input."""
    lines = [line.strip() for text in (*call.args, call.stdin) for line in text.split("\n", MAX_LINES)]
    follower.work.spend(len(call.stdin) // 8)
    return [line for line in lines if line]


def commands(follower: Follower, call: Call) -> None:
    """Follow `!command`, `.shell command`, `\\! command` and their like."""
    for line in _texts(follower, call):
        for start in (
            "!",
            "\\!",
            ".shell ",
            ".system ",
            "shell ",
            "system ",
            "platform shell ",
            "r !",
            "w !",
        ):
            if line.startswith(start) and not (start == "system " and call.name in ("gdb", "lldb")):
                _run(follower, line[len(start) :])
        if call.name in ("psql", "mysql", "mariadb") and "\\!" in line:
            _run(follower, line.partition("\\!")[2])
        if call.name == "ed" and line[:2] == "w ":
            follower.wrote(Write(line[2:].strip(), "truncate", "ed"))


def expect(follower: Follower, call: Call) -> None:
    """Follow spawn, exec and system of expect."""
    texts = [value for name, value in options(call.args, "cf").values if name == "c"] or [call.stdin]
    texts += [call.shell.content(arg) or "" for arg in call.args]
    for text in texts:
        for line in text.replace(";", "\n").split("\n", MAX_LINES):
            word, _, rest = line.strip().partition(" ")
            if word in ("spawn", "exec", "system"):
                _run(follower, rest.removeprefix("-noecho "))


def m4(follower: Follower, call: Call) -> None:
    """Follow syscmd and esyscmd."""
    for text in (call.stdin, *(call.shell.content(arg) or "" for arg in call.args)):
        for piece in text.split("syscmd(")[1:MAX_LINES]:
            _run(follower, piece.partition(")")[0].strip("`'\""))


def emacs(follower: Follower, call: Call) -> None:
    """Follow the strings that --eval passes to a shell."""
    for text in call.args:
        if "shell-command" in text or "call-process" in text or "(shell" in text:
            strings = code.strings(text, "emacs")
            for part in (*strings, " ".join(part for part in strings if part)):
                _run(follower, part)


def socat(follower: Follower, call: Call) -> None:
    """Follow EXEC: and SYSTEM: addresses."""
    for arg in call.args:
        kind, colon, text = arg.partition(":")
        if colon and kind.lower() in ("exec", "system", "shell"):
            _run(follower, text.split(",pty")[0])


# -- options


def tar(follower: Follower, call: Call) -> None:
    """Follow the options of tar that run a command."""
    found = options(
        call.args, "ICfbFKLNTVX", "to-command checkpoint-action use-compress-program info-script rsh-command"
    )
    for name, value in found.values:
        if name in ("I", "to-command", "use-compress-program", "info-script", "F", "rsh-command"):
            _run(follower, value)
        elif name == "checkpoint-action" and value.startswith("exec="):
            _run(follower, value[5:])


def ssh(follower: Follower, call: Call) -> None:
    """Follow ProxyCommand and LocalCommand."""
    for name, value in options(call.args, "BbcDEeFIiJLlmOopQRSWwPX").values:
        key, _, text = value.replace("=", " ", 1).partition(" ")
        if name == "o" and key.lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            _run(follower, text)


# -- files that list commands


def make(follower: Follower, call: Call) -> None:
    """Follow the recipes of a makefile that the text itself contains."""
    found = options(call.args, "fCIjloW", "file makefile eval directory jobs")
    texts: list[str] = []
    for name, value in found.values:
        if name == "eval":
            texts.append(value)
        elif name in ("f", "file", "makefile"):
            texts.append(call.stdin if value in ("-", "/dev/stdin") else call.shell.content(value) or "")
    if not found.has("f", "file", "makefile"):
        names = ("GNUmakefile", "makefile", "Makefile")
        texts += [text for name in names if (text := call.shell.content(name)) is not None][:1]
    for text in texts:
        _recipes(follower, text)


def _recipes(follower: Follower, text: str) -> None:
    """Follow the recipe lines of a makefile, with its variables put in."""
    values: dict[str, str] = {}
    for line in text.split("\n", MAX_LINES):
        for part in line.split("$(shell ")[1:]:
            _run(follower, part.rpartition(")")[0] or part)
        name, equals, value = line.partition("=")
        if line[:1] != "\t" and equals and name.strip(" :?+").isidentifier():
            values[name.strip(" :?+")] = value.strip()
            continue
        recipe = (
            line[1:] if line[:1] == "\t" else line.partition(";")[2] if ":" in line.partition(";")[0] else ""
        )
        if recipe:
            for name, value in values.items():
                if name in recipe:
                    recipe = recipe.replace(f"$({name})", value).replace(f"${{{name}}}", value)[:MAX_LINES]
            _run(follower, recipe.strip().lstrip("@-+").replace("$$", "$"))


def npm(follower: Follower, call: Call) -> None:
    """Follow a script of package.json, when the text itself has written it."""
    operands = options(call.args, "Cw", "prefix workspace filter cwd").operands
    shell = call.shell
    if operands[:2] == ["pkg", "set"] or operands[:1] == ["set-script"]:
        words = operands[2:] if operands[0] == "pkg" else ["scripts." + "=".join(operands[1:3])]
        for word in words:
            key, _, text = word.partition("=")
            if key.startswith("scripts."):
                shell.put(shell.git, "npm." + key[8:], text)
        return
    verbs = [word for word in operands[:2] if word not in ("run", "run-script", "rum", "urn")]
    for name in verbs[:1]:
        names = (name, f"pre{name}", f"post{name}")
        for one in names:
            _run(follower, shell.git.get("npm." + one, ""))
        strings = code.strings(shell.content("package.json") or "", "json")
        for key, text in zip(strings, strings[1:]):
            if key in names:
                _run(follower, text)


def split(follower: Follower, call: Call) -> None:
    """Follow the command that gets the pieces of split."""
    from ultra_runtime.guard.follow.outputs import split_source
    from ultra_runtime.guard.follow.writes import SPLIT_VALUES

    text = options(call.args, *SPLIT_VALUES).value("filter")
    if text is not None:
        follower.scoped(text, split_source(call), False)
