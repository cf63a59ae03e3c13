"""Compute what commands print, as far as their arguments and input are known."""

from __future__ import annotations

from ultra_runtime.guard.follow.kinds import PRINTERS, SILENT
from ultra_runtime.guard.shell.calls import Call, Options, options
from ultra_runtime.guard.shell.marks import MAX_MADE, UNKNOWN, base_name, known, replaced, taint
from ultra_runtime.guard.shell.quotes import resolve

MAX_COLUMNS = 16
# Letters of options with a value, of those that print their files.
_VALUES = {
    "head": "nc", "tail": "nc", "fold": "w", "fmt": "w", "sort": "oktST", "uniq": "fsw", "grep": "efmABC",
    "egrep": "efmABC", "fgrep": "efmABC", "rg": "efmABCgt", "iconv": "ft", "column": "stc",
}  # fmt: skip
_INPUTS = ("-", "/dev/stdin", "/dev/fd/0")
_PROGRAM_FOLDERS = ("/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin")


def printed(call: Call) -> str:
    """Return what a command prints."""
    maker = PRINTERS.get(call.name)
    if maker is not None:
        made: str = globals()[maker](call)
        call.shell.work.spend((len(call.stdin) + len(made)) // 8)
        return made[:MAX_MADE]
    if call.name in SILENT:
        return ""
    return taint(call.stdin) or UNKNOWN


def echo(call: Call) -> str:
    args = list(call.args)
    escapes, newline = False, "\n"
    while args and args[0][:1] == "-" and len(args[0]) > 1 and not args[0][1:].strip("neE"):
        flag = args.pop(0)
        escapes = flag.rfind("e") > flag.rfind("E") if "e" in flag or "E" in flag else escapes
        newline = "" if "n" in flag else newline
    text = " ".join(args) + newline
    return resolve(text, True) if escapes else text


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
        if not rest or len(rest) == before or size > MAX_MADE:
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
            is_based = letter in ("o", "x", "X") and value.isdecimal() and len(value) < 10
            out.append(format(int(value), letter) if is_based else value if value.isdecimal() else UNKNOWN)


def cat(call: Call) -> str:
    """Join files that the text itself wrote, and the input."""
    found = options(call.args, _VALUES.get(call.name, ""))
    operands = found.operands
    if call.name in ("grep", "egrep", "fgrep", "rg"):
        operands = operands[1:]
    if not operands:
        return _ends(call, found, call.stdin)
    out: list[str] = []
    size = 0
    for name in operands:
        if size > MAX_MADE:
            break
        if name in _INPUTS:
            out.append(call.stdin)
        else:
            content = call.shell.content(name)
            if content is None:
                content = program_text(name) or UNKNOWN + "\n"
            if content != UNKNOWN + "\n" or out[-1:] != [content]:
                out.append(content)
        size += len(out[-1])
    return _ends(call, found, "".join(out))


def _ends(call: Call, found: Options, text: str) -> str:
    """Return the lines that head and tail leave of a known text."""
    if call.name not in ("head", "tail") or not known(text):
        return text
    given = found.value("n") or next((flag for flag in found.flags if flag.isdecimal()), "")
    count = int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0
    if not count:
        return text
    lines = text.rstrip("\n").split("\n")
    return "\n".join(lines[:count] if call.name == "head" else lines[-count:]) + "\n"


def cut(call: Call) -> str:
    """Cut characters or one field out of the lines of a known input."""
    found = options(call.args, "cbfd", "characters bytes fields delimiter output-delimiter")
    first, _, last = (found.value("c", "b", "f", "characters", "bytes", "fields") or "?").partition("-")
    source = call.stdin if not found.operands else call.shell.content(found.operands[0]) or UNKNOWN
    dash = "-" in (found.value("c", "b", "f", "characters", "bytes", "fields") or "")
    if not known(source) or not (first or "1").isdecimal() or not (last or "1").isdecimal():
        return taint(source) or UNKNOWN
    start = int((first or "1")[:6]) - 1
    end = int(last[:6]) if last else None if dash else start + 1
    sign = found.value("d", "delimiter") or "\t"
    if found.value("f", "fields") is None:
        return "\n".join(line[start:end] for line in source.split("\n"))
    return "\n".join(sign.join(line.split(sign)[start:end]) for line in source.split("\n"))


def paste(call: Call) -> str:
    """Join the lines of files side by side."""
    sign = (options(call.args, "d", "delimiters").value("d", "delimiters") or "\t")[:1]
    columns = [
        (call.stdin if name == "-" else call.shell.content(name) or UNKNOWN).rstrip("\n").split("\n")
        for name in options(call.args, "d", "delimiters").operands[:MAX_COLUMNS]
    ]
    longest = max(map(len, columns), default=0)
    rows = zip(*(lines + [""] * (longest - len(lines)) for lines in columns))
    return "".join(sign.join(parts) + "\n" for parts in rows)


def tee(call: Call) -> str:
    return call.stdin


def pwd(call: Call) -> str:
    return call.shell.cwd or "."


def last_operand(call: Call) -> str:
    operands = options(call.args).operands
    if not operands:
        return ""
    found = operands[-1]
    is_name = call.name in ("which", "whereis", "type") and "/" not in found and known(found)
    return (f"/usr/bin/{found}" if is_name else found) + "\n"


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
    table = {ord(char): new[min(at, len(new) - 1)] for at, char in enumerate(old)}
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
            out = replaced(out, old, new) if "g" in flags else _once_a_line(out, old, new)
        elif old in ("^", ""):
            out = _in_front(out, new)
        else:
            out += new + UNKNOWN + "\n"
        call.shell.work.spend(len(out) // 8)
        out = out[:MAX_MADE]
    return out if out else taint(call.stdin) or UNKNOWN


def _once_a_line(text: str, old: str, new: str) -> str:
    if (text.count("\n") + 1) * len(new) > MAX_MADE:
        return UNKNOWN + "\n" + taint(text + new)
    return "\n".join(line.replace(old, new, 1) for line in text.split("\n"))


def _in_front(text: str, new: str) -> str:
    """Put a text in front of every line; of too many lines the first few tell as much."""
    lines = text.removesuffix("\n").split("\n") if text else []
    most = MAX_MADE // (len(new) + 1) + 1
    return "\n".join(new + line for line in lines[:most]) + "\n" * text.endswith("\n")


def awk(call: Call) -> str:
    """Keep the strings that a program of awk may print."""
    program = next((arg for arg in call.args if "print" in arg), "")
    from ultra_runtime.guard.follow.code import strings

    printed = strings(program, "awk")
    lines = "".join(text + UNKNOWN + "\n" for text in printed)
    return lines + (taint(call.stdin) or UNKNOWN)


def jq(call: Call) -> str:
    """Keep the strings that a program of jq may print."""
    from ultra_runtime.guard.follow.code import strings

    program = (options(call.args, "fL", "from-file").operands or [""])[0]
    return "".join(text + "\n" for text in strings(program, "node")) + (taint(call.stdin) or UNKNOWN)


def find(call: Call) -> str:
    """Keep the format that find -printf prints."""
    out = UNKNOWN
    for at, arg in enumerate(call.args[:-1]):
        if arg == "-printf":
            out = find_form(call.args[at + 1])
    return out


def find_form(form: str) -> str:
    """Return what a format of find prints, as far as it is known."""
    for letter in "pPfhH":
        form = form.replace("%" + letter, UNKNOWN)
    return resolve(form) or UNKNOWN


def written(call: Call) -> str:
    """Return what a plain writer writes to its target, as far as it is known."""
    if call.name == "dd" and (source := next((arg[3:] for arg in call.args if arg[:3] == "if="), "")):
        return call.shell.content(source) or program_text(source)
    if call.name in ("tee", "sponge", "dd"):
        return call.stdin
    if call.name == "sort":
        return cat(call)
    if call.name in ("split", "gsplit", "csplit"):
        return split_source(call)
    if call.name in ("sed", "gsed"):
        return _edited(call)
    if call.name in ("cp", "mv", "install", "ln"):
        operands = options(call.args, "tSmog").operands
        if len(operands) != 2:
            return ""
        if operands[0] in _INPUTS:
            return call.stdin
        return call.shell.content(operands[0]) or program_text(operands[0])
    return ""


def split_source(call: Call) -> str:
    """Return what split cuts into pieces."""
    from ultra_runtime.guard.follow.writes import SPLIT_VALUES

    name = (options(call.args, *SPLIT_VALUES).operands or ["-"])[0]
    return call.stdin if name in _INPUTS else call.shell.content(name) or ""


def _edited(call: Call) -> str:
    """Return the text that sed -i puts into a file, behind what is known of the file."""
    found = options(call.args, "efl", "expression file line-length")
    given = [value for name, value in found.values if name in ("e", "expression")]
    scripts, paths = (given, found.operands) if given else (found.operands[:1], found.operands[1:])
    new: list[str] = []
    for script in "\n".join(scripts)[:MAX_MADE].split("\n"):
        bare = script.lstrip("0123456789$,!~+ \t")
        pieces = bare[2:].split(bare[1]) if bare[:1] == "s" and len(bare) > 1 else []
        if bare[:1] in ("a", "c", "i"):
            new.append(bare[1:].lstrip(" \t\\"))
        elif len(pieces) > 1:
            new.append(pieces[1])
        elif new and not bare[:1].isalpha():
            new.append(bare)
    before = call.shell.content(paths[0]) if paths else None
    return "\n".join([*((before or "").split("\n")), *new, ""]) if new else before or ""


def program_text(path: str) -> str:
    """Return a script that does what a program of the system does: a copy of it does the same."""
    folder, slash, name = path.rpartition("/")
    return f'{name} "$@"\n' if slash and name and known(path) and folder in _PROGRAM_FOLDERS else ""


def verified(call: Call) -> bool:
    """Tell whether the command compares a file with a known digest or signature."""
    return any(
        arg in ("-c", "--check", "--verify", "verify", "verify-blob", "-verify", "-V", "--status", "-Vm")
        for arg in call.args
    )
