"""Serve waves with a supervisor that is killed once before and once after every kind of line in its journal.

python -I -S -X utf8 deadly_supervisor.py RUNTIME ROOT PLAN PROJECT DEATHS; DEATHS is the file of deaths so far; with
ONLY_DEATH there is just that one. With the supervisor dies everything that it has started.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

RUNTIME, ROOT, PLAN, PROJECT, DEATHS = sys.argv[1:]
sys.path.insert(0, RUNTIME)

from ultra_runtime.files.process import _descendants  # noqa: E402
from ultra_runtime.run.state.wave_journal import Journal  # noqa: E402
from ultra_runtime.waves.supervisor import Supervisor  # noqa: E402
from ultra_runtime.waves.wave_run import reopened  # noqa: E402

write = Journal.add


def die_once(name: str) -> None:
    """Die, unless this death was died before."""
    only = os.environ.get("ONLY_DEATH")
    with open(DEATHS, "a+", encoding="utf-8") as file:
        file.seek(0)
        if name in file.read().split("\n") or only not in (None, name):
            return
        file.write(f"{name}\n")
    for pid in _descendants(os.getpid(), ""):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    os.kill(os.getpid(), signal.SIGKILL)


def add(self: Journal, act: str, **values: Any) -> Any:
    """Write a line, with a death on either side of it."""
    name = f"{act} {values.get('session', values.get('wave', ''))}"
    die_once(f"before {name}")
    row = write(self, act, **values)
    die_once(f"after {name}")
    return row


Journal.add = add  # type: ignore[method-assign]
run = reopened(ROOT, PLAN, PROJECT or None)
held = run.journal.hold()
assert held is not None, "another supervisor serves this plan"
Supervisor(run).serve()
os._exit(0)
