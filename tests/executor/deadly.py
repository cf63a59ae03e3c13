"""Run a verb in which the disk or the machine fails at one call: python -I -S -X utf8 deadly.py RUNTIME HOW NUMBER VERB...

Every call that changes the disk counts, and every start of git counts three times: before it starts, after it was
started, and after it has ended. HOW is `kill` (SIGKILL for the verb and its git together) or `full` (no space left).
Exit status 99 means that the verb ended before that call; the last line of the error output is the number of its calls.
"""

from __future__ import annotations

import builtins
import errno
import os
import signal
import sys
from typing import Any

RUNTIME, HOW, NUMBER = sys.argv[1], sys.argv[2], int(sys.argv[3])
CHANGES = ("link", "mkdir", "pwrite", "rename", "replace", "rmdir", "symlink", "unlink", "write")
FULL = ["/bin/sh", "-c", "echo 'fatal: unable to write: No space left on device' >&2; exit 128"]
left = NUMBER
children: list[int] = []


def fail() -> None:
    """Die with git, or find the disk full."""
    if HOW == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    for child in children:
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            continue
    os.kill(os.getpid(), signal.SIGKILL)


def count() -> bool:
    """Tell whether this is the call that fails."""
    global left
    left -= 1
    return left == 0


def spare() -> None:
    """Let no call of a forked process fail: its calls are not those of the verb."""
    global left
    left = 0


def deadly(name: str) -> None:
    call = getattr(os, name)

    def wrapped(*words: Any, **options: Any) -> Any:
        # What goes to a pipe or a terminal is not on the disk.
        if name in ("write", "pwrite") and not os.path.isfile(f"/proc/self/fd/{words[0]}"):
            return call(*words, **options)
        if count():
            if name == "write":
                call(words[0], bytes(words[1])[: len(words[1]) // 2])
            fail()
        return call(*words, **options)

    setattr(os, name, wrapped)


def deadly_open() -> None:
    call = builtins.open

    def wrapped(file: Any, mode: str = "r", *words: Any, **options: Any) -> Any:
        if set(mode) & set("wxa+") and count():
            fail()
        return call(file, mode, *words, **options)

    builtins.open = wrapped


def deadly_spawn() -> None:
    call, wait = os.posix_spawn, os.waitpid

    def spawn(program: Any, words: Any, env: Any, **options: Any) -> int:
        if count() and os.path.basename(program) == "git":
            if HOW == "full":
                program, words = FULL[0], FULL
            else:
                fail()
        child = call(program, words, env, **options)
        children.append(child)
        if HOW == "kill" and count():
            fail()
        return child

    def waited(child: int, how: int) -> tuple[int, int]:
        found = wait(child, how)
        if HOW == "kill" and found[0] and count():
            fail()
        return found

    os.posix_spawn, os.waitpid = spawn, waited


for change in CHANGES:
    deadly(change)
deadly_open()
deadly_spawn()
os.register_at_fork(after_in_child=spare)
sys.path.insert(0, RUNTIME)
from ultra_runtime.__main__ import main  # noqa: E402

status = main(sys.argv[4:])
sys.stdout.flush()
if left > 0:
    sys.stderr.write(f"{NUMBER - left}\n")
    sys.stderr.flush()
    os._exit(99)
os._exit(status)
