"""Run a command of a plan as written: from the root, without a terminal, with its whole output in a log."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.process import NotStartedError, run_logged
from ultra_runtime.run.state.environment import command_environment
from ultra_runtime.run.state.failure_lines import failure_lines
from ultra_runtime.run.state.past import free_path
from ultra_runtime.run.tree.workspace import make_folder
from ultra_runtime.tables.limits import COMMAND_SECONDS
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.run_place import RunPlace

LONGEST_LINE = 200
LOOKED_AT = 256 * 1024
READ_AT_ONCE = 1024 * 1024
IGNORE_ALL = b"*\n"


class Outcome:
    """How a command ended; `log` is the path of its output, seen from the root."""

    __slots__ = ("_end", "_path", "_start", "late", "log", "status")

    def __init__(self, status: int, late: bool, log: str, path: str, start: int, end: int) -> None:
        self.status = status
        self.late = late
        self.log = log
        self._path = path
        self._start = start
        self._end = end

    def excerpt(self) -> str:
        """Return the most useful lines of the output: around the first failure, and the last ones."""
        start = max(self._start, self._end - LOOKED_AT)
        with open(self._path, "rb") as file:
            file.seek(start)
            text = file.read(self._end - start).decode("utf-8", "replace")
        lines = failure_lines([line.rstrip() for line in text.splitlines()])
        return "\n".join(one_line(line, LONGEST_LINE) for line in lines).strip("\n")

    def contains(self, text: str) -> bool:
        """Return whether the output contains a text."""
        wanted, before = text.encode(), b""
        rest = self._end - self._start
        with open(self._path, "rb") as file:
            file.seek(self._start)
            while rest > 0 and (piece := file.read(min(rest, READ_AT_ONCE))):
                rest -= len(piece)
                if wanted in before + piece:
                    return True
                before = (before + piece)[-len(wanted) :]
        return not wanted


def run_command(place: RunPlace, command: str, name: str, seconds: float = COMMAND_SECONDS) -> Outcome:
    """Run a command and keep its output in the log of that name."""
    path = free_path(open_logs(place, name))
    log = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        head = f"$ {command}\n".encode("utf-8", "surrogateescape")
        os.write(log, head)
        os.chdir(place.root)
        done = run_logged(
            ["bash", "-c", command], command_environment(place.root), log, seconds, _mark(place.root)
        )
        ending = f"\n[timed out after {seconds:g} s]\n" if done.late else f"\n[exit status {done.status}]\n"
        end = os.lseek(log, 0, os.SEEK_END)
        outcome = Outcome(done.status, done.late, place.show(path), path, len(head), end)
        os.pwrite(log, ending.encode(), end)
    except NotStartedError as problem:
        raise RefusedError(str(problem), "install bash: it runs the commands of plans") from None
    finally:
        os.close(log)
    return outcome


def _mark(root: str) -> str:
    """Return the mark by which the processes of this tree are found."""
    return sha256(os.fsencode(root))[:16]


def open_logs(place: RunPlace, name: str) -> str:
    """Return the path of a log in a folder that git ignores."""
    make_folder(place.logs)
    for folder in (place.all_logs, place.logs):
        if os.path.islink(folder):
            raise RefusedError(f"{place.show(folder)} is a symbolic link", "put a folder there instead")
    hidden = os.path.join(place.all_logs, ".gitignore")
    if not place.project and not os.path.lexists(hidden):
        with open(hidden, "wb") as file:
            file.write(IGNORE_ALL)
    return os.path.join(place.logs, name)
