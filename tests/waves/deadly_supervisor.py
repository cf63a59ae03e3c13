"""Start and serve waves in one life after the other, each of which ends at another line of the journal.

python -I -S -X utf8 deadly_supervisor.py RUNTIME ROOT PLAN DEATHS; DEATHS is the file of the ends so far, `HOW SIDE ACT
NUMBER` a line. DEATHS_ASKED lists the ways to end, each as HOW, or as such a line for that end alone:

- `kill`: SIGKILL for the process and everything that it has started
- `full`: no space is left, from this line to the end of the life
- `act`: nothing ends, but the shell runs ACT, as a user who does something at this moment

The exit status is 0 when a life was served to its end.
"""

from __future__ import annotations

import builtins
import errno
import os
import signal
import sys
import traceback
from typing import Any

RUNTIME, ROOT, PLAN, DEATHS = sys.argv[1:]
sys.path.insert(0, RUNTIME)

from ultra_runtime.errors import UltraError  # noqa: E402
from ultra_runtime.files.process import _descendants  # noqa: E402
from ultra_runtime.run.state.wave_journal import Journal  # noqa: E402
from ultra_runtime.waves.supervisor import Supervisor  # noqa: E402
from ultra_runtime.waves.wave_run import find_begun, find_wave_run  # noqa: E402
from ultra_runtime.waves.wave_start import WaveOptions, begin, resume  # noqa: E402

ASKED = os.environ["DEATHS_ASKED"].split(",")
MOST_LIVES = 400
WRITES = ("mkdir", "rename", "replace", "symlink", "write", "pwrite", "truncate")
GIT_WRITES = {"add", "checkout", "commit", "commit-tree", "hash-object", "merge", "read-tree", "reset", "update-ref", "worktree", "write-tree"}  # fmt: skip
FULL = ["/bin/sh", "-c", "echo 'fatal: unable to write: No space left on device' >&2; exit 128"]
line = Journal.add


def end_once(place: str) -> None:
    """End this life at a line of the journal, in every way that is asked for and was not tried here before."""
    if "DISK_IS_FULL" in os.environ:
        return
    with open(DEATHS, "a+", encoding="utf-8") as file:
        file.seek(0)
        tried = file.read().split("\n")
        for how in ("kill", "full", "act"):
            name = f"{how} {place}"
            if name not in tried and (how in ASKED or name in ASKED):
                file.write(f"{name}\n")
                break
        else:
            return
    if how == "full":
        fill_the_disk()
        return
    if how == "act":
        assert os.system(os.environ["ACT"]) == 0, os.environ["ACT"]  # noqa: S605
        return
    for pid in _descendants(os.getpid(), ""):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    os.kill(os.getpid(), signal.SIGKILL)


def fill_the_disk() -> None:
    """Let nothing be written any more: not by this process and not by git."""
    os.environ["DISK_IS_FULL"] = "1"

    def full(name: str) -> None:
        call = getattr(os, name)

        def wrapped(*words: Any, **options: Any) -> Any:
            # What goes to a pipe is not on the disk.
            if name in ("write", "pwrite") and not os.path.isfile(f"/proc/self/fd/{words[0]}"):
                return call(*words, **options)
            if name == "truncate":  # what is cut off frees space
                return call(*words, **options)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        setattr(os, name, wrapped)

    for name in WRITES:
        full(name)
    opened, spawn = builtins.open, os.posix_spawn

    def open_(file: Any, mode: str = "r", *words: Any, **options: Any) -> Any:
        if set(mode) & set("wxa+"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(file, mode, *words, **options)

    builtins.open = open_

    def spawned(program: Any, words: Any, env: Any, **options: Any) -> int:
        if os.path.basename(program) == "git" and GIT_WRITES.intersection(words):
            program, words = FULL[0], FULL
        return spawn(program, words, env, **options)

    os.posix_spawn = spawned


def add(self: Journal, act: str, **values: Any) -> Any:
    """Write a line, with an end on either side of it."""
    name = f"{act} {values.get('session', values.get('wave', ''))}".rstrip()
    end_once(f"before {name}")
    row = line(self, act, **values)
    end_once(f"after {name}")
    return row


def live() -> None:
    """Begin or resume the waves, and serve them."""
    os.chdir(ROOT)
    run = find_wave_run(PLAN)
    if run.state.begun:
        run = find_begun(PLAN, None)
        if not run.state.unfinished:  # the end came after the last line
            return
        resume(run, {}, accepts_settings=False)
    else:
        begin(run, WaveOptions(2, None, "", "", 60), accepts_billing=True)
    run.journal.write_alone()
    Supervisor(find_begun(PLAN, None)).serve()


def main() -> int:
    """Live until a life was not ended."""
    Journal.add = add  # type: ignore[method-assign]
    for _ in range(MOST_LIVES):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                live()
                status = 7 if "DISK_IS_FULL" in os.environ else 0
            except (UltraError, OSError):
                traceback.print_exc()
                status = 7 if "DISK_IS_FULL" in os.environ else 2
            finally:
                sys.stderr.flush()
                os._exit(status)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if ended == -signal.SIGKILL and not any(how in ASKED for how in ("kill", "full")):
            return 9
        if ended not in (-signal.SIGKILL, 7):
            return ended
    return 3


sys.exit(main())
