"""Follow interpreters: find the program in their arguments, and what it does."""

from __future__ import annotations

from ultra_runtime.guard.follow import code
from ultra_runtime.guard.follow.kinds import EXIT_FLAGS, LANGUAGES, MODULES, PROGRAM_FIRST
from ultra_runtime.guard.shell.calls import Call, Write
from ultra_runtime.guard.shell.marks import DECODED, FETCHED, TAINTS, UNKNOWN, taint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower

MAX_CODE_DEPTH = 3


def run_language(follower: Follower, call: Call, tongue: str) -> str:
    """Follow an interpreter: the program in its options, in a file written here, or in its input."""
    codes, operands, module, leaves = program_of(call.args, tongue)
    if leaves:
        return UNKNOWN
    if module:
        if module in MODULES:
            return follower.execute([module, *operands], call.stdin)
        return taint(call.stdin) or UNKNOWN
    if not codes and operands and tongue in ("deno", "bun") and operands[0] in ("run", "eval", "repl"):
        codes = operands[1:2] if operands[0] == "eval" else []
        operands = operands[1:]
    if not codes and operands and tongue in PROGRAM_FIRST:
        codes = operands[:1]
    elif not codes and tongue not in PROGRAM_FIRST:
        content = follower.shell.program(operands[0], call.stdin) if operands else call.stdin
        if content:
            codes = [content]
    if tongue == "awk":
        codes = [_awk_values(call.args) + text for text in codes]
        if any("system($" in text.replace(" ", "") for text in codes):
            follower.scoped(call.stdin, "", False)
    out = [run_code(follower, text, tongue, call.stdin, 0) for text in codes]
    if any(arg in ("-p", "-pe", "--print") for arg in call.args):  # node prints the result of the program
        out += [text + "\n" for program in codes for text in code.strings(program, tongue)]
    return "".join(out) + taint(call.stdin) or UNKNOWN


def _awk_values(args: list[str]) -> str:
    """Return the assignments of -v as the beginning of the program."""
    given = [value for option, value in zip(args, args[1:]) if option in ("-v", "--assign") and "=" in value]
    pairs = [value.partition("=") for value in given]
    return "".join(f'{name}="{value}"\n' for name, _, value in pairs if '"' not in value)


def program_of(args: list[str], tongue: str) -> tuple[list[str], list[str], str, bool]:
    """Sort the arguments of an interpreter: programs, operands, a module, and whether it only reports."""
    letters, longs, valued, long_valued = LANGUAGES[tongue]
    codes: list[str] = []
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        if arg in ("--", "-") or len(arg) < 2 or arg[0] != "-":
            return codes, args[at - 1 :] if arg != "--" else args[at:], "", False
        name, equals, value = arg[2:].partition("=")
        if arg[1] == "-":
            if name in EXIT_FLAGS and not codes:
                return codes, [], "", True
            if name in longs.split() and name:
                codes += [value] if equals else args[at : at + 1]
                at += not equals
            elif name in long_valued.split() and not equals:
                at += 1
            continue
        for place in range(1, len(arg)):
            letter, rest = arg[place], arg[place + 1 :]
            if letter in letters and letter:
                if rest and not rest.strip(letters):  # node -pe: two letters, one program
                    continue
                codes += [rest] if rest else args[at : at + 1]
                at += not rest
                break
            if letter == "m" and "m" in valued and tongue in ("python", "pypy"):
                module = rest or "".join(args[at : at + 1])
                return codes, args[at + (not rest) :], module, False
            if letter in valued:
                at += not rest
                break
    return codes, [], "", False


def run_code(follower: Follower, text: str, tongue: str, stdin: str, depth: int) -> str:
    """Check a program and follow what it runs; return what it prints."""
    follower.work.spend(len(text))
    if text[:1] in TAINTS:
        follower.foreign(text[0])
    found = code.look(text, tongue)
    follower.work.spend(len(found.texts) * 8)
    for rule in found.rules:
        follower.event(rule)
    for path in found.writes:
        follower.wrote(Write(path, "truncate", "open"))
        follower.shell.write(path, "\n".join(code.strings(text, tongue)))
    for command in found.commands:
        follower.execute(command, "")
    for shell_text in found.texts:
        follower.scoped(shell_text, stdin, False)
    for inner in found.codes:
        if depth < MAX_CODE_DEPTH:
            run_code(follower, inner, tongue, stdin, depth + 1)
    if taint(stdin) and "stdin" in text.lower() and ("exec" in text or "eval" in text):
        follower.foreign(stdin)
    if found.fetches or found.decodes:
        return FETCHED if found.fetches else DECODED
    return "".join(line + "\n" for line in found.printed)
