"""Have the commands of a proof run by a process of its own, which outlives the call that started it.

A folder holds the job, the process and the state. The state is written after every command, so that a later call goes
on where an earlier one was cut off, and a process that died is started again for the rest.
"""

from __future__ import annotations

import os
import time

from ultra_runtime.checkout.copy import remove_copy
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.process import detach, end_group
from ultra_runtime.proof.conditions import Tried
from ultra_runtime.proof.run_all import (
    JOB,
    key_of,
    note_process,
    read_process,
    read_state,
    run_all,
    write_process,
    write_values,
)
from ultra_runtime.run.state.environment import pin
from ultra_runtime.run.state.owner import start_time
from ultra_runtime.run.tree.workspace import make_folder
from ultra_runtime.struct import Struct
from ultra_runtime.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.checkout.settings import Settings
    from ultra_runtime.checkout.surroundings import Surroundings
    from ultra_runtime.files.git import Git
    from ultra_runtime.proof.conditions import Condition
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.tree.workspace import Workspace

FINISHING, AUDITING = "proof", "audit"
MOST_DEATHS = 3
SHORTEST_NAP, LONGEST_NAP = 0.005, 0.2


def make_job(
    place: RunPlace,
    end: str,
    conditions: Sequence[Condition],
    settings: Settings,
    around: Surroundings | None,
    log: str,
) -> dict[str, Any]:
    """Return what the process has to do; equal commands are run once, `log` begins the names of their logs.

    At the end of a run, a command that fails in the checkout is tried in the working tree as well; one that a later step
    decides about, in its own commit. `around` is what the checkout must have around it.
    """
    commands: dict[str, dict[str, Any]] = {}
    for one in conditions:
        new = {"command": one.command, "expected": [], "exit": False, "compare": False, "commits": []}
        row = commands.setdefault(one.command, new)
        row["expected"] += [one.expected] if one.expected and one.expected not in row["expected"] else []
        row["exit"] = row["exit"] or one.step is None
        row["commits"] += [one.commit] if one.commit and one.commit not in row["commits"] else []
        row["compare"] = row["compare"] or (log == FINISHING and one.later is None)
    return {
        "root": place.root,
        "plan": place.plan,
        "project": os.path.basename(place.project.folder) if place.project else None,
        "session": place.session,
        "end": end,
        "log": log,
        "commands": list(commands.values()),
        "settings": dict(settings.given),
        "around": around.as_data() if around else None,
        "variables": pin(),
    }


def background_of(workspace: Workspace, slug: str, log: str = FINISHING) -> Background:
    """Return the process that proves a run, started or not."""
    return Background(workspace.git, workspace.path(slug, log))


class Background(Struct):
    """The process that runs the commands of one proof."""

    git: Git
    folder: str

    def run(self, job: Mapping[str, Any], seconds: float) -> Tried | None:
        """Return how the commands ended; None when they have not after so many seconds: ask again."""
        if not job["commands"]:
            return Tried("the plan has no command to run", {})
        key = key_of(job)
        deadline, nap = time.monotonic() + seconds, SHORTEST_NAP
        while True:
            if key_of(self._read(JOB)) != key:
                self.stop()
                make_folder(self.folder)
                self._write(JOB, job)
            lives = self._lives()
            state = read_state(self.git, self.folder)
            if state and state["key"] != key:  # the process read another job than this one
                self.stop()
                continue
            if state.get("done"):
                rows = {row["command"]: row for row in state["rows"]}
                if state.get("passing"):  # nothing was found out: the next call tries again
                    self.stop()
                return Tried(state["proof"], rows, state["required"], state["notes"], state["changed"])
            if not lives and not self._start(state):
                return Tried(f"its process ended {MOST_DEATHS} times without an answer", {}, True)
            if time.monotonic() >= deadline:
                return None
            time.sleep(nap)
            nap = min(nap * 2, LONGEST_NAP)

    def standing(self) -> str:
        """Return how far the commands are."""
        done, of = (
            len(read_state(self.git, self.folder).get("rows", ())),
            len(self._read(JOB).get("commands", ())),
        )
        return f"{done} of {counted(of, 'command')}"

    def stop(self) -> None:
        """End the process and forget what it found out."""
        from shutil import rmtree

        if self._lives():
            end_group(read_process(self.git.common, self.folder)["pid"])
        self._clear(read_state(self.git, self.folder))
        rmtree(self.folder, ignore_errors=True)

    def _start(self, state: Mapping[str, Any]) -> bool:
        """Start the process for what is left, or return that it died too often without getting further."""
        before, done = read_process(self.git.common, self.folder), len(state.get("rows", ()))
        deaths = before.get("deaths", -1) + 1 if before.get("done", done) == done else 0
        if deaths >= MOST_DEATHS:
            return False
        self._clear(state)
        write_process(self.git.common, self.folder, {"pid": 0, "done": done, "deaths": deaths})
        folder, git = self.folder, self.git
        detach(
            lambda: run_all(folder, git.folder, git.common),
            lambda pid: note_process(git.common, folder, pid),
        )
        return True

    def _lives(self) -> bool:
        found = read_process(self.git.common, self.folder)
        return bool(found.get("started")) and start_time(found["pid"]) == found["started"]

    def _clear(self, state: Mapping[str, Any]) -> None:
        """Remove the checkout of a process that is gone, with all that still runs in it."""
        if state.get("copy"):
            remove_copy(self.git, state["copy"])

    def _read(self, name: str) -> dict[str, Any]:
        return read_json(os.path.join(self.folder, name))

    def _write(self, name: str, values: Mapping[str, Any]) -> None:
        write_values(os.path.join(self.folder, name), values)
