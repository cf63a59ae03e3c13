"""Rules on files: forced deletion of whole trees, and access for everybody."""

from __future__ import annotations

from ultra_runtime.guard.shell.calls import Call, is_opaque, options
from ultra_runtime.guard.shell.marks import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy

NEEDS = {
    "mode_option": ("*777*", "*+*", "*=*"),
    "open_mode": ("*777*", "*+*", "*=*"),
    "remove": ("-*",),
    "remove_windows": ("-*", "q", "Q"),
}

_LONG_OPTIONS = (
    "--recursive", "--force", "--verbose", "--dir", "--one-file-system", "--preserve-root", "--no-preserve-root",
    "--interactive",
)  # fmt: skip
_ALL = frozenset((who, what) for who in "ugo" for what in "rwx")


def remove(call: Call, policy: Policy) -> bool:
    """Match rm with both recursive and force, in any spelling.

    An unknown word counts as the missing flag when a known flag follows it
    (`rm $F -r d`): there it cannot be a file to delete. An unknown program that is given no file deletes nothing.
    """
    if call.guess and all(arg[:1] == "-" for arg in call.args):
        return False
    recursive = force = hidden = waiting = False
    for arg in call.args:
        if arg == "--":
            break
        if is_opaque(arg):
            waiting = True
            continue
        if len(arg) < 2 or arg[0] != "-":
            continue
        hidden = hidden or waiting
        if arg.startswith("--"):
            # GNU accepts every unambiguous prefix of a long name
            if call.guess and not any(name.startswith(arg) for name in _LONG_OPTIONS):
                return False
            recursive = recursive or "--recursive".startswith(arg)
            force = force or "--force".startswith(arg)
        elif call.guess and arg[1:].strip("rRfvidI"):
            return False  # an option that rm does not have: this is another program
        else:
            recursive = recursive or "r" in arg or "R" in arg
            force = force or "f" in arg
            hidden = hidden or not known(arg)
    if recursive and force:
        return True
    return hidden and (recursive or force) and not call.guess


def remove_windows(call: Call, policy: Policy) -> bool:
    """Match Remove-Item -Recurse -Force and rd /s /q."""
    words = [arg.lower() for arg in call.args]
    recursive = any(len(word) > 1 and "-recurse".startswith(word) for word in words)
    force = any(len(word) > 2 and "-force".startswith(word) for word in words)
    return (recursive and force) or ("/s" in words and "/q" in words)


def open_mode(call: Call, policy: Policy) -> bool:
    """Match chmod with a mode that lets everybody do everything."""
    found = options(call.args, long="reference")
    if "reference" in found.flags:
        return False
    operands = found.operands
    return bool(operands) and _opens(operands[0]) and (len(operands) > 1 or not call.guess)


def mode_option(call: Call, policy: Policy) -> bool:
    """Match install, mkdir and their like with such a mode as an option; the -m of rsync and tar is another one."""
    valued = "mogtS" if call.name in ("install", "ginstall") else "" if call.name in ("rsync", "tar") else "m"
    values = options(call.args, valued, "mode owner group chmod").values
    return any(name in ("m", "mode", "chmod") and _opens(value) for name, value in values)


def _opens(mode: str) -> bool:
    """Tell whether a mode gives read, write and execute to user, group and others."""
    digits = mode.lstrip("+=")
    if digits.isdecimal():
        # the sticky bit (1777) makes it what /tmp is
        return len(digits) >= 3 and digits[-3:] == "777" and digits[:-3].lstrip("0") != "1"
    given: set[tuple[str, str]] = set()
    for clause in mode.split(","):
        operator = next((char for char in clause if char in "+-="), "")
        who, _, what = clause.partition(operator) if operator else ("", "", "")
        # the letters D and F in front are rsync's: for directories, for files
        people = "ugo" if "a" in who else who.strip("DF")
        bits = {(one, bit) for one in people for bit in what.replace("X", "x") if bit in "rwx"}
        if operator == "-":
            given -= bits
        else:
            given |= bits
    return given >= _ALL
