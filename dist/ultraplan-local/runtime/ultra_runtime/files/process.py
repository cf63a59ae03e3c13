"""Run programs with a time limit, without `subprocess`, whose import would double the start-up time of a verb."""

from __future__ import annotations

import os
import time

from ultra_runtime.errors import UltraError
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Actions = list[tuple[object, ...]]

KILL = 9
PIECE = 65536
MARK = "ULTRA_COMMAND"
SHORTEST_NAP, LONGEST_NAP = 0.001, 0.02


class NotStartedError(UltraError):
    """A program that could not be started."""


class Done(Struct):
    """How a program ended and what it printed; `late` when it had to be killed."""

    status: int
    out: bytes = b""
    err: bytes = b""
    late: bool = False


def which(name: str) -> str | None:
    """Return the path of a program on PATH."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def capture(
    command: Sequence[str], env: Mapping[str, str], given: bytes = b"", seconds: float | None = None
) -> Done:
    """Run a program with these bytes on its standard input and return what it printed."""
    ends = [_pipe() for _ in range(3)]
    (in_from, in_to), (out_from, out_to), (err_from, err_to) = ends
    actions: Actions = [
        (os.POSIX_SPAWN_DUP2, in_from, 0),
        (os.POSIX_SPAWN_DUP2, out_to, 1),
        (os.POSIX_SPAWN_DUP2, err_to, 2),
    ]
    try:
        child = _spawn(command, env, actions)
    except NotStartedError:
        for end in (in_to, out_from, err_from):
            os.close(end)
        raise
    finally:
        for end in (in_from, out_to, err_to):
            os.close(end)
    deadline = None if seconds is None else time.monotonic() + seconds
    ended = False
    try:
        out, err, ended = _talk(in_to, given, out_from, err_from, deadline)
        if ended:
            return Done(_status(os.waitpid(child, 0)[1]), out, err)
        return Done(-KILL, out, err, late=True)
    finally:
        if not ended:
            end_group(child)
            os.waitpid(child, 0)


def _talk(to: int, given: bytes, out: int, err: int, deadline: float | None) -> tuple[bytes, bytes, bool]:
    """Write the input and collect the output until both ends are closed or time is up."""
    import select  # hooks ask for the owner of a run only

    os.set_blocking(to, False)
    pieces: dict[int, list[bytes]] = {out: [], err: []}
    readers, rest = [out, err], memoryview(given)
    writers = [to] if given else []
    if not given:
        os.close(to)
    try:
        while readers:
            wait = None if deadline is None else max(0.0, deadline - time.monotonic())
            readable, writable, _ = select.select(readers, writers, [], wait)
            if not readable and not writable:
                return b"".join(pieces[out]), b"".join(pieces[err]), False
            for end in readable:
                piece = os.read(end, PIECE)
                pieces[end].append(piece)
                if not piece:
                    readers.remove(end)
            if writable:
                try:
                    rest = rest[os.write(to, rest[:PIECE]) :]
                except BrokenPipeError:
                    rest = rest[:0]
                if not rest:
                    os.close(to)
                    writers = []
        return b"".join(pieces[out]), b"".join(pieces[err]), True
    finally:
        for end in (out, err, *writers):
            os.close(end)


def run_logged(command: Sequence[str], env: Mapping[str, str], log: int, seconds: float, mark: str) -> Done:
    """Run a program without input, its output in the log; at the limit it is killed with all its children.

    The mark is in the environment of every process that it starts. Processes that an earlier, killed call with
    the same mark left running are killed first.
    """
    end_marked(mark)
    actions: Actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, log, 1),
        (os.POSIX_SPAWN_DUP2, log, 2),
    ]
    child = _spawn(command, {**env, MARK: mark}, actions)
    deadline, nap, status = time.monotonic() + seconds, SHORTEST_NAP, None
    _end_in_order()
    try:
        while status is None and time.monotonic() < deadline:
            found, code = os.waitpid(child, os.WNOHANG)
            if found:
                status = _status(code)
            else:
                time.sleep(nap)
                nap = min(nap * 2, LONGEST_NAP)
    finally:
        end_group(child, mark)
        if status is None:
            os.waitpid(child, 0)
    return Done(-KILL, late=True) if status is None else Done(status)


def end_group(leader: int, mark: str = "") -> None:
    """Kill a process, its group and its descendants; the mark also finds those that left both."""
    family = _descendants(leader, mark)
    for kill, target in [(os.killpg, leader), *((os.kill, one) for one in family)]:
        try:
            kill(target, KILL)
        except (ProcessLookupError, PermissionError):
            continue


def end_marked(mark: str) -> None:
    """Kill the processes with the mark, unless we have it too: then it is our caller's."""
    if os.environ.get(MARK) == mark:
        return
    for pid in _descendants(0, mark):
        try:
            os.kill(pid, KILL)
        except (ProcessLookupError, PermissionError):
            continue


def _end_in_order() -> None:
    """Turn the signals that end a call into a normal exit, so that its children are killed too."""
    import signal

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def _descendants(leader: int, mark: str) -> list[int]:
    """Return the processes below a leader (0: none), and those with the mark in their environment."""
    children: dict[int, list[int]] = {}
    marked = []
    wanted = f"{MARK}={mark}\0".encode() if mark else b""
    try:
        entries = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for pid in entries:
        fields = stat_fields(pid)
        if fields:
            children.setdefault(int(fields[1]), []).append(pid)
        if wanted and pid != leader and wanted in _environment(pid):
            marked.append(pid)
    family = [leader] if leader else []
    for pid in family:
        family += children.get(pid, [])
    return [*family[1:], *(pid for pid in marked if pid not in family)]


def _environment(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""


def stat_fields(pid: int) -> list[str]:
    """Return Linux's fields of a process after its name: state, parent, ...; nothing when there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].decode("ascii", "replace").split()
    except OSError:
        return []


def _spawn(command: Sequence[str], env: Mapping[str, str], actions: Actions) -> int:
    program = command[0] if "/" in command[0] else which(command[0])
    if program is None:
        raise NotStartedError(f"{command[0]} is not on PATH")
    try:
        return os.posix_spawn(program, list(command), env, file_actions=actions, setpgroup=0)
    except (OSError, ValueError) as problem:
        raise NotStartedError(f"{command[0]} cannot be started: {problem}") from None


def _status(code: int) -> int:
    return os.waitstatus_to_exitcode(code)


def _pipe() -> tuple[int, int]:
    """Return a pipe whose ends are none of the three standard streams, which a caller may have closed."""
    spare: list[int] = []
    ends = os.pipe()
    while min(ends) < 3:
        spare += ends
        ends = os.pipe()
    for end in spare:
        os.close(end)
    return ends
