"""Follow a command and record what it would do: the commands it runs, the files it writes, where its git works."""

from __future__ import annotations

from ultra_runtime.guard.follow.follower import Follower, walk
from ultra_runtime.guard.policy import ALLOW, Policy, Verdict, ruled
from ultra_runtime.guard.shell.calls import Write
from ultra_runtime.guard.shell.marks import base_name, clean

NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full")
# The last two are terminals, not files.
STREAMS = ("/dev/fd/", "/proc/self/fd/", "/dev/pts/", "/dev/tty")


class Watcher(Follower):
    """A walk that records; without a policy it judges nothing. Paths are relative to where the text starts."""

    def __init__(self, policy: Policy | None, size: int) -> None:
        super().__init__(policy, size)
        self.ran = []

    def commands(self) -> list[list[str]]:
        """Return the commands that run, by their base names, with their arguments."""
        return [[base_name(args[0]), *args[1:]] for args in (one.args for one in self.ran or ())]

    def changed(self) -> list[Write]:
        """Return the files that are written, removed or changed in their mode."""
        return [one for one in self.writes if one.path not in NOWHERE and not one.path.startswith(STREAMS)]


def watch(command: str, policy: Policy | None = None) -> Watcher:
    """Follow a command as far as it can be parsed, and as far as the policy lets it run."""
    text = clean(command)
    watcher = Watcher(policy, len(text))
    walk(watcher, text)
    return watcher


def verdict_of(follower: Follower, policy: Policy) -> Verdict:
    """Return what the rules say about a text that has been followed."""
    if follower.blocked is not None:
        return ruled(policy, follower.blocked.rule, follower.blocked.found)
    if follower.unread:
        return ruled(policy, "unreadable", follower.unread)
    return ruled(policy, *follower.warning) if follower.warning is not None else ALLOW
