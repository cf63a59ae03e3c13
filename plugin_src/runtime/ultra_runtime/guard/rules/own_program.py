"""Rules on the plugin's own program."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.policy import Policy
    from ultra_runtime.guard.shell.calls import Call

MINE, ACCEPT = "--mine", "--accept-"
# Anything in front of its name, and whatever joins two commands.
NEEDS = {
    "claims": ("*--mine*", "*--accept-*"),
    "not_alone": ("* {launcher}*", "*\t{launcher}*", "*/{launcher}*", "*;*", "*|*", "*&*", "*\n*", "*(*"),
}


def claims(call: Call, policy: Policy) -> bool:
    """Match a call that says for the user what is theirs, or what they accept."""
    return any(word == MINE or word.startswith(ACCEPT) for word in call.args)


def not_alone(call: Call, policy: Policy) -> bool:
    """Match the program when it is not the whole command."""
    return not call.alone and not call.guess
