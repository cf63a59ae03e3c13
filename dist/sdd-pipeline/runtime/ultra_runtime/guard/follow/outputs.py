"""Compute what commands print, as far as their arguments and input are known."""

from __future__ import annotations

from ultra_runtime.guard.follow.kinds import PRINTERS, SILENT
from ultra_runtime.guard.shell.calls import Call, options
from ultra_runtime.guard.shell.marks import UNKNOWN, base_name, known, taint
from ultra_runtime.guard.shell.quotes import resolve

MAX_OUTPUT = 64 * 1024


def printed(call: Call) -> str:
    """Return what a command prints."""
    maker = PRINTERS.get(call.name)
    if maker is not None:
        made: str = globals()[maker](call)
        return made[:MAX_OUTPUT]
    if call.name in SILENT:
        return ""
    return taint(call.stdin) or UNKNOWN


def echo(call: Call) -> str:
    args = list(call.args)
    escapes, newline = False, "\n"
    while args and args[0][:1] == "-" and len(args[0]) > 1 and not args[0][1:].strip("neE"):
        flag = args.pop(0)
        escapes = "e" in flag if "e" in flag or "E" in flag else escapes
        newline = "" if "n" in flag else newline
    text = " ".join(args)
    return (resolve(text, True) if escapes else text) + newline


def printf(call: Call) -> str:
    args = call.args[1:] if call.args[:1] == ["--"] else call.args
    return formatted(args[0], args[1:]) if args else ""


def formatted(form: str, args: list[str]) -> str:
    """Fill the format of printf, again while there are arguments."""
    out: list[str] = []
    rest = args[::-1]  # reversed, because popping at the end is cheap
    size = 0
    while True:
        before = len(rest)
        piece = _fill(form, rest)
        out.append(piece)
        size += len(piece)
        if not rest or len(rest) == before or size > MAX_OUTPUT:
            return "".join(out)


def _fill(form: str, rest: list[str]) -> str:
    """Fill a format once, taking arguments away from the end of the reversed list."""
    out: list[str] = []
    at = 0
    while True:
        percent = form.find("%", at)
        if percent < 0:
            out.append(resolve(form[at:]))
            return "".join(out)
        out.append(resolve(form[at:percent]))
        end = percent + 1
        while end < len(form) and form[end] in "-+ #0123456789.*":
            end += 1
        letter = form[end : end + 1]
        at = end + 1
        if letter == "%":
            out.append("%")
        elif letter in ("s", "b", "q", "c"):
            value = rest.pop() if rest else ""
            out.append(resolve(value, True) if letter == "b" else value[:1] if letter == "c" else value)
        else:
            value = rest.pop() if rest else ""
            out.append(value if value.isdigit() else UNKNOWN)


def cat(call: Call) -> str:
    """Join files that the text itself wrote, and the input."""
    operands = options(call.args, "nc" if call.name in ("head", "tail") else "").operands
    if call.name in ("grep", "egrep", "fgrep", "rg"):
        operands = operands[1:]
    if not operands:
        return call.stdin
    out = []
    for name in operands:
        if name in ("-", "/dev/stdin", "/dev/fd/0"):
            out.append(call.stdin)
        else:
            content = call.shell.content(name)
            if content is not None:
                out.append(content)
            elif out[-1:] != [UNKNOWN + "\n"]:
                out.append(UNKNOWN + "\n")
    return "".join(out)


def tee(call: Call) -> str:
    return call.stdin


def pwd(call: Call) -> str:
    return call.shell.cwd or "."


def last_operand(call: Call) -> str:
    operands = options(call.args).operands
    return operands[-1] + "\n" if operands else ""


def last_component(call: Call) -> str:
    operands = options(call.args, "s").operands
    return base_name(operands[0].rstrip("/")) + "\n" if operands else ""


def rev(call: Call) -> str:
    if not known(call.stdin):
        return taint(call.stdin) or UNKNOWN
    return "\n".join(line[::-1] for line in call.stdin.split("\n"))


def tr(call: Call) -> str:
    """Translate or delete characters of a known input."""
    found = options(call.args)
    if not known(call.stdin) or not found.operands or found.has("c", "C", "complement"):
        return taint(call.stdin) or UNKNOWN
    old = _set(found.operands[0])
    if found.has("d", "delete"):
        return "".join(char for char in call.stdin if char not in old)
    if found.has("s", "squeeze-repeats") and len(found.operands) == 1:
        return call.stdin
    new = _set(found.operands[1]) if len(found.operands) > 1 else ""
    if not new:
        return UNKNOWN
    table = {ord(char): new[min(at, len(new) - 1)] for at, char in reversed(list(enumerate(old)))}
    return call.stdin.translate(table)


def _set(text: str) -> str:
    """Write out a set of tr: ranges and the common classes."""
    lower = "abcdefghijklmnopqrstuvwxyz"
    text = (
        resolve(text)
        .replace("[:lower:]", lower)
        .replace("[:upper:]", lower.upper())
        .replace("[:space:]", " \t\n")
    )
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            out += [
                chr(code) for code in range(ord(text[at]), min(ord(text[at + 2]), ord(text[at]) + 255) + 1)
            ]
            at += 3
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def sed(call: Call) -> str:
    """Apply one plain substitution; of others keep the replacement text."""
    found = options(call.args, "efl", "expression file line-length")
    scripts = [value for name, value in found.values if name in ("e", "expression")] or found.operands[:1]
    source = call.stdin if len(found.operands) <= (1 if not found.values else 0) else UNKNOWN + "\n"
    out = source
    for script in scripts:
        pieces = script[1:].split(script[1]) if script[:1] == "s" and len(script) > 1 else []
        pieces = script[2:].split(script[1]) if len(pieces) > 2 else []
        if len(pieces) != 3:
            continue
        old, new, flags = pieces
        new = new.replace("&", UNKNOWN)
        if known(out) and old and not set(old) & set("\\.*[]^$"):
            out = out.replace(old, new) if "g" in flags else _once_a_line(out, old, new)
        elif old in ("^", ""):
            out = "".join(new + line + "\n" for line in out.split("\n") if line)
        else:
            out += new + UNKNOWN + "\n"
    return out if out else taint(call.stdin) or UNKNOWN


def _once_a_line(text: str, old: str, new: str) -> str:
    return "\n".join(line.replace(old, new, 1) for line in text.split("\n"))


def awk(call: Call) -> str:
    """Keep the strings that a program of awk may print."""
    program = next((arg for arg in call.args if "print" in arg), "")
    from ultra_runtime.guard.follow.code import strings

    printed = strings(program, "awk")
    lines = "".join(text + UNKNOWN + "\n" for text in printed)
    return lines + (taint(call.stdin) or UNKNOWN)


def find(call: Call) -> str:
    """Keep the format that find -printf prints."""
    out = UNKNOWN
    for at, arg in enumerate(call.args[:-1]):
        if arg == "-printf":
            form = call.args[at + 1]
            for letter in "pPfhH":
                form = form.replace("%" + letter, UNKNOWN)
            out = resolve(form)
    return out


def written(call: Call) -> str:
    """Return what a plain writer writes to its target, as far as it is known."""
    if call.name in ("tee", "sponge", "dd"):
        return call.stdin
    if call.name in ("cp", "mv", "install", "ln"):
        operands = options(call.args, "tSmog").operands
        return call.shell.content(operands[0]) or "" if len(operands) == 2 else ""
    return ""


def verified(call: Call) -> bool:
    """Tell whether the command compares a file with a known digest or signature."""
    return any(
        arg in ("-c", "--check", "--verify", "verify", "verify-blob", "-verify", "-V", "--status", "-Vm")
        for arg in call.args
    )
