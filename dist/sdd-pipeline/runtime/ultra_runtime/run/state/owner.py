"""Who owns a run: a session of the client by id and process, a name that the user gave, or a terminal's session."""

from __future__ import annotations

import os

from ultra_runtime.files.process import NotStartedError, capture, stat_fields
from ultra_runtime.rendered import launcher, verb
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SESSION_VARIABLE = launcher().upper().replace("-", "_") + "_SESSION"
CLIENT, NAMED, TERMINAL = "client", "named", "terminal"
SHELLS, WRAPPERS = ("sh", "bash", "dash", "zsh", "ksh", "busybox"), ("env", "timeout", "nice", "nohup")
START_FIELD = 19


class Owner(Struct):
    """The owner of a run, and a process that lives as long as the owner."""

    session: str
    pid: int
    started: str
    host: str
    kind: str = CLIENT
    left: bool = False
    """Whether the client's process has begun another session, as `/clear` does."""

    def as_data(self) -> dict[str, Any]:
        return {
            "session": self.session, "pid": self.pid, "started": self.started, "host": self.host,
            "kind": self.kind, "left": self.left,
        }  # fmt: skip

    @classmethod
    def of(cls, data: object) -> Owner:
        """Read an owner; missing values mean nobody."""
        values: dict[str, Any] = data if isinstance(data, dict) else {}
        pid = values.get("pid")
        session, started, host = (str(values.get(name) or "") for name in ("session", "started", "host"))
        kind = str(values.get("kind") or CLIENT)
        return cls(
            session, pid if isinstance(pid, int) else 0, started, host, kind, values.get("left") is True
        )

    def is_same(self, caller: Owner) -> bool:
        """Tell whether the caller owns the run: a client continues in a new process only after the old one has ended."""
        if self.kind != caller.kind or self.session != caller.session:
            return False
        return self.kind == NAMED or self.has_process_of(caller) or (self.session != "" and not self.lives())

    def has_process_of(self, other: Owner) -> bool:
        """Tell whether both are the same process."""
        return (self.host, self.pid, self.started) == (other.host, other.pid, other.started)

    def lives(self) -> bool:
        """Tell whether the owner may still continue the run; one on another machine counts as alive."""
        if self.host != os.uname().nodename:
            return bool(self.pid)
        return self.pid > 0 and start_time(self.pid) == self.started != "" and not self.left

    def seen_by(self, caller: Owner) -> str:
        """Describe the owner to a caller who is not the owner."""
        same = self.kind == caller.kind == CLIENT and self.session == caller.session != ""
        return "another process of this session" if same else "another session"

    def how_to_share(self) -> str:
        """Return how other processes join an owner outside the client, and how to end the run of a machine that is gone."""
        told = "" if self.kind == CLIENT else f"; scripts of one run share one value of {SESSION_VARIABLE}"
        if self.host != os.uname().nodename:  # such as a container that was made anew
            told += f"; if {one_line(self.host, 60)} is gone: ask the user, then `{verb('run abort')} --force`, and resume"
        return told

    def __str__(self) -> str:
        host = one_line(self.host, 60)
        if self.kind == NAMED:
            return f"{SESSION_VARIABLE} {one_line(self.session, 40)} on {host}"
        if self.kind == TERMINAL:
            return f"the terminal session of process {self.pid} on {host}"
        who = f"session {one_line(self.session, 40)}, " if self.session else ""
        return f"{who}process {self.pid} on {host}"


def this_owner() -> Owner:
    """Return the caller: the client's session, else the name that the user gave, else the terminal's session."""
    host = os.uname().nodename
    session, client = os.environ.get("CLAUDE_CODE_SESSION_ID", ""), os.environ.get("CLAUDE_PID", "")
    if session or client:
        pid = _client_process(client)
        return Owner(session, pid, start_time(pid), host)
    # A leader outside the container has no id in it: the container's first process then stands for it.
    name, leader = os.environ.get(SESSION_VARIABLE, ""), os.getsid(0) or 1
    return Owner(name, leader, start_time(leader), host, NAMED if name else TERMINAL)


def _client_process(named: str) -> int:
    """Return the client's process: the ancestor that it names, else the nearest one that outlives this call."""
    ancestors = list(_ancestors())
    # In a container the client may be the first process.
    if named.isascii() and named.isdigit() and int(named) in (*ancestors, 1):
        return int(named)
    # There is none when the caller was killed meanwhile: then nobody owns the run.
    return next((pid for pid in ancestors if not _is_for_one_line(pid)), 0)


def _ancestors() -> Iterator[int]:
    pid, parents = os.getppid(), None
    while pid > 1:
        yield pid
        fields = stat_fields(pid)
        if not fields and parents is None:
            rows = [row.split() for row in _ps("-A", "-o", "pid=,ppid=").splitlines()]
            parents = {row[0]: row[1] for row in rows if len(row) == 2}
        parent = fields[1] if fields else (parents or {}).get(str(pid), "")
        pid = int(parent) if parent.isdigit() else 0


def _is_for_one_line(pid: int) -> bool:
    """Tell whether a process is a wrapper, or a shell for one command line."""
    words = _command_line(pid)
    name = os.path.basename(words[0]).lstrip("-") if words else ""
    runs_text = name in SHELLS and any(word[:1] == "-" and "c" in word for word in words[1:2])
    return runs_text or name in WRAPPERS


def _command_line(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return os.fsdecode(file.read()).split("\0")
    except OSError:
        return _ps("-o", "args=", "-p", str(pid)).split()


def start_time(pid: int) -> str:
    """Return when a process started, as the system reports it; empty for no process or a zombie."""
    fields = stat_fields(pid)
    if fields:
        return "" if fields[0] == "Z" else fields[START_FIELD]
    return "" if os.path.isdir("/proc/self") else _ps("-o", "lstart=", "-p", str(pid))


def _ps(*options: str) -> str:
    try:
        done = capture(["ps", *options], {**os.environ, "LC_ALL": "C"}, seconds=5)
    except NotStartedError:
        return ""
    return done.out.decode("utf-8", "replace").strip()
