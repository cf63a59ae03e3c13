"""Run programs with a time limit, without `subprocess`, whose import would double the start-up time of a verb."""

from __future__ import annotations

import os
import sys
import time

from ultra_runtime.errors import UltraError
from ultra_runtime.struct import Struct
from ultra_runtime.typed import Any, Callable, Collection, Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.waiting import Waiting

    Actions = list[tuple[object, ...]]

KILL = 9
SET_CHILD_SUBREAPER = 36
MOST_ROUNDS = 100
MOST_FILES = 65536
PIECE = 65536
MARK = "ULTRA_COMMAND"
SHORTEST_NAP, LONGEST_NAP = 0.0005, 0.02
"""Seconds: a program that has closed its output mostly ends at once."""
PATIENCE = 1.0
"""Seconds until a program is asked for what it waits; nearly all have ended by then."""
HEAD = TAIL = 1024 * 1024


class NotStartedError(UltraError):
    """A program that could not be started."""


class Done(Struct):
    """How a program ended and what it printed; `late` when it had to be killed."""

    status: int
    out: bytes = b""
    err: bytes = b""
    late: bool = False
    lacks: Sequence[bytes] = ()
    """The wanted texts that it did not print."""


def which(name: str) -> str | None:
    """Return the path of a program on PATH."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def capture(
    command: Sequence[str],
    env: Mapping[str, str],
    given: bytes = b"",
    seconds: float | None = None,
    stuck: Callable[[], object] | None = None,
) -> Done:
    """Run a program with these bytes on its standard input and return what it printed.

    While it runs, `stuck` is asked again and again, ever less often; a program that is stuck is late at once.
    """
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
    code = None
    try:
        out, err, code = _talk(child, in_to, given, (out_from, err_from), deadline, stuck)
    finally:
        if code is None:
            end_group(child)
            os.waitpid(child, 0)
    return Done(-KILL, out, err, late=True) if code is None else Done(_status(code), out, err)


def _talk(
    child: int,
    to: int,
    given: bytes,
    ends: tuple[int, int],
    deadline: float | None,
    stuck: Callable[[], object] | None,
) -> tuple[bytes, bytes, int | None]:
    """Write the input and collect the output until the program ends; without a status, time was up first.

    A process that it left in the background may keep the pipes open: nobody waits for that.
    """
    import select  # hooks ask for the owner of a run only

    os.set_blocking(to, False)
    out, err = ends
    printed, warned = [b""], Excerpt()
    readers, rest, code, nap = [out, err], memoryview(given), None, SHORTEST_NAP
    writers = [to] if given else []
    if not given:
        os.close(to)
    begun, patience = time.monotonic(), PATIENCE
    try:
        while deadline is None or time.monotonic() < deadline:
            if stuck and time.monotonic() - begun > patience:
                if stuck():
                    break
                patience *= 2
            readable, writable, _ = select.select(
                readers, writers, [], 0 if code is not None else LONGEST_NAP
            )
            for end in readable:
                piece = os.read(end, PIECE)
                if not piece:
                    readers.remove(end)
                elif end == out:
                    printed.append(piece)
                else:
                    warned.add(piece)
            if writable:
                try:
                    rest = rest[os.write(to, rest[:PIECE]) :]
                except BrokenPipeError:
                    rest = rest[:0]
                if not rest:
                    os.close(to)
                    writers = []
            if code is not None and not readable:
                break
            if code is None and not (readable and readers):
                found, status = os.waitpid(child, os.WNOHANG)
                code = (
                    status if found else None
                )  # once more around: what it printed last may still be in the pipes
                if not readers and not found:
                    time.sleep(nap)
                    nap = min(2 * nap, LONGEST_NAP)
        return b"".join(printed), warned.whole(), code
    finally:
        for end in (out, err, *writers):
            os.close(end)


class Excerpt:
    """The head and the tail of an output, and how many bytes were left out between them."""

    def __init__(self) -> None:
        self.head = b""
        self.tail = b""
        self.left_out = 0

    def add(self, piece: bytes) -> bytes:
        """Take the next piece, and return the part of it that still belongs to the head."""
        room = HEAD - len(self.head)
        early, late = piece[:room], piece[room:]
        self.head += early
        self.tail += late
        if len(self.tail) > 2 * TAIL:
            self.left_out += len(self.tail) - TAIL
            self.tail = self.tail[-TAIL:]
        return early

    def rest(self) -> bytes:
        """Return the tail, with a line that says how much is missing before it."""
        left_out = self.left_out + max(0, len(self.tail) - TAIL)
        said = f"\n[{left_out} bytes are left out here]\n".encode() if left_out else b""
        return said + self.tail[-TAIL:]

    def whole(self) -> bytes:
        return self.head + self.rest()


def run_logged(
    command: Sequence[str],
    env: Mapping[str, str],
    log: int,
    seconds: float,
    mark: str,
    wanted: Sequence[bytes] = (),
) -> Done:
    """Run a program without input, the head and the tail of its output in the log; at the limit it is killed.

    All processes that it starts end with it, also those that leave its group and session and lose their parents. The
    mark is in their environment; those of an earlier, killed call with the same mark are killed first.
    """
    from ultra_runtime.files.waiting import Waiting

    end_marked(mark)
    adopt_orphans()
    others = _descendants(os.getpid(), "") if _has_children() else []
    reader, writer = _pipe()
    actions: Actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, writer, 1),
        (os.POSIX_SPAWN_DUP2, writer, 2),
    ]
    child, status, waiting = 0, None, Waiting(command[-1])
    _end_in_order()  # before the program starts: it may end this call at once
    try:
        try:
            child = _spawn(command, {**env, MARK: mark}, actions)
        finally:
            os.close(writer)
        status, lacks = _follow(child, reader, log, time.monotonic() + seconds, wanted, waiting)
    finally:
        waiting.end()
        if child:
            _kill(os.killpg, child)
        end_descendants(mark, others)
        if child and status is None:
            os.waitpid(child, 0)
        os.close(reader)
    return Done(-KILL if status is None else status, late=status is None, lacks=lacks)


def _follow(
    child: int, reader: int, log: int, deadline: float, wanted: Sequence[bytes], waiting: Waiting
) -> tuple[int | None, list[bytes]]:
    """Keep what a program prints until it ends, and return its status and the wanted texts that it lacks.

    Without a status, time was up first.
    """
    import select

    kept, last, lacks, open_, status = Excerpt(), b"", [text for text in wanted if text], True, None
    overlap, nap = max(map(len, lacks), default=1), SHORTEST_NAP
    while time.monotonic() < deadline:
        waiting.tick()
        readable = open_ and select.select([reader], [], [], 0 if status is not None else LONGEST_NAP)[0]
        if readable:
            piece = os.read(reader, PIECE)
            open_ = bool(piece)
            lacks = [text for text in lacks if text not in last + piece]
            last = (last + piece)[-overlap:]
            _write_all(log, kept.add(piece))
        elif status is not None:
            break
        if status is None and not (readable and open_):
            ended, code = os.waitpid(child, os.WNOHANG)
            status = _status(code) if ended else None
            if not open_ and not ended:
                time.sleep(nap)
                nap = min(2 * nap, LONGEST_NAP)
    _write_all(log, kept.rest())
    return status, lacks


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def launch(script: str, *words: str) -> int:
    """Run a script of ours without input and output and return its status; what it leaves running is not stopped."""
    actions: Actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    call = [sys.executable, "-I", "-S", "-X", "utf8", script, *words]
    return _status(os.waitpid(_spawn(call, os.environ, actions), 0)[1])


def detach(work: Callable[[], None], began: Callable[[int], None]) -> None:
    """Have work done by a process that outlives this one and has none of its files; `began` gets its id first.

    It is a fork, which has the modules loaded: a new interpreter would need longer than the work of a small proof.
    """
    between = os.fork()
    if between:
        os.waitpid(between, 0)
        return
    try:
        _work_apart(work, began)
    finally:
        os._exit(0)


def _work_apart(work: Callable[[], None], began: Callable[[int], None]) -> None:
    hold, go = os.pipe()
    pid = os.fork()
    if pid:
        began(pid)
        os.write(go, b"!")
        return
    os.setsid()
    os.close(go)
    if not os.read(hold, 1):
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.closerange(3, MOST_FILES)
    work()


def end_group(leader: int, mark: str = "") -> None:
    """Kill a process, its group and its descendants; the mark also finds those that left both."""
    family = _descendants(leader, mark)
    _kill(os.killpg, leader)
    for pid in family:
        _kill(os.kill, pid)


def _kill(kill: Callable[[int, int], None], target: int) -> None:
    try:
        kill(target, KILL)
    except (ProcessLookupError, PermissionError):
        return


def end_marked(*marks: str) -> None:
    """Kill the processes with one of the marks, unless we have it too: then it is our caller's."""
    others = [mark for mark in marks if mark != os.environ.get(MARK)]
    for pid in _descendants(0, *others) if others else ():
        _kill(os.kill, pid)


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own, so that it stays one, whatever it does (Linux only)."""
    try:
        import _ctypes  # the whole of ctypes takes ten times as long to import

        call: Any = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
        _ctypes.call_function(call, (SET_CHILD_SUBREAPER, 1, 0, 0, 0))
    except (ImportError, OSError, AttributeError):
        return


def end_descendants(mark: str = "", others: Collection[int] = ()) -> None:
    """Kill every process below this one or with the mark; those that are started meanwhile, too.

    The others, and what they start, go on.
    """
    for _ in range(MOST_ROUNDS):
        found = _descendants(os.getpid(), mark, others=others)
        family = [pid for pid in found if stat_fields(pid)[:1] not in ([], ["Z"])]
        for pid in family:
            _kill(os.kill, pid)
        if not family:
            return


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _end_in_order() -> None:
    """Turn the signals that end a call into a normal exit, so that its children are killed too."""
    import signal

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def _descendants(leader: int, *marks: str, others: Collection[int] = ()) -> list[int]:
    """Return the processes below a leader (0: none) but not below the others, and those with a mark in their environment."""
    children: dict[int, list[int]] = {}
    marked = []
    wanted = [f"{MARK}={mark}\0".encode() for mark in marks if mark]
    try:
        entries = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for pid in entries:
        fields = stat_fields(pid) if leader else ()
        if fields:
            children.setdefault(int(fields[1]), []).append(pid)
        if wanted and pid != leader:
            given = _told(pid, "environ")
            marked += [pid] if any(one in given for one in wanted) else []
    family = [leader] if leader else []
    for pid in family:
        family += [one for one in children.get(pid, []) if one not in others]
    return [*family[1:], *(pid for pid in marked if pid not in family)]


def stat_fields(pid: int) -> list[str]:
    """Return Linux's fields of a process after its name: state, parent, ...; nothing when there is none."""
    return _told(pid, "stat").rpartition(b")")[2].decode("ascii", "replace").split()


def _told(pid: int, name: str) -> bytes:
    """Return what Linux tells of a process, nothing when there is none; `open` makes three times as many system calls."""
    told = b""
    try:
        file = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
        try:
            while piece := os.read(file, PIECE):
                told += piece
        finally:
            os.close(file)
    except OSError:
        return b""
    return told


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
