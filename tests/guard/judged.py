"""What the rules say of one command, judged as the hook judges it."""

from __future__ import annotations

from ultra_runtime.guard.follow.watch import verdict_of, watch
from ultra_runtime.guard.policy import Policy, Verdict


def verdict_for(command: str, policy: Policy) -> Verdict:
    """Judge a command by the rules of a policy."""
    return verdict_of(watch(command, policy), policy)
