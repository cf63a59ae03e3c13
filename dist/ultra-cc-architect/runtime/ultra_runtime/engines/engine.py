"""What every engine offers: start a task on some machine, tell its state, end it; and ask each machine for the doctor.

An engine calls programs that exist, and knows nothing of sessions, git or the hub. A task is a text for `bash -l`; its
name is in the environment of all its processes as TASK_VARIABLE, so that they can be found.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.process import Done, NotStartedError, capture, which
from ultra_runtime.rendered import launcher
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

QUEUED, RUNNING, GONE, UNREACHED = "queued", "running", "gone", "unreached"
"""The states of a task: it waits for a machine, it has one, it has ended, or nobody can tell now."""
TASK_VARIABLE = launcher().upper().replace("-", "_") + "_TASK"
CALL_SECONDS = 60.0


class EngineTask(Struct):
    """A text for `bash -l`, with a name that no other task has; `turn` spreads tasks over machines."""

    name: str
    text: str
    seconds: float
    turn: int


class TaskState(Struct):
    """The state of a task, and what the engine says about it."""

    state: str
    why: str = ""


class MachineAnswer(Struct):
    """What one machine answered to a question."""

    machine: str
    done: Done


class Engine:
    """The interface of an engine; each has its own file."""

    name = ""
    packages = ""
    """What to install on this machine, in Debian's words."""
    programs: tuple[str, ...] = ()
    is_quick = False
    """Whether the state costs so little that it may be asked while signs of life come."""

    def start(self, task: EngineTask) -> str:
        """Start a task, and return the handle by which the other verbs find it; refuse if no machine takes it."""
        raise NotImplementedError

    def state(self, name: str, handle: str) -> TaskState:
        """Return the state of a task; this is asked often and must answer quickly."""
        raise NotImplementedError

    def end(self, name: str, handle: str) -> str:
        """End a task with everything it started; return why it may still run, or nothing."""
        raise NotImplementedError

    def ask_all(self, text: str) -> list[MachineAnswer]:
        """Run a short text on every machine, and return the answers."""
        raise NotImplementedError

    def lacking(self) -> str:
        """Return what this machine lacks to use the engine, with the remedy; nothing if it has everything."""
        absent = [name for name in self.programs if which(name) is None]
        if not absent:
            return ""
        return f"{', '.join(absent)} not found on this machine: install {self.packages} (Debian: apt-get install {self.packages})"


def call(words: Sequence[str], given: str = "", seconds: float = CALL_SECONDS) -> Done:
    """Run a program of an engine; one that is missing is a refusal."""
    try:
        return capture(words, os.environ, given.encode(), seconds)
    except NotStartedError as problem:
        raise RefusedError(str(problem), "install it") from None


def said(done: Done) -> str:
    """Return the last line of what a program said, for a sentence."""
    if done.late:
        return "it did not answer in time"
    lines = (done.err or done.out).decode("utf-8", "replace").strip().splitlines()
    return one_line(lines[-1], 200) if lines else f"exit status {done.status}"
