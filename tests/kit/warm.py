"""Calls of Python programs in forks of a process that has their modules loaded: starting Python is most of such a call.

The first call of every kind, by whichever worker, is made as a user makes it, in a process of its own.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import selectors
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SERVER = Path(__file__).with_name("warm_server.py")
ENDS_WITHIN = 30  # seconds
MOST_GIVEN = 1 << 15  # bytes of standard input; a pipe takes them before anybody reads
_called: set[tuple[str, ...]] = set()
_shared: list[Path] = []
"""The folder in which the workers of a session note which kinds were called."""


def share_calls(folder: Path) -> None:
    """Let the first call of a kind be the first one of all workers that share a folder."""
    _shared[:] = [folder]


def _is_first(call: tuple[str, ...]) -> bool:
    """Tell whether nobody made this kind of call before, and note it."""
    if call in _called:
        return False
    _called.add(call)
    name = f"called-{hashlib.sha256(repr(call).encode()).hexdigest()}"
    try:
        for folder in _shared:
            (folder / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Program:
    """An interpreter with its flags, and the package below a path that it loads; nobody changes these files."""

    python: Path
    flags: tuple[str, ...]
    path: Path
    package: str

    def can_fork(self, call: tuple[str, ...], given: bytes) -> bool:
        """Tell whether a fork can make this kind of call; it does not make the first one."""
        if len(given) > MOST_GIVEN or not _has_pidfd():
            return False
        return not _is_first(call)

    def fork(
        self, words: Sequence[str], given: bytes, folder: Path, env: Mapping[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a script of the program with its words in a fork."""
        (stdin, feed), (out, stdout), (err, stderr) = (os.pipe() for _ in range(3))
        os.write(feed, given)
        os.close(feed)
        umask = os.umask(0o077)
        os.umask(umask)
        told = self._start(words, folder, env, umask, [stdin, stdout, stderr])
        said = _read([out, err, told])
        assert said[told], f"the fork of {words} did not end"
        return subprocess.CompletedProcess(list(words), int(said[told]), said[out], said[err])

    def status(
        self, words: Sequence[str], folder: Path, env: Mapping[str, str], umask: int, ends: Sequence[int]
    ) -> int:
        """Run a script in a fork with these as standard input, output and error, and return the exit status."""
        told = self._start(words, folder, env, umask, ends)
        return int(_read([told])[told])

    def _start(
        self, words: Sequence[str], folder: Path, env: Mapping[str, str], umask: int, ends: Sequence[int]
    ) -> int:
        """Have a script started, close what it got, and return the pipe that tells its exit status."""
        told, status = os.pipe()
        request = json.dumps([list(words), str(folder), dict(env), umask]).encode()
        socket.send_fds(_server(self), [request], [*ends, status])
        for end in (*ends, status):
            os.close(end)
        return told


@cache
def _has_pidfd() -> bool:
    """Tell whether this system can wait for a process and for a question at once."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return True


def _read(ends: Sequence[int]) -> dict[int, bytes]:
    """Read pipes to their ends."""
    said = dict.fromkeys(ends, b"")
    with selectors.DefaultSelector() as ready:
        for end in ends:
            ready.register(end, selectors.EVENT_READ)
        while ready.get_map():
            events = ready.select(120)
            assert events, f"no answer within 120 s: {said}"
            for key, _ in events:
                part = os.read(key.fd, 1 << 16)
                said[key.fd] += part
                if not part:
                    ready.unregister(key.fd)
                    os.close(key.fd)
    return said


def _end(server: subprocess.Popen[bytes]) -> None:
    """Wait until a server has ended; nobody waits for one that does not."""
    try:
        server.wait(ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(ENDS_WITHIN)


@cache
def _server(program: Program) -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    number = theirs.fileno()
    words: list[str | Path] = [SERVER, program.path, program.package, str(number)]
    server = subprocess.Popen(
        [program.python, *program.flags, *words],
        pass_fds=[number],
        cwd="/",
        env={"LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
    )
    theirs.close()
    atexit.register(_end, server)
    atexit.register(ours.close)
    return ours
