"""The rule on packages: adding one to a project or a machine."""

from __future__ import annotations

from ultra_runtime.guard.shell.calls import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy


def adds_package(call: Call, policy: Policy) -> bool:
    """Match the verb of a package manager that adds a package.

    The table gives its verbs (some of two words), whether a package must be named
    (`npm install` alone installs what package.json lists), and the options with a value.
    """
    manager = _bare(call.name)
    if manager not in policy.adders:
        return False
    verbs, needs_package, valued = policy.adders[manager]
    if any(arg in ("--help", "-h", "--dry-run", "--no-save") for arg in call.args):
        return False
    args = call.args[1:] if call.args and call.args[0][:1] == "+" else call.args  # cargo +nightly add
    operands, options = _sorted(args, valued)
    for verb in verbs:
        if verb[:1] == "-":
            if any(_given(verb, option) for option in options) and operands:
                return True
            continue
        words = verb.split()
        if operands[: len(words)] == words:
            packages = [item for item in operands[len(words) :] if not item.isdecimal()]  # values of options
            return bool(packages) or (not needs_package and bool(options))
    return False


def _bare(name: str) -> str:
    """Return the name without its version: pip3.11 is pip."""
    return name.rstrip("0123456789.") or name


def _given(verb: str, option: str) -> bool:
    """Tell whether an option is the verb: pacman -S, but not -Ss or -Si."""
    if verb == "-S":
        return option[:2] == "-S" and not set(option[2:]) & set("silgcp")
    return option == verb or (len(verb) == 2 and option[:2] == verb and option[:2] != "--")


def _sorted(args: list[str], valued: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Sort arguments into operands and options, leaving out the values of options."""
    operands: list[str] = []
    options: list[str] = []
    skip = False
    for at, arg in enumerate(args):
        if skip:
            skip = False
        elif arg == "--":
            operands += args[at + 1 :]
            break
        elif arg[:1] == "-" and len(arg) > 1:
            options.append(arg)
            skip = arg in valued
        elif arg:
            operands.append(arg)
    return operands, options
