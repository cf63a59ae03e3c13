"""Run a command of a plan as written: from the root, without a terminal, with its whole output in a log."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.process import NotStartedError, run_logged
from ultra_runtime.run.state.environment import command_environment, command_in_copy, environment_in_copy
from ultra_runtime.run.state.failure_lines import failure_lines
from ultra_runtime.run.state.past import free_path
from ultra_runtime.run.tree.workspace import make_folder
from ultra_runtime.struct import Struct
from ultra_runtime.tables.limits import COMMAND_SECONDS
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.run.state.run_place import RunPlace

LONGEST_LINE = 200
LOOKED_AT = 256 * 1024
IGNORE_ALL = b"*\n"


class Outcome(Struct):
    """How a command ended; `log` is the path of its output, seen from the root."""

    status: int
    late: bool
    log: str
    path: str
    lacks: list[str]
    """The expected texts that it did not print."""

    def excerpt(self) -> str:
        """Return the most useful lines of the output: around the first failure, and the last ones."""
        with open(self.path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LOOKED_AT))
            text = without_colours(file.read().decode("utf-8", "replace"))
        lines = [line.rstrip() for line in text.splitlines()]
        lines = lines[1 if size <= LOOKED_AT else 0 : -1]  # without the command and how it ended
        return "\n".join(one_line(line, LONGEST_LINE) for line in failure_lines(lines)).strip("\n")


def newest_log(place: RunPlace, start: str) -> str:
    """Return the path of the newest log whose name has this prefix; empty if there is none."""
    try:
        names = [name for name in os.listdir(place.logs) if name.startswith(start)]
    except OSError:
        return ""
    paths = [os.path.join(place.logs, name) for name in names]
    return max(paths, key=lambda path: os.stat(path).st_mtime_ns, default="")


def first_lines(path: str, most: int) -> list[str]:
    """Return the first lines of a log: the command, and what it printed."""
    with open(path, "rb") as file:
        text = without_colours(file.read(LOOKED_AT).decode("utf-8", "replace"))
    return [one_line(line.rstrip(), LONGEST_LINE) for line in text.splitlines()[:most]]


def without_colours(text: str) -> str:
    """Return a text without the sequences that a terminal would obey."""
    if "\x1b" not in text:
        return text
    import re

    return re.sub(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])", "", text)


def run_command(
    place: RunPlace,
    command: str,
    name: str,
    seconds: float = COMMAND_SECONDS,
    expected: Sequence[str] = (),
    root: str = "",
) -> Outcome:
    """Run a command and keep its output in the log of that name; `root` is another working copy to run it in."""
    env = environment_in_copy(place.root, root) if root else command_environment(place.root)
    command = command_in_copy(command, place.root, root) if root else command
    root = root or place.root
    path = free_path(open_logs(place, name))
    log = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        os.write(log, f"$ {command}\n".encode("utf-8", "surrogateescape"))
        os.chdir(root)
        wanted = [text.encode() for text in expected]
        done = run_logged(["bash", "-c", command], env, log, seconds, _mark(root), wanted)
        ending = f"\n[timed out after {seconds:g} s]\n" if done.late else f"\n[exit status {done.status}]\n"
        os.write(log, ending.encode())
    except NotStartedError as problem:
        raise RefusedError(str(problem), "install bash: it runs the commands of plans") from None
    finally:
        os.close(log)
    return Outcome(done.status, done.late, place.show(path), path, [os.fsdecode(text) for text in done.lacks])


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
