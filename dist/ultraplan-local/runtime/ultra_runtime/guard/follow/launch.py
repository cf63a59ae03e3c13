"""Follow commands that run other commands: shells, wrappers, xargs and its like."""

from __future__ import annotations

from ultra_runtime.guard.follow import wrappers
from ultra_runtime.guard.follow.kinds import SHELLS, language
from ultra_runtime.guard.shell.calls import (
    Call,
    Write,
    is_assignment,
    is_opaque,
    options,
    skip_options,
)
from ultra_runtime.guard.shell.marks import DECODED, MAX_MADE, UNKNOWN, base_name, known, replaced, taint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower

MAX_ITEMS = 16


# -- shells


def run_shell(follower: Follower, call: Call) -> str:
    """Follow bash, sh and their like: the text of -c, a script that was written here, or the input."""
    args = call.args
    at, command, stdin = 0, False, False
    _start_files(follower, call)
    while at < len(args):
        arg = args[at]
        if arg in ("--", "-"):
            at += 1
            break
        if arg.startswith("--"):
            if arg.startswith("--command="):
                return follower.scoped(arg[10:], call.stdin)
            command = command or arg == "--command"
            at += 2 if arg in ("--rcfile", "--init-file") else 1
        elif len(arg) > 1 and arg[0] in "-+":
            if arg[0] == "-" and "n" in arg and call.name != "fish":
                return ""  # bash -n reads and runs nothing
            command = command or (arg[0] == "-" and "c" in arg)
            stdin = stdin or (arg[0] == "-" and "s" in arg)
            at += 1 + arg.count("o") + arg.count("O")
        elif is_opaque(arg) and not command and any(later[:1] == "-" for later in args[at + 1 :]):
            at += 1
        else:
            break
    rest = args[at:]
    if command:
        return (
            follower.scoped(rest[0], call.stdin, True, "".join(rest[1:2]) or call.name, rest[2:])
            if rest
            else ""
        )
    if rest and not stdin:
        content = follower.shell.program(rest[0], call.stdin) if known(rest[0]) else None
        return UNKNOWN if content is None else follower.scoped(content, call.stdin, False, rest[0], rest[1:])
    return follower.scoped(call.stdin, "", True, call.name, rest)


def _start_files(follower: Follower, call: Call) -> None:
    """Follow what a shell runs before or beside its text: files and commands that variables and options name."""
    shell = follower.shell
    names = [shell.variables.get(name) for name in ("BASH_ENV", "ENV")]
    found = options(call.args, "", "rcfile init-file")
    names.append(found.value("rcfile", "init-file"))
    for name in names:
        content = shell.program(name, "") if isinstance(name, str) and name else None
        if content:
            follower.scoped(content, "", False)
    for variable in ("PROMPT_COMMAND", "PS0", "PS1", "PS4"):
        text = shell.variables.get(variable)
        if isinstance(text, str) and (variable == "PROMPT_COMMAND" or "$(" in text or "`" in text):
            follower.scoped(text if variable == "PROMPT_COMMAND" else f'"{text}"', "", False)


def run_powershell(follower: Follower, call: Call) -> str:
    """Follow pwsh: the text after -Command, the input, or the text in -EncodedCommand."""
    for at, arg in enumerate(call.args):
        lower = arg.lower()
        if (
            len(lower) > 1
            and "-encodedcommand".startswith(lower)
            and lower[:2] == "-e"
            and at + 1 < len(call.args)
        ):
            follower.foreign(DECODED)
        if len(lower) > 1 and "-command".startswith(lower):
            rest = " ".join(call.args[at + 1 :])
            return follower.scoped(call.stdin if rest == "-" else rest, call.stdin, False)
        if arg[:1] != "-":
            return follower.scoped(" ".join(call.args[at:]), call.stdin, False)
    return follower.scoped(call.stdin, "", False)


def cmd(follower: Follower, call: Call) -> str:
    """Follow cmd /c."""
    for at, arg in enumerate(call.args):
        if arg.lower() in ("/c", "/k", "//c"):
            return follower.scoped(" ".join(call.args[at + 1 :]), call.stdin, False)
    return UNKNOWN


def expression(follower: Follower, call: Call) -> str:
    """Follow Invoke-Expression, which runs its input or its argument."""
    return follower.scoped(" ".join(call.args) or call.stdin, "", False)


# -- wrappers


def run_wrapped(follower: Follower, call: Call) -> str:
    """Follow a plain wrapper: its options, its own words, then the command."""
    short, long, own = wrappers.PLAIN[call.name]
    args = call.args
    at = skip_options(args, short, long)
    flags = args[:at]
    mark = follower.shell.enter()
    folder = options(flags, short, long).value(*wrappers.CHDIR.get(call.name, ()))
    if folder:
        follower.shell.chdir(folder)
    while at < len(args) and (is_assignment(args[at]) or (args[at] == "-" and call.name in ("env", "genv"))):
        name, equals, value = args[at].partition("=")
        if equals:
            follower.assign(name, value)
        at += 1
    rest = args[at + own :]
    out = _command_behind(follower, call, flags, rest)
    follower.shell.leave(mark)
    return out


def _command_behind(follower: Follower, call: Call, flags: list[str], rest: list[str]) -> str:
    """Follow the command of a wrapper, with the exceptions for some wrappers."""
    if call.name in ("env", "genv") and _split_text(call.name, flags) is not None:
        follower.work.spend(len(flags) ** 2)
        at = next(at for at in range(len(flags) + 1) if _split_text(call.name, flags[:at]) is not None)
        text = str(
            _split_text(call.name, flags[:at])
        )  # what follows it are words of the command, options too
        return follower.nested(" ".join([text, *map(_quote, call.args[at:])]), call.stdin, False)
    if call.name == "command" and any(flag in ("-v", "-V", "-pv", "-pV") for flag in flags):
        name = "".join(rest[-1:])
        return name if "/" in name or not known(name) else f"/usr/bin/{name}"
    if call.name == "sudo" and any(flag in ("-l", "--list", "-v", "-e", "--edit") for flag in flags):
        return UNKNOWN
    if rest:
        if call.name == "flock" and rest[0] in ("-c", "--command") and len(rest) > 1:
            return follower.scoped(rest[1], call.stdin, False)
        if call.name == "su-exec" or call.name == "gosu":
            return follower.execute(rest, call.stdin)
        return follower.execute(rest, call.stdin, call.expands)
    if call.name in ("sudo", "doas", "chroot", "unshare", "setarch", "linux32", "linux64", "fakeroot"):
        starts_shell = call.name not in ("sudo", "doas") or any(
            flag in ("-s", "-i", "--shell", "--login", "-si", "-is") for flag in flags
        )
        return follower.scoped(call.stdin, "", False) if starts_shell else UNKNOWN
    return ""


def _split_text(name: str, flags: list[str]) -> str | None:
    """Return the text that env splits into words."""
    return options(flags, *wrappers.PLAIN[name][:2]).value("S", "split-string")


def _quote(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def run_scanned(follower: Follower, call: Call) -> str:
    """Follow a wrapper with too many options to list: from the first word that names a known command."""
    first = wrappers.SCANNED[call.name]
    args = call.args
    if first:
        places = [args.index(word) for word in first if word in args]
        if not places:
            return taint(call.stdin) or UNKNOWN
        args = args[min(places) + 1 :]
    policy = follower.policy
    interesting = {*policy.commands, *policy.listed} if policy is not None else set()
    left = wrappers.OWN_WORDS.get(call.name, 0)
    for at, arg in enumerate(args):
        if left < 0:
            break  # the command was one of the words before, and this is one of its arguments
        base = base_name(arg).partition("@")[0]  # npm@10
        if arg[:1] != "-" and (
            at == 0 or args[at - 1][:1] != "-" or "=" in args[at - 1] or args[at - 1] == "--"
        ):
            left -= 1
        if base in SHELLS or base in wrappers.PLAIN or language(base):
            return follower.execute(args[at:], call.stdin)
        if base in interesting and at + 1 < len(args):
            return follower.perhaps([base, *args[at + 1 :]], call.stdin)
        if " " in arg and call.name in ("screen", "xterm"):
            follower.nested(arg, "", False)
    return UNKNOWN


def run_texts(follower: Follower, call: Call) -> None:
    """Follow the shell text in the options or operands of a command."""
    short, long = wrappers.TEXT_OPTIONS.get(call.name, ("", ""))
    for name, value in options(call.args, short, long).values:
        if name in short or name in long.split():
            follower.scoped(value, call.stdin, False)
    if call.name in wrappers.TEXT_OPERANDS:
        for operand in options(call.args, *wrappers.TEXT_OPERANDS[call.name]).operands:
            follower.scoped(operand, "", False)


def su(follower: Follower, call: Call) -> str:
    """Follow su and runuser: a text, a command after --, or the input."""
    run_texts(follower, call)
    values = "cugGswT", "command session-command user group supp-group shell whitelist-environment"
    found = options(call.args, *values)
    if found.value("c", "command", "session-command") is not None:
        return UNKNOWN
    if call.name == "runuser" and found.value("u", "user") is not None and found.operands:
        return follower.execute(call.args[skip_options(call.args, *values) :], call.stdin)
    return follower.scoped(call.stdin, "", False)


def script(follower: Follower, call: Call) -> str:
    """Follow script: the text of -c, or the words after its file."""
    run_texts(follower, call)
    rest = options(call.args, "cEIOBTmot", "command", first_operand_ends=True).operands[1:]
    return follower.execute(rest, call.stdin) if rest else UNKNOWN


def watch(follower: Follower, call: Call) -> str:
    at = skip_options(call.args, "nq", "interval equexit")
    rest = call.args[at:]
    if not rest:
        return ""
    return _run_joined(follower, rest, any(flag in ("-x", "--exec") for flag in call.args[:at]))


def _run_joined(follower: Follower, words: list[str], apart: bool = False) -> str:
    """Follow words that are joined to a text for a shell; `sh -c TEXT` stays as written."""
    if apart:
        return follower.execute(words, "")
    if base_name(words[0]) in SHELLS:
        follower.execute(words, "")
    return follower.scoped(" ".join(words), "", False)


def ssh(follower: Follower, call: Call) -> str:
    """Follow a remote command: words joined to a text for a shell, or the input."""
    from ultra_runtime.guard.follow import hosts

    hosts.ssh(follower, call)
    at = skip_options(call.args, wrappers.SSH_VALUES, "")
    rest = call.args[at + 1 :]
    if rest:
        return follower.scoped(" ".join(rest), call.stdin, False)
    return follower.scoped(call.stdin, "", False)


def tmux(follower: Follower, call: Call) -> str:
    """Follow the words that tmux passes to a shell."""
    at = skip_options(call.args, "cfLST", "")
    rest = call.args[at:]
    if rest and rest[0] in wrappers.TMUX_RUNS:
        values = "ctN" if "send" in rest[0] else "cnstxyeFN" + "d" * ("popup" in rest[0])
        operands = rest[1 + skip_options(rest[1:], values, "") :]
        if operands:
            _run_joined(follower, operands)
        for word in rest[1:]:
            if " " in word and word not in operands[:1]:
                follower.scoped(word, "", False)
    return UNKNOWN


def editor(follower: Follower, call: Call) -> str:
    """Follow `:!command` of an editor."""
    for arg in call.args:
        _editor_command(follower, arg.lstrip("+:"))
    for line in call.stdin.split("\n", MAX_ITEMS):
        _editor_command(follower, line.lstrip(":"))
    return UNKNOWN


def _editor_command(follower: Follower, text: str) -> None:
    """Follow `!command`, `r !command` and system("command") of an editor."""
    for word in ("silent! ", "silent ", "exe ", "execute ", "r ", "w ", "%", "1,$"):
        text = text.removeprefix(word)
    if text.strip("'\"").startswith("!"):
        follower.scoped(text.strip("'\"")[1:], "", False)
    elif "system(" in text or "execute(" in text:
        from ultra_runtime.guard.follow.interpret import run_code

        run_code(follower, text, "vim", "", 0)


# -- commands for many arguments


def xargs(follower: Follower, call: Call) -> str:
    """Follow xargs: the command with the words of the input, as far as they are known."""
    short, long = wrappers.XARGS
    at = skip_options(call.args, short, long)
    found = options(call.args[:at], short, long)
    words = call.args[at:]
    source = call.stdin
    listed = found.value("a", "arg-file")
    if listed is not None:
        content = follower.shell.content(listed)
        source = UNKNOWN if content is None else content
    place = found.value("I", "J", "replace")
    if place is None and (found.has("i", "replace") or any(arg.startswith("-i") for arg in call.args[:at])):
        place = "{}"
    if not words:
        return " ".join(_items(source, False)) + "\n"
    if place:
        out = [
            follower.execute([_replaced(follower, word, place, item) for word in words], "")
            for item in _items(source, True)[:MAX_ITEMS]
        ]
        return "".join(out)
    items = _items(source, found.has("0", "null", "d", "delimiter"))[:200]
    if base_name(words[0]) in SHELLS and [word for word in words if word != "--"][-1] == "-c":
        follower.scoped(" ".join(items), "", False)
    return follower.execute(words + items, "")


def _replaced(follower: Follower, word: str, place: str, item: str) -> str:
    """Put an item into a word, and count what that makes."""
    made = replaced(word, place, item)
    follower.work.spend(len(made) // 8)
    return made


def _items(source: str, lines: bool) -> list[str]:
    """Split an input into the items of xargs."""
    if not known(source):
        return [taint(source) or UNKNOWN]
    if lines:
        return [line.strip() for line in source.replace("\0", "\n").split("\n") if line.strip()] or [""]
    return source.replace("'", "").replace('"', "").split()


def parallel(follower: Follower, call: Call) -> str:
    """Follow parallel: its words are a text for a shell, its inputs follow ::: or come in lines."""
    short, long = wrappers.PARALLEL
    at = skip_options(call.args, short, long)
    rest = call.args[at:]
    marks = [place for place, word in enumerate(rest) if word in (":::", "::::", ":::+", "::::+")]
    words = rest[: marks[0]] if marks else rest
    if marks:
        items = (
            [word for word in rest[marks[0] :] if not word.startswith(":::")]
            if rest[marks[0]] == ":::"
            else [UNKNOWN]
        )
    else:
        items = _items(call.stdin, True)
    out = []
    for item in items[:MAX_ITEMS]:
        made = [_filled(follower, word, item) for word in words]
        if made == words:
            made = [*words, item]
        out.append(_run_joined(follower, made))
    return "".join(out)


def _filled(follower: Follower, word: str, item: str) -> str:
    for place in ("{}", "{1}", "{.}", "{/}", "{//}", "{/.}", "{1.}", "{= $_ =}"):
        if place in word:
            word = _replaced(follower, word, place, item)
    return word


def find(follower: Follower, call: Call) -> str:
    """Follow the commands of find -exec; a file that it finds is never an option."""
    args = call.args
    from ultra_runtime.guard.follow.outputs import find_form, printed
    from ultra_runtime.guard.follow.writes import deleted

    for write in deleted(call) if "-delete" in args else ():
        follower.wrote(write)
    for at, arg in enumerate(args[:-1]):
        if arg in wrappers.FIND_WRITES:
            follower.wrote(Write(args[at + 1], "truncate", call.name))
            follower.shell.write(
                args[at + 1], find_form(args[at + 2] if arg == "-fprintf" and args[at + 2 :] else "")
            )
    out = ""
    at = 0
    while at < len(args):
        if args[at] not in wrappers.FIND_RUNS:
            at += 1
            continue
        end = at + 1
        while end < len(args) and args[end] != ";" and not (args[end] == "+" and args[end - 1] == "{}"):
            end += 1
        words = [word.replace("{}", "./{}") for word in args[at + 1 : end]]
        if words:
            out += follower.execute(words, "") if len(out) < MAX_MADE else ""
        at = end + 1
    return out or printed(call)


def fd(follower: Follower, call: Call) -> str:
    """Follow fd -x."""
    for at, arg in enumerate(call.args[:-1]):
        if arg in ("-x", "-X", "--exec", "--exec-batch"):
            follower.execute([word.replace("{}", "./{}") for word in call.args[at + 1 :]], "")
            break
    return UNKNOWN
