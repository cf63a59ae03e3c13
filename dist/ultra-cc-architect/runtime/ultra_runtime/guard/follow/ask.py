"""Ask the rules about a command, and record what it writes."""

from __future__ import annotations

from ultra_runtime.guard.follow.kinds import CHANGERS, WRITERS
from ultra_runtime.guard.shell.calls import Call
from ultra_runtime.guard.shell.marks import show
from ultra_runtime.typed import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower
    from ultra_runtime.guard.policy import Policy


_VERSION = frozenset("0123456789.")
_found: dict[str, Callable[..., bool]] = {}


def logic(place: str) -> Callable[..., bool]:
    """Return the function at `module.name` of guard/rules; its module is loaded on first use."""
    if place not in _found:
        module, _, name = place.partition(".")
        _found[place] = getattr(__import__("ultra_runtime.guard.rules." + module, fromlist=["*"]), name)
    return _found[place]


def ask_rules(follower: Follower, call: Call) -> None:
    """Ask the rules that look at this command, and record what it writes."""
    policy = follower.policy
    if policy is not None:
        uses = policy.commands.get(call.name)
        if uses is None:
            uses = policy.commands.get(family(call.name, policy), ())
        for rule, use in uses:
            if logic(use)(call, policy):
                follower.hit(rule, _spelled(call))
        if call.name in policy.listed and not call.guess:
            from ultra_runtime.guard.follow.listed import rules_for

            for rule in rules_for(call, policy):
                follower.hit(rule, _spelled(call))
    if call.name in WRITERS or call.name in CHANGERS:
        follower.unrecorded += call.guess
        _note_writes(follower, call)
        follower.unrecorded -= call.guess


def _note_writes(follower: Follower, call: Call) -> None:
    """Record the files that a command writes, removes or changes, and what it writes as far as that is known."""
    from ultra_runtime.guard.follow.writes import targets

    found = targets(call)
    content = ""
    if found and call.name in WRITERS:
        from ultra_runtime.guard.follow.outputs import written

        content = written(call)
    for write in found:
        follower.wrote(write)
        if content:
            follower.shell.write(write.path, content, write.how == "append")


def family(name: str, policy: Policy) -> str:
    """Return the name under which the policy lists a command with many names."""
    if name.startswith(("mkfs.", "newfs_")):
        return "mkfs"
    if "-" in name:  # PowerShell ignores the case of letters
        return name.lower()
    if name[-1:] not in _VERSION:
        return name
    bare = name.rstrip("0123456789.")  # pip3.11 is pip
    return bare if bare in policy.adders else name


def _spelled(call: Call) -> str:
    """Return the command for a message, on one line and shortened."""
    text = " ".join(show(" ".join([call.name, *call.args[:6]])).split())
    return text if len(text) <= 60 else text[:57] + "..."
