"""A command that is about to run, a file that it writes, and its parsed options."""

from __future__ import annotations

from ultra_runtime.guard.shell.marks import OPAQUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.shell.shell_state import Shell

HELP = (["--help"], ["--version"])


class Call:
    """A command by its base name, with arguments in which marks replace unknown parts."""

    # No Struct: a text has many of them.
    __slots__ = ("alone", "args", "expands", "guess", "name", "shell", "stdin")

    def __init__(
        self, name: str, args: list[str], stdin: str, shell: Shell, expands: bool = False, guess: bool = False
    ) -> None:
        self.name = name
        self.args = args
        self.stdin = stdin
        self.shell = shell
        self.expands = expands  # one of its words has $ or a backquote
        self.guess = guess  # the name is unknown and could be this one
        self.alone = False  # the whole text is this command, without a wrapper and without an assignment


REMOVE, MODE = "remove", "mode"


class Write:
    """A file that is written, and how: truncate, append, replace, link, remove or mode."""

    __slots__ = ("how", "names", "path", "via")

    def __init__(self, path: str, how: str, via: str, names: tuple[str, ...] = ()) -> None:
        self.path = path
        self.how = how
        self.via = via  # the operator or the command
        self.names = names  # what would be written inside, if the path is a directory


class Options:
    """Arguments sorted into flags, values of options, and operands."""

    __slots__ = ("flags", "operands", "values")

    def __init__(self) -> None:
        self.flags: list[str] = []
        self.values: list[tuple[str, str]] = []
        self.operands: list[str] = []

    def has(self, *names: str) -> bool:
        """Tell whether one of the flags was given."""
        return any(name in self.flags for name in names)

    def value(self, *names: str) -> str | None:
        """Return the last value of an option."""
        found = [value for name, value in self.values if name in names]
        return found[-1] if found else None


def options(args: list[str], short: str = "", long: str = "", first_operand_ends: bool = False) -> Options:
    """Sort arguments, given the letters and the long names of the options that take a value."""
    out = Options()
    names = long.split()
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        if arg == "--":
            out.operands += args[at:]
            break
        if len(arg) < 2 or arg[0] != "-":
            out.operands.append(arg)
            if first_operand_ends:
                out.operands += args[at:]
                break
        elif arg[1] == "-":
            name, equals, value = arg[2:].partition("=")
            if equals:
                out.values.append((name, value))
            elif name in names and at < len(args):
                out.values.append((name, args[at]))
                at += 1
            out.flags.append(name)
        else:
            at += _cluster(arg, args, at, short, out)
    return out


def _cluster(arg: str, args: list[str], at: int, short: str, out: Options) -> int:
    """Split `-abc` into flags; return how many further arguments were its value."""
    for place in range(1, len(arg)):
        letter = arg[place]
        out.flags.append(letter)
        if letter in short:
            rest = arg[place + 1 :]
            if rest:
                out.values.append((letter, rest))
                return 0
            if at < len(args):
                out.values.append((letter, args[at]))
                return 1
    return 0


def skip_options(args: list[str], short: str, long: str) -> int:
    """Return where the operands of a wrapper start, which is where its command starts."""
    return len(args) - len(options(args, short, long, first_operand_ends=True).operands)


def is_assignment(arg: str) -> bool:
    """Tell whether an argument sets a variable for the command after it."""
    name, equals, _ = arg.partition("=")
    return bool(equals) and name.isidentifier()


def is_opaque(arg: str) -> bool:
    """Tell whether an argument starts with something unknown."""
    return arg[:1] in OPAQUE
