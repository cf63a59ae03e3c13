"""Run the Verify of a task as a trial, which counts no attempt; a command that the policy blocks is not run."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.state.shell_call import run_command
from ultra_runtime.run.step.numbers import seconds
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.tasks import task_to_try
from ultra_runtime.works.work_place import find_work

USAGE = "task try TASK [--timeout SECONDS] [--json]"


def run(args: Args) -> Answer:
    """Answer how the command ended."""
    limit = seconds(args, "--timeout", 0)
    work = find_work(None, in_progress=True)
    busy, live = open_live("task try", None, None)
    with busy:
        task = task_to_try(work, live, args.need("TASK"))
    # Not within: builders try their tasks at the same time.
    outcome = run_command(live.place, task.command, f"{task.name}-try.log", limit or live.command_seconds())
    passed = not outcome.status and not outcome.late
    data: dict[str, Any] = {"ok": True, "task": task.name, "passed": passed, "log": outcome.log}
    if not passed:
        data["output"] = outcome.excerpt()
    return Answer(data, f"{task.name} {'passes' if passed else 'fails'}.\n{data.get('output', '')}".strip())
