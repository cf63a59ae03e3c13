"""Run a command of a plan: from the root, as written, without a terminal, its whole output in a log."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.process import NotStartedError, run_logged
from ultra_runtime.run.state.past import beside
from ultra_runtime.run.state.telling import telling
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

    def told(self) -> str:
        """Return the lines of the output that tell most: around the first failure, and the last ones."""
        start = max(self._start, self._end - LOOKED_AT)
        with open(self._path, "rb") as file:
            file.seek(start)
            text = file.read(self._end - start).decode("utf-8", "replace")
        lines = telling([line.rstrip() for line in text.splitlines()])
        return "\n".join(one_line(line, LONGEST_LINE) for line in lines).strip("\n")

    def contains(self, text: str) -> bool:
        """Tell whether the output holds a text."""
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
    """Run a command and keep what it prints in the log of that name."""
    path = beside(open_logs(place, name))
    log = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        head = f"$ {command}\n".encode("utf-8", "surrogateescape")
        os.write(log, head)
        env = {key: value for key, value in os.environ.items() if key != "OLDPWD"}
        os.chdir(place.root)
        env["PWD"] = place.root
        done = run_logged(["bash", "-c", command], env, log, seconds, _mark(place.root))
        ending = (
            f"\n[ended at its limit of {seconds:g} s]\n" if done.late else f"\n[exit status {done.status}]\n"
        )
        end = os.lseek(log, 0, os.SEEK_END)
        outcome = Outcome(done.status, done.late, place.show(path), path, len(head), end)
        os.pwrite(log, ending.encode(), end)
    except NotStartedError as problem:
        raise RefusedError(str(problem), "install bash: commands of plans are run with it") from None
    finally:
        os.close(log)
    return outcome


def _mark(root: str) -> str:
    """Return by what the commands of this tree are known among all processes."""
    return sha256(os.fsencode(root))[:16]


def open_logs(place: RunPlace, name: str) -> str:
    """Return the path of a log in a folder that git does not see."""
    make_folder(place.logs)
    for folder in (place.all_logs, place.logs):
        if os.path.islink(folder):
            raise RefusedError(f"{place.show(folder)} is a symbolic link", "put a folder there instead")
    hidden = os.path.join(place.all_logs, ".gitignore")
    if not place.project and not os.path.lexists(hidden):
        with open(hidden, "wb") as file:
            file.write(IGNORE_ALL)
    return os.path.join(place.logs, name)
