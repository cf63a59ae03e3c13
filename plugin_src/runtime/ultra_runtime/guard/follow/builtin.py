"""Follow the shell's own commands that change what later commands see."""

from __future__ import annotations

from ultra_runtime.guard.follow.expand import spans
from ultra_runtime.guard.shell.calls import Call, options
from ultra_runtime.guard.shell.marks import HOME, UNKNOWN, known, taint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower

MAX_WORDS = 1000
BLANKS = " \t\n"


def cd(follower: Follower, call: Call) -> str:
    operands = options(call.args).operands
    target = operands[0] if operands else HOME
    if call.name == "popd" or target == "-" or not known(target) or target[:1] == "+":
        target = UNKNOWN
    follower.shell.chdir(target)
    return ""


def declare(follower: Follower, call: Call) -> str:
    """Follow export, declare, local, readonly and typeset."""
    reference = any(arg[:1] == "-" and "n" in arg for arg in call.args) and call.name != "export"
    is_local = follower.makes_local([call.name, *call.args])
    for arg in call.args:
        if arg[:1] == "-":
            continue
        name, equals, value = arg.partition("=")
        append = name.endswith("+")
        name = name.rstrip("+")
        if is_local:
            follower.locals.append((name, follower.shell.variables.get(name)))
        if reference and equals and value.isidentifier() and value != name:
            follower.shell.put(follower.shell.references, name, value)
        elif equals and name:
            follower.assign(name, value, append)
    return ""


def unset(follower: Follower, call: Call) -> str:
    """Follow unset: with -f only functions go, with -n only references, and a variable hides a function."""
    shell, found = follower.shell, options(call.args)
    for name in found.operands:
        if found.has("f") or not (found.has("n", "v") or name in shell.variables):
            shell.drop(shell.functions, name)
        if not found.has("f"):
            shell.drop(shell.references, name)
        if not found.has("f", "n"):
            shell.put(shell.variables, name, BLANKS if name == "IFS" else "")
    return ""


def read(follower: Follower, call: Call) -> str:
    """Follow read: the first line of the input, word by word."""
    found = options(call.args, "uapdtnNi")
    source = _descriptor(follower, call, found.value("u"))
    follower.work.spend(len(source) // 64)
    line = source.split(found.value("d") or "\n", 1)[0]
    if follower.shell.variables.get("IFS") != BLANKS:
        follower.work.spend(len(line))
    array = found.value("a")
    if array is not None:
        follower.assign(array, _split(line, follower.shell.variables.get("IFS"), MAX_WORDS))
        return ""
    names = found.operands or ["REPLY"]
    words = _split(line, follower.shell.variables.get("IFS"), len(names)) if known(line) else []
    for at, name in enumerate(names):
        if words or not line:
            follower.assign(name, words[at] if at < len(words) else "")
        else:
            follower.assign(name, line if len(names) == 1 else taint(line) or UNKNOWN)
    return ""


def _split(line: str, separators: object, most: int) -> list[str]:
    """Split a line into words as read does: by blanks, or by the characters of IFS."""
    if not isinstance(separators, str) or not known(separators) or separators == BLANKS:
        return line.rstrip(BLANKS).split(None, most - 1)
    places = spans(line, separators)
    words = [line[start:end] for start, end in places[:most]]
    if len(places) > most:  # the last one keeps its separators
        blanks = "".join(char for char in separators if char in BLANKS)
        words[-1] = line[places[most - 1][0] :].rstrip(blanks)
    return words


def mapfile(follower: Follower, call: Call) -> str:
    found = options(call.args, "udnOsCc")
    lines = _descriptor(follower, call, found.value("u")).rstrip("\n").split("\n")
    follower.assign(found.operands[0] if found.operands else "MAPFILE", lines[:1000])
    return ""


def _descriptor(follower: Follower, call: Call, fd: str | None) -> str:
    return call.stdin if fd is None else follower.shell.streams.get(fd, UNKNOWN)


def set_arguments(follower: Follower, call: Call) -> str:
    """Follow `set -- words`."""
    for at, arg in enumerate(call.args):
        if arg == "--" or arg[:1] not in ("-", "+"):
            rest = call.args[at + 1 :] if arg == "--" else call.args[at:]
            if call.args[at - 1 : at] not in (["-o"], ["+o"]):
                follower.shell.set_arguments(rest)
                break
    return ""


def shift(follower: Follower, call: Call) -> str:
    arguments = follower.shell.arguments["@"]
    count = int(call.args[0]) if call.args and call.args[0].isdecimal() else 1
    if arguments is not None:
        follower.work.spend(len(arguments))
        follower.shell.put(follower.shell.arguments, "@", arguments[count:])
    return ""


def printf(follower: Follower, call: Call) -> str:
    from ultra_runtime.guard.follow.outputs import formatted, printed

    args = call.args
    if args and args[0][:2] == "-v" and len(args[0]) > 2:
        args = ["-v", args[0][2:], *args[1:]]
    if args[:1] != ["-v"] or len(args) < 3:
        return printed(call)
    form = args[3:] if args[2] == "--" else args[2:]
    follower.assign(args[1], formatted("".join(form[:1]), form[1:]))
    return ""


def let(follower: Follower, call: Call) -> str:
    from ultra_runtime.guard.follow.parameter import compute

    for arg in call.args:
        compute(follower, arg)
    return ""


def alias(follower: Follower, call: Call) -> str:
    for arg in call.args:
        name, equals, text = arg.partition("=")
        if equals and name and name[0] != "-":
            follower.shell.put(follower.shell.aliases, name, text)
    return ""


def evaluate(follower: Follower, call: Call) -> str:
    args = call.args[1:] if call.args[:1] == ["--"] else call.args
    return follower.nested(" ".join(args), call.stdin)


def source(follower: Follower, call: Call) -> str:
    operands = [arg for arg in call.args if arg not in ("--", "-p")]
    content = follower.shell.program(operands[0], call.stdin) if operands else None
    if content is None:
        return UNKNOWN
    return follower.nested(content, call.stdin, False)


def trap(follower: Follower, call: Call) -> str:
    operands = options(call.args).operands
    if len(operands) > 1 and operands[0] not in ("-", ""):
        follower.nested(operands[0], "", False)
        # once more at the end: its variables may have other values by then
        follower.late.append((operands[0], None))
    return ""


def remember(follower: Follower, call: Call) -> str:
    """Follow `hash -p /bin/rm name`."""
    found = options(call.args, "p")
    path = found.value("p")
    for name in found.operands if path else ():
        follower.shell.put(follower.shell.aliases, name, path)
    return ""


def getopts(follower: Follower, call: Call) -> str:
    for name in (*call.args[1:2], "OPTARG"):
        follower.assign(name, UNKNOWN)
    return ""
