"""Follow what may run or not, or more than once: if, case and loops; and the other values that a variable may have."""

from __future__ import annotations

from ultra_runtime.guard.follow import expand
from ultra_runtime.guard.follow.parameter import compute
from ultra_runtime.guard.shell.marks import MAX_MADE, UNKNOWN
from ultra_runtime.guard.shell.syntax import VARIABLE, Compound, Script, SimpleCommand
from ultra_runtime.typed import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower

MAX_TURNS = 16
MAX_WAYS = 8


def follow(follower: Follower, compound: Compound, stdin: str) -> str:
    """Follow every branch of a compound command; return what they print."""
    if compound.kind == "for":
        return _for(follower, compound, stdin)
    if compound.kind == "while":
        return _while(follower, compound, stdin)
    for word in compound.words or ():
        inner = word.parts[0].word if compound.kind == "arithmetic" else None
        if inner is None:
            follower.text(word)
        else:
            compute(follower, follower.text(inner))
    out: list[str] = []
    size = 0
    for at, script in enumerate(compound.scripts):
        printed = (
            _perhaps(follower, script, stdin)
            if at or compound.kind == "case"
            else follower.run(script, stdin)
        )
        if size < MAX_MADE:
            out.append(printed)
            size += len(printed)
    return "".join(out)


def _perhaps(follower: Follower, script: Script, stdin: str) -> str:
    """Follow a script that may not run: what its variables were before stays possible."""
    follower.shell.branches += 1
    out = follower.run(script, stdin)
    follower.shell.branches -= 1
    return out


def _for(follower: Follower, loop: Compound, stdin: str) -> str:
    """Follow a loop once for each word when they are few and known, else once."""
    values = [UNKNOWN] if loop.words is None else expand.words(follower, loop.words)
    if len(values) > MAX_TURNS:
        values = [UNKNOWN]

    def turn(value: str) -> str:
        if loop.name:
            follower.shell.set(loop.name, value)
        return _perhaps(follower, loop.scripts[0], stdin)

    return _turns(follower, turn, values or [""])


def _while(follower: Follower, loop: Compound, stdin: str) -> str:
    """Follow a loop once for each line of its input when they are few and known, else once."""
    follower.work.spend(len(stdin) // 16)
    lines = stdin.split("\n", MAX_TURNS + 1)[:-1]
    if not 1 < len(lines) <= MAX_TURNS:
        lines = [stdin]

    def turn(line: str) -> str:
        return "".join([_perhaps(follower, script, line) for script in loop.scripts])

    return _turns(follower, turn, lines)


def _turns(follower: Follower, turn: Callable[[str], str], values: list[str]) -> str:
    """Follow the turns of a loop; when they cost too much, the rest in one turn with an unknown value."""
    work = follower.work
    if len(values) > 1 and not work.plenty():
        values = [UNKNOWN]
    before = work.spent
    out = [turn(values[0])]
    if not work.plenty((work.spent - before) * (len(values) - 1)):
        values = [values[0], UNKNOWN][: len(values)]
    out += [turn(value) for value in values[1:]]
    return "".join(out)[:MAX_MADE]


# -- the other values of variables


def follow_others(follower: Follower, command: SimpleCommand, stdin: str) -> str:
    """Follow a command with the present values, then with the others that its variables may have by now."""
    ways = _ways(follower, command) if follower.work.plenty() else []
    out = follower.once(command, stdin)
    shell = follower.shell
    values: list[tuple[str, str]] = []
    for way in ways:
        mark = shell.enter()
        for name, value in way:
            if name.endswith("()"):
                shell.put(shell.functions, name[:-2], value)
            elif name == "@":
                shell.put(shell.arguments, "@", value)
            else:
                shell.put(shell.variables, name, value)
            shell.drop(shell.others, name)
        out += follower.once(command, stdin) if len(out) < MAX_MADE else ""
        if not command.words:
            values += [
                (one.name, got) for one in command.assignments if isinstance(got := shell.get(one.name), str)
            ]
        shell.leave(mark)
    for name, other in values:
        known = shell.others.get(name, [])
        if other not in known and other != shell.variables.get(name) and len(known) < MAX_WAYS:
            shell.put(shell.others, name, [*known, other])
    return out


def _ways(follower: Follower, command: SimpleCommand) -> list[list[tuple[str, object]]]:
    """Return the combinations of other values for the variables and the function that a command names."""
    others = follower.shell.others
    words = command.words
    if command.assignments:
        words = [*words, *(one.value for one in command.assignments if one.value is not None)]
    names = [part.text for word in words for part in word.parts if part.kind == VARIABLE]
    if words and (name := f"{words[0].plain()}()") in others:
        names.append(name)
    if not names:
        return []
    ways: list[list[tuple[str, object]]] = [[]]
    for name in dict.fromkeys(name if name not in ("*", "1") else "@" for name in names):
        if name in others:
            ways += [[*way, (name, value)] for way in ways for value in others[name]][: MAX_WAYS - len(ways)]
    return ways[1:]
