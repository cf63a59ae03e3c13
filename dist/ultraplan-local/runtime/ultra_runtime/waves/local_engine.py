"""Run attempts on this machine: start one, tell its state, end it. An attempt elsewhere has the same three verbs.

An attempt has a process of its own that keeps it: it runs the setup and the client, with a time limit and a log, writes
down how they ended, and ends them when the supervisor is gone.
"""

from __future__ import annotations

import os
import signal
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.setup import mark_of, run_setup
from ultra_runtime.files.git import CEILING
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.process import (
    NotStartedError,
    adopt_orphans,
    end_descendants,
    end_group,
    end_marked,
    run_logged,
)
from ultra_runtime.files.quick_write import make_folder, put
from ultra_runtime.run.state.owner import SESSION_VARIABLE
from ultra_runtime.struct import Struct
from ultra_runtime.text.jsontext import write
from ultra_runtime.waves.ports import PORT_VARIABLE, take_ports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.checkout.settings import Settings

ENDS = "ends"
LOOK_SECONDS = 0.5
# What the client tells the processes that it starts about itself: a session of its own must not inherit it.
OF_THE_CALLER = (
    "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_TMPDIR", "CLAUDE_CODE_SSE_PORT", "CLAUDE_ENV_FILE",
)  # fmt: skip


class Attempt(Struct):
    """One attempt at a session: what runs where, for how long, and where its log and its end are written."""

    session: int
    number: int
    root: str
    command: Sequence[str]
    name: str
    """The id of the session, for names of databases and containers."""
    temporary: str
    mark: str
    """The mark of every process of this attempt."""
    seconds: float
    log: str
    folder: str
    """The folder of the journal."""

    @property
    def end(self) -> str:
        """The file that says how it ended."""
        return os.path.join(self.folder, ENDS, f"session-{self.session}-attempt-{self.number}.json")


class LocalEngine:
    """Attempts as processes of this machine."""

    is_local = True

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.keepers: dict[int, int] = {}

    def start(self, attempt: Attempt) -> None:
        """Start an attempt; what is left of an earlier one in the same tree is ended first."""
        if attempt.number > 1:
            self.end(attempt)
        make_folder(os.path.dirname(attempt.end))
        make_folder(os.path.dirname(attempt.log))
        supervisor = os.getpid()
        keeper = os.fork()
        if keeper == 0:
            try:
                os.setsid()
                adopt_orphans()
                _keep(attempt, self.settings, supervisor)
            finally:
                end_descendants()
                os._exit(0)
        self.keepers[attempt.session] = keeper

    def state(self, attempt: Attempt) -> Mapping[str, Any] | None:
        """Return how an attempt ended, None while it runs; one that ended without a result is lost."""
        keeper = self.keepers.get(attempt.session)
        if keeper is not None:
            if os.waitpid(keeper, os.WNOHANG)[0] == 0:
                return None
            del self.keepers[attempt.session]
        self._sweep(attempt)
        return read_json(attempt.end)

    def end(self, attempt: Attempt) -> str:
        """End an attempt with everything that it started; return why it may still run, which is nothing here."""
        keeper = self.keepers.pop(attempt.session, None)
        if keeper is not None:
            end_group(keeper, attempt.mark)
            os.waitpid(keeper, 0)
        self._sweep(attempt)
        return ""

    def close(self) -> list[str]:
        """Leave nothing behind: there is nothing beyond the attempts."""
        return []

    def _sweep(self, attempt: Attempt) -> None:
        """End what is left of an attempt: the client, and what the plan's commands had started."""
        end_marked(attempt.mark, mark_of(attempt.root))


def _keep(attempt: Attempt, settings: Settings, supervisor: int) -> None:
    """Do the work of one attempt in this process, and write down how it ended."""
    _watch(supervisor)
    begun = time.monotonic()
    end: dict[str, Any] = {"status": None, "late": False, "why": ""}
    try:
        env = environment_of(attempt, take_ports(settings.ports))
        run_setup(attempt.root, settings, {**env, "PWD": attempt.root}, f"{attempt.log}.setup")
        log = os.open(attempt.log, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        os.chdir(attempt.root)
        done = run_logged(attempt.command, env, log, attempt.seconds, attempt.mark)
        end.update(status=done.status, late=done.late)
    except (RefusedError, NotStartedError, OSError) as problem:
        end["why"] = getattr(problem, "error", "") or str(problem)
    end["seconds"] = round(time.monotonic() - begun)
    put(attempt.end, (write(end) + "\n").encode())


def _watch(supervisor: int) -> None:
    """Leave when the supervisor is gone; the processes of the attempt are ended on the way out."""

    def look(*_: object) -> None:
        if os.getppid() != supervisor:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise SystemExit(1)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOK_SECONDS, LOOK_SECONDS)


def environment_of(attempt: Attempt, port: int) -> dict[str, str]:
    """Return the environment of an attempt: the caller's, with what is private to the session."""
    env = {name: value for name, value in os.environ.items() if name not in OF_THE_CALLER}
    env.update({"PWD": attempt.root, "TMPDIR": attempt.temporary, SESSION_VARIABLE: attempt.name})
    # If a session loses its .git, git finds no repository, instead of the user's around it.
    known = env.get(CEILING)
    env[CEILING] = os.path.dirname(attempt.root) + (f"{os.pathsep}{known}" if known else "")
    return {**env, PORT_VARIABLE: str(port)} if port else env
