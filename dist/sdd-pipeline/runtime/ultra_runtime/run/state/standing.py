"""Read the state of the run of a working tree from files alone: without git, so that hooks stay fast."""

from __future__ import annotations

import os

from ultra_runtime.contract.forms import is_number
from ultra_runtime.contract.stages import command_for
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.run_files import PROGRESS, STEP
from ultra_runtime.guard.site import FOLDER
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.statuses import DEFERRED, ENDED, IN_PROGRESS, OVER, SENTENCES
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Standing:
    """The state of a run and the next command; `step` is None when only the finish is left."""

    __slots__ = ("attempts", "done", "lock", "next", "plan", "started_at", "state", "status", "step", "total")

    def __init__(self, lock: dict[str, Any], progress: dict[str, Any], record: dict[str, Any]) -> None:
        self.lock = lock
        self.plan = one_line(str(lock.get("plan")), 300)
        self.status = one_line(str(progress.get(fields.STATUS)), 40)
        self.started_at = one_line(str(progress.get(fields.STARTED_AT) or ""), 40)
        steps = own_steps(progress)
        counted = [state for number, (state, _) in steps.items() if number]
        self.total = len(counted)
        self.done = sum(state in OVER for state in counted)
        self.step = self._turn(steps)
        self.state, self.attempts = steps.get(self.step, ("", 0)) if self.step is not None else ("", 0)
        self.next = self._next(record)

    def _turn(self, steps: dict[int, tuple[str, int]]) -> int | None:
        if self.status in ENDED:
            return None
        target = self.lock.get("step")
        wanted = [target] if isinstance(target, int) else sorted(steps)
        return next((number for number in wanted if steps.get(number, ("", 0))[0] not in OVER), None)

    def _next(self, record: dict[str, Any]) -> str:
        if self.is_lost:
            return self.resume
        if self.step is None:
            return verb("run finish")
        if record.get("number") != self.step:
            return f"{verb('step begin')} {self.step}"
        return verb(f"step {'commit' if record.get('verified') else 'verify'} {self.step}")

    @property
    def is_lost(self) -> bool:
        """Whether the progress file is missing or unreadable; a resume rebuilds it."""
        return not self.total and self.status not in ENDED

    @property
    def words(self) -> str:
        """The state in a few words."""
        if self.is_lost:
            return "its progress file is missing or cannot be read"
        if self.status in ENDED:
            return f"it {SENTENCES[self.status]} after {self.done} of {self.total} steps"
        if self.step is None:
            return "the only step is over" if self.total == 1 else f"all {self.total} steps are over"
        begun = "in progress" if self.state == IN_PROGRESS else "next"
        tried = f", verified {self.attempts} times" if self.attempts > 1 else ""
        return f"step {self.step} of {self.total} is {begun}{tried}"

    @property
    def resume(self) -> str:
        """The command with which a new session continues."""
        project, session = self.lock.get("project"), self.lock.get("session")
        where = f"--project {shell_word(str(project))}" if project else shell_word(str(self.lock.get("plan")))
        part = f" --session {session}" if isinstance(session, int) else ""
        command = command_for(fields.KIND) or verb("run start")
        return one_line(f"{command} {where} --resume{part}", 500)


def own_steps(progress: dict[str, Any]) -> dict[int, tuple[str, int]]:
    """Return number -> status and attempts of the steps of this run."""
    steps = progress.get(fields.STEPS)
    found = {}
    for number, step in steps.items() if isinstance(steps, dict) else ():
        if is_number(number) and isinstance(step, dict):
            attempts = step.get(fields.STEPS_ATTEMPTS)
            if step.get(fields.STEPS_STATUS) != DEFERRED:
                state = one_line(str(step.get(fields.STEPS_STATUS)), 40)
                found[int(number)] = (state, attempts if isinstance(attempts, int) else 0)
    return found


def read_standing(root: str, git_dir: str, lock: dict[str, Any]) -> Standing:
    """Return the state of the run of a lock; unreadable files count as empty."""
    progress = read_json(os.path.join(root, str(lock.get("progress") or PROGRESS)))
    record = read_json(os.path.join(git_dir, FOLDER, str(lock.get("slug") or "-"), STEP))
    return Standing(lock, progress, record)
