"""Follow a command and keep what it would do: the commands it runs, the files it writes, where its git works."""

from __future__ import annotations

from ultra_runtime.guard.follow.follower import Follower
from ultra_runtime.guard.shell.marks import base_name, clean
from ultra_runtime.guard.shell.reader import read
from ultra_runtime.guard.shell.syntax import TooMuch

NOWHERE = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/full")
STREAMS = ("/dev/fd/", "/proc/self/fd/")


class Watcher(Follower):
    """A walk through a text that judges nothing; paths are seen from where the text starts."""

    def __init__(self, size: int) -> None:
        super().__init__(None, size)
        self.calls: list[tuple[str, list[str]]] = []  # name, arguments as paths
        self.words: list[list[str]] = []  # the same arguments as they are

    def execute(self, args: list[str], stdin: str, expands: bool = False) -> str:
        """Note a command, then follow it."""
        rest = args[1:]
        self.calls.append((base_name(args[0]), [self.shell.path(word) for word in rest]))
        self.words.append([base_name(args[0]), *rest])
        return super().execute(args, stdin, expands)

    def written(self) -> list[str]:
        """Return every path that is written; what is copied into a folder also by its path in there."""
        found = []
        for write in self.writes:
            if write.path not in NOWHERE and not write.path.startswith(STREAMS):
                found += [write.path, *(f"{write.path}/{name}" for name in write.names)]
        return found


def watch(command: str) -> Watcher:
    """Follow a command as far as it can be read."""
    text = clean(command)
    watcher = Watcher(len(text))
    try:
        script, error, steps = read(text)
        watcher.work.spend(min(steps, watcher.work.limit // 2))
        watcher.run(script, "")
        watcher.unread = error or watcher.unread
    except TooMuch as unreadable:
        watcher.unread = str(unreadable)
    except RecursionError:
        watcher.unread = "nested too deep"
    return watcher
