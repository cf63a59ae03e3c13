"""A function of the shell that calls a launcher in forks, for scripts that change neither the environment nor the PATH.

The function writes its words and its environment to a file and waits for the exit status; what it gave the call as
standard input, output and error is opened in /proc.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.kit.warm import Program

FUNCTION = """\
{name}() {{
    {{ printf '%s\\0' $BASHPID "$PWD" "$(umask)" $# {launcher} "$@"; env -0; }} > "{folder}/asked"
    echo > "{folder}/ask"
    local status; read -r -u 9 status 9< "{folder}/answer"; return "$status"
}}
"""


@contextmanager
def warm_function(name: str, program: Program, launcher: Path) -> Iterator[str]:
    """Give the text of a function of the shell that calls the launcher in forks of a program."""
    folder = Path(tempfile.mkdtemp(prefix="ultra-shell-"))
    for pipe in ("ask", "answer"):
        os.mkfifo(folder / pipe)
    asked = os.open(folder / "ask", os.O_RDWR)  # both ends: it has no end before we say so
    thread = threading.Thread(target=_answer, args=(asked, folder, program), daemon=True)
    thread.start()
    try:
        yield FUNCTION.format(name=name, folder=folder, launcher=f"'{launcher}'")
    finally:
        os.write(asked, b"q")
        thread.join()
        os.close(asked)
        shutil.rmtree(folder)


def _answer(asked: int, folder: Path, program: Program) -> None:
    """Make one call after the other until nobody asks any more."""
    while os.read(asked, 1) == b"\n":
        pid, cwd, umask, count, *rest = os.fsdecode((folder / "asked").read_bytes()).split("\0")
        words, variables = rest[: int(count) + 1], rest[int(count) + 1 : -1]
        env = dict(one.split("=", 1) for one in variables)
        with open(
            folder / "answer", "w"
        ) as answer:  # from now on the shell waits, and its redirections are done
            os.mkfifo(folder / "next")
            os.rename(
                folder / "next", folder / "answer"
            )  # no two calls share a pipe, which one may close late
            ends = [_opened(f"/proc/{pid}/fd/{number}", number) for number in range(3)]
            status = program.status(words, Path(cwd), env, int(umask, 8), ends)
            answer.write(f"{status if status >= 0 else 128 - status}\n")  # as a shell tells a signal


def _opened(path: str, number: int) -> int:
    """Open what a process has open: a file at its end, where the process writes too; a pipe without waiting."""
    is_file = stat.S_ISREG(os.stat(path).st_mode)
    how = os.O_RDONLY if number == 0 else os.O_WRONLY | (os.O_APPEND if is_file else 0)
    end = os.open(path, how | os.O_NONBLOCK)
    os.set_blocking(end, True)
    return end
