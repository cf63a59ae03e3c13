"""The guard's answer about a command."""

from __future__ import annotations

from ultra_runtime.guard.follow.follower import Blocked, follow
from ultra_runtime.guard.policy import ALLOW, Policy, Verdict, ruled
from ultra_runtime.guard.shell.calls import Write
from ultra_runtime.guard.shell.marks import clean, known, show


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


class Written:
    """A file that a command would write."""

    __slots__ = ("known", "names", "path", "via")

    def __init__(self, write: Write) -> None:
        self.path = write.path  # may hold marks: the home, or what is not known
        self.via = write.via
        self.names = write.names  # files inside, if the path is a directory
        self.known = known(write.path)

    def __repr__(self) -> str:
        return f"Written({show(self.path)!r}, {self.via!r})"


_NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full")


def written_paths(command: str) -> list[Written]:
    """Return what a command writes by redirection or by a plain writer."""
    return [
        Written(write)
        for write in follow(clean(command), None).writes
        if write.path not in _NOWHERE and not write.path.startswith(("/dev/fd/", "/proc/self/fd/"))
    ]


def git_directories(command: str) -> list[str]:
    """Return the directories that git commands of the text are told to work in."""
    return follow(clean(command), None).git_directories
