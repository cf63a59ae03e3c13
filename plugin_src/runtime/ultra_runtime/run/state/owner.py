"""Who owns a run, and whether the owner is still alive; this module only reads."""

from __future__ import annotations

import os

from ultra_runtime.files.process import NotStartedError, capture, stat_fields
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "busybox", "env", "timeout", "nice", "nohup")
START_FIELD = 19


class Owner(Struct):
    """The owner of a run: a session of the client, and a process that lives as long as the session."""

    session: str
    pid: int
    started: str
    host: str

    def as_data(self) -> dict[str, Any]:
        return {"session": self.session, "pid": self.pid, "started": self.started, "host": self.host}

    @classmethod
    def of(cls, data: object) -> Owner:
        """Read an owner; missing values mean nobody."""
        values: dict[str, Any] = data if isinstance(data, dict) else {}
        pid = values.get("pid")
        texts = [str(values.get(name) or "") for name in ("session", "started", "host")]
        return cls(texts[0], pid if isinstance(pid, int) else 0, texts[1], texts[2])

    def is_same(self, other: Owner) -> bool:
        """Return whether both are the same session or, without sessions, the same process."""
        if self.session or other.session:
            return self.session == other.session
        return (self.host, self.pid, self.started) == (other.host, other.pid, other.started)

    def lives(self) -> bool:
        """Return whether the owner's process is still alive; one on another machine counts as alive.

        A client that has started another session, as `/clear` does, never continues this one.
        """
        if self.host != os.uname().nodename:
            return bool(self.pid)
        if self.pid <= 0 or not start_time(self.pid) == self.started != "":
            return False
        caller = this_owner()
        return caller.pid != self.pid or caller.session in ("", self.session)

    def __str__(self) -> str:
        who = f"session {one_line(self.session, 40)}, " if self.session else ""
        return f"{who}process {self.pid} on {one_line(self.host, 60)}"


def this_owner() -> Owner:
    """Return the caller: the client's session, else the nearest ancestor process that outlives this call."""
    session = os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    given = os.environ.get("CLAUDE_PID", "")
    pid = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
    if not pid or not start_time(pid):
        # There is none when the caller was killed meanwhile: then nobody owns the run.
        pid = next(_lasting_ancestors(), 0)
    return Owner(session, pid, start_time(pid), os.uname().nodename)


def _lasting_ancestors() -> Iterator[int]:
    """Yield the ancestors that are not wrappers or shells for one command line."""
    pid = os.getppid()
    while pid > 1:
        words = _command_line(pid)
        name = os.path.basename(words[0]).lstrip("-") if words else ""
        for_one_line = name in SHELLS[:6] and any(word[:1] == "-" and "c" in word for word in words[1:2])
        if not for_one_line and name not in SHELLS[6:]:
            yield pid
        pid = _parent(pid)


def _command_line(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return os.fsdecode(file.read()).split("\0")
    except OSError:
        return _ps(pid, "args").split()


def _parent(pid: int) -> int:
    fields = stat_fields(pid)
    parent = fields[1] if fields else _ps(pid, "ppid")
    return int(parent) if parent.isdigit() else 0


def start_time(pid: int) -> str:
    """Return when a process started, as the system reports it; empty for no process or a zombie."""
    fields = stat_fields(pid)
    if fields:
        return "" if fields[0] == "Z" else fields[START_FIELD]
    return "" if os.path.isdir("/proc/self") else _ps(pid, "lstart")


def _ps(pid: int, what: str) -> str:
    try:
        done = capture(["ps", "-o", f"{what}=", "-p", str(pid)], {**os.environ, "LC_ALL": "C"}, seconds=5)
    except NotStartedError:
        return ""
    return done.out.decode("utf-8", "replace").strip()
