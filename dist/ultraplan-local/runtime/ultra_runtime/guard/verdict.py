"""Judge a command by the rules of the policy."""

from __future__ import annotations

from ultra_runtime.guard.follow.follower import Blocked, follow
from ultra_runtime.guard.policy import ALLOW, Policy, Verdict, ruled
from ultra_runtime.guard.shell.marks import clean


def verdict_for(command: str, policy: Policy) -> Verdict:
    """Judge a command as the shell would read it."""
    try:
        follower = follow(clean(command), policy)
    except Blocked as blocked:
        return ruled(policy, blocked.rule, blocked.found)
    if follower.unread:
        return ruled(policy, "unreadable", follower.unread)
    if follower.warning is not None:
        return ruled(policy, *follower.warning)
    return ALLOW
