"""The names of the files and refs that a run reads and leaves: in its project and in the git dir of its tree."""

from __future__ import annotations

import os

from ultra_runtime.rendered import launcher

REFS = f"refs/{launcher()}/run"
PLAN_FILE = "plan.md"
LOGS = "logs"
# In the logs: the sentence that a small task began with.
TASK_FILE, SENTENCE = "small-task.json", "task"
REPORT = "report.md"
SESSION_STATE = ".session-state.local.json"
PREVIOUS = ".prev"
BROKEN = ".broken"
START, PART, END = "progress", "-session-", ".json"
PROGRESS = START + END
# For a plan outside a project; the name of the plan follows.
ALONE = ".ultraexecute-progress-"
# The step in progress, in the runtime's own folder of the git dir; guard/site names that folder and its lock.
STEP = "step.json"
# Folders there with one file per run: the list of its refs, and the variables that it was started with.
REF_LISTS, ENVIRONMENTS = "refs", "environment"


def progress_name(session: int | None = None, plan: str = "", recovery: str = "") -> str:
    """Return the progress file of a run or of one session; for a plan outside a project, the plan is part of the name."""
    part = "" if session is None else f"{PART}{session}{recovery}"
    return f"{ALONE + plan if plan else START}{part}{END}"


def progress_files(folder: str) -> dict[str, int | None]:
    """Return the progress files of a project and the session of each, the whole plan first."""
    try:
        names = os.listdir(folder)
    except OSError:
        return {}
    found: dict[str, int | None] = {PROGRESS: None} if PROGRESS in names else {}
    numbers = [name[len(START + PART) : -len(END)] for name in names]
    digits = [one for one in numbers if one.isascii() and one.isdigit() and len(one) < 6]
    sessions = {progress_name(number): number for number in sorted(map(int, digits))}
    return {**found, **{name: number for name, number in sessions.items() if name in names}}
