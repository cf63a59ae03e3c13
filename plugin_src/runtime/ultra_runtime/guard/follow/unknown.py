"""Follow a command whose name is unknown, wholly or in part.

A rule matches only when the known words already fit the rest of it.
"""

from __future__ import annotations

from ultra_runtime.guard.follow.ask import ask_rules
from ultra_runtime.guard.follow.kinds import SHELLS
from ultra_runtime.guard.shell.calls import Call, is_opaque
from ultra_runtime.guard.shell.marks import UNKNOWN, base_name, known, may_be, pieces, taint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower
    from ultra_runtime.guard.policy import Policy

# What an unknown name may be: commands that their arguments alone identify.
_GUESSES = ("rm", "chmod", "git", "dd", "kill")


def unknown_name(follower: Follower, call: Call) -> str:
    """Follow a command whose name could be several; return what it prints."""
    follower.work.spend(40)
    if follower.policy is not None:
        for name in _candidates(call.name, follower.policy):
            ask_rules(follower, Call(name, call.args, call.stdin, call.shell, call.expands, True))
    if taint(call.stdin) and all(arg in ("-", "-s") for arg in call.args):
        follower.foreign(call.stdin)
    if call.args[:1] in (["-c"], ["-lc"], ["-ec"]) and len(call.args) > 1:
        return follower.scoped(call.args[1], call.stdin, False)
    return _behind(follower, call)


def _candidates(name: str, policy: Policy) -> list[str]:
    """Return the commands that the name could be."""
    names = [guess for guess in _GUESSES if may_be(name, guess)]
    if is_opaque(name) or name[0] in "*?[":
        return names
    letters = sum(map(len, pieces(name)))
    return names + [
        other
        for other in policy.commands
        if other[0:1] == name[0]
        and letters * 5 >= len(other) * 3
        and other not in names
        and may_be(name, other)
    ]


def _behind(follower: Follower, call: Call) -> str:
    """Follow the words after an unknown name, which may be a wrapper: `$SUDO_CMD rm -rf x`."""
    policy = follower.policy
    rest = call.args
    if policy is not None and len(rest) > 1 and known(rest[0]) and "--cached" not in rest:
        base = base_name(rest[0])
        if base in SHELLS or any(
            not use.endswith(".adds_package") for _, use in policy.commands.get(base, ())
        ):
            return follower.execute(rest, call.stdin)
    return taint(call.stdin) or UNKNOWN
