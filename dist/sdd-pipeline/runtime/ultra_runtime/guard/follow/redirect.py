"""Follow redirections: what a command reads, and where its output goes."""

from __future__ import annotations

from ultra_runtime.guard.follow.ask import ask_rules
from ultra_runtime.guard.shell.calls import Call, Write
from ultra_runtime.guard.shell.marks import FETCHED, UNKNOWN
from ultra_runtime.guard.shell.syntax import Redirection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.follow.follower import Follower

_OWN_OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def redirect(
    follower: Follower, redirections: list[Redirection], stdin: str
) -> tuple[str, list[tuple[str, bool]], bool]:
    """Return the input, the files that the output goes to, and whether it goes elsewhere."""
    targets: list[tuple[str, bool]] = []
    muted = False
    for item in redirections:
        target = follower.text(item.target)
        if item.op[0] == "<":
            content = _input_of(follower, item.op, target)
            if item.op == "<>":
                follower.wrote(Write(target, "append", item.op))
            if item.fd in ("", "0"):
                stdin = content
            else:
                _open(follower, item.fd, content)
        elif item.op == ">&" and (target.isdecimal() or target in ("-", "")):
            muted = muted or (item.fd in ("", "1") and target != "1")
        else:
            append = item.op in (">>", "&>>")
            follower.wrote(Write(target, "append" if append else "truncate", item.op))
            if item.fd in ("", "1") and target not in _OWN_OUTPUT:
                targets.append((target, append))
    return stdin, targets, muted


def _input_of(follower: Follower, op: str, target: str) -> str:
    """Return what a redirection lets a command read."""
    if op in ("<<", "<<-"):
        return target
    if op == "<<<":
        return target + "\n"
    if op == "<&":
        return follower.shell.streams.get(target, UNKNOWN)
    if target.startswith(("/dev/tcp/", "/dev/udp/")):
        return FETCHED
    if follower.policy is not None and op in follower.policy.listed:
        ask_rules(follower, Call(op, [target], "", follower.shell))
    content = follower.shell.content(target)
    return UNKNOWN if content is None else content


def _open(follower: Follower, fd: str, content: str) -> None:
    """Record what can be read from a descriptor, which a variable may name."""
    if fd.startswith("{"):
        number = follower.descriptor()
        follower.shell.set(fd[1:-1], number)
        fd = number
    follower.shell.put(follower.shell.streams, fd, content)


def send(follower: Follower, out: str, targets: list[tuple[str, bool]], muted: bool) -> str:
    """Write output where it is redirected to; return what is left for the pipe."""
    for name, append in targets:
        follower.shell.write(name, out, append)
    return "" if targets or muted else out
