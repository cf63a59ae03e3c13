"""Tasks as jobs of a Slurm cluster: sbatch, squeue, scontrol, sacct, scancel. The handle is the number of the job."""

from __future__ import annotations

import math
import os
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.engines.engine import (
    CALL_SECONDS,
    GONE,
    QUEUED,
    RUNNING,
    TASK_VARIABLE,
    UNREACHED,
    Engine,
    MachineAnswer,
    TaskState,
    call,
    said,
)
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.engines.engine import EngineTask

WAITS = frozenset(
    ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD")
)
RUNS = frozenset(("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"))
LONGER = 15
"""Minutes that a job gets besides its session: to fetch, to set up and to push."""
LIST_SECONDS = 0.5
END_SECONDS = 60.0
# Nothing of the caller's environment goes to a job, and no file is written where others may read it.
ALWAYS = ("--no-requeue", "--parsable", "--export=NIL", "--chdir=/", "--output=/dev/null", "--ntasks=1")


class SlurmEngine(Engine):
    """Jobs of a Slurm cluster."""

    name = "slurm"
    packages = "slurm-client"
    is_quick = True
    programs = ("sbatch", "squeue", "scontrol", "scancel", "srun", "sinfo")

    def __init__(self, settings: Settings) -> None:
        self.given = settings.slurm
        self.listed: dict[str, str] = {}
        self.listed_at = -math.inf
        self.names: dict[str, str] = {}
        self.nodes: dict[str, str] = {}
        self.avoided: set[str] = set()
        """The nodes of tasks that had to be ended or were lost; the next task goes elsewhere."""
        self.problem = ""

    def start(self, task: EngineTask) -> str:
        """Submit a job; its script goes through standard input."""
        minutes = math.ceil(task.seconds / 60) + LONGER
        limit = self.given.get(fields.SLURM_TIME) or str(minutes)
        words = [
            "sbatch",
            *ALWAYS,
            f"--job-name={task.name}",
            f"--time={limit}",
            *self._place(),
            *self._avoiding(),
        ]
        script = f"#!/bin/bash -l\nexport {TASK_VARIABLE}={task.name}\n{task.text}\n"
        done = call([*words, *self.given.get(fields.SLURM_OPTIONS, ())], script)
        number = done.out.decode("utf-8", "replace").strip().partition(";")[0]
        if done.status == 0 and number.isdigit():
            self.listed_at = -math.inf
            return number
        raise RefusedError(
            f"sbatch refused the job: {said(done)}", "correct `slurm` in the settings, then resume"
        )

    def state(self, name: str, handle: str) -> TaskState:
        """Return the state of a job, from one list of all jobs for all who ask."""
        self._list()
        if self.problem:
            return TaskState(UNREACHED, self.problem)
        word = self.listed.get(handle or self._number(name)) or self._past(handle)
        if word in WAITS:
            return TaskState(QUEUED, word)
        return TaskState(RUNNING if word in RUNS else GONE, f"Slurm says {word}")

    def end(self, name: str, handle: str) -> str:
        """Cancel a job and wait until it is over; Slurm itself follows TERM by KILL."""
        self.avoided.update(node for node in [self.nodes.get(handle, "")] if node)
        words = ["scancel", handle] if handle else ["scancel", f"--name={name}", f"--user={_user()}"]
        done = call(words)
        deadline = time.monotonic() + END_SECONDS
        while time.monotonic() < deadline:
            self.listed_at = -math.inf
            found = self.state(name, handle)
            if found.state == GONE:
                return "" if "NODE_FAIL" not in found.why else f"job {handle} was on a node that failed"
            if found.state == UNREACHED:
                break
            time.sleep(LIST_SECONDS)
        return f"job {handle or name} may still run: {self.problem or said(done)}"

    def ask_all(self, text: str) -> list[MachineAnswer]:
        """Ask one node after the other, as jobs of their own."""
        words = [
            "srun",
            "--quiet",
            "--export=NIL",
            "--chdir=/",
            "--ntasks=1",
            "--immediate=30",
            *self._place(),
        ]
        own = [*words, *self.given.get(fields.SLURM_OPTIONS, ())]
        names = self._all_nodes()
        return [
            MachineAnswer(one, call([*own, f"--nodelist={one}", "/bin/bash", "-lc", text])) for one in names
        ]

    def _all_nodes(self) -> list[str]:
        nodes = call(["sinfo", "--noheader", "--Node", "--format=%N", *self._place()])
        if nodes.status:
            raise RefusedError(f"Slurm does not answer: {said(nodes)}", "look into `sinfo`")
        return list(dict.fromkeys(nodes.out.decode("utf-8", "replace").split()))

    def _avoiding(self) -> list[str]:
        if self.avoided and self.avoided.issuperset(self._all_nodes()):
            self.avoided.clear()
        return [f"--exclude={','.join(sorted(self.avoided))}"] if self.avoided else []

    def _place(self) -> list[str]:
        partition = self.given.get(fields.SLURM_PARTITION)
        return [f"--partition={partition}"] if partition else []

    def _list(self) -> None:
        if time.monotonic() - self.listed_at < LIST_SECONDS:
            return
        words = ["squeue", "--noheader", "--states=all", f"--user={_user()}", "--format=%i|%T|%j|%N"]
        done = call(words)
        self.listed_at = time.monotonic()
        self.problem = "" if done.status == 0 else f"Slurm does not answer: {said(done)}"
        self.listed, self.names = {}, {}
        for row in done.out.decode("utf-8", "replace").splitlines():
            number, word, name, node = (*row.strip().split("|"), "", "", "")[:4]
            self.listed[number], self.names[name], self.nodes[number] = word, number, node

    def _number(self, name: str) -> str:
        """Return the number of a job whose submission was cut off."""
        return self.names.get(name, "")

    def _past(self, handle: str) -> str:
        """Return the last state of a job that squeue no longer lists."""
        if not handle:
            return "nothing of it"
        words = ["sacct", "--allocations", "--noheader", "--parsable2", "--format=State", f"--jobs={handle}"]
        done = call(words, seconds=CALL_SECONDS)
        lines = done.out.decode("utf-8", "replace").split()
        return one_line(lines[0], 40) if done.status == 0 and lines else "that it is over"


def _user() -> str:
    return str(os.getuid())
