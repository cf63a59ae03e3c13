"""Verify a task: compare what its builder says with the tree, run its Verify, check its files, and count the attempt.

TASK is its id, or the number of its step. `next` is commit, retry or stop; `do` is what follows.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.step.numbers import seconds
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.tasks import verify_task
from ultra_runtime.works.work_place import find_work

USAGE = "task verify TASK [--timeout SECONDS] [--json]"


def run(args: Args) -> Answer:
    """Answer whether the task passed; a failed task is not an error of the call."""
    limit = seconds(args, "--timeout", 0)
    work = find_work(None, in_progress=True)
    busy, live = open_live("task verify", None, None)
    with busy:
        task, verified = verify_task(work, live, args.need("TASK"), limit or live.command_seconds())
    follows, outcome = verified.follows, verified.outcome
    data: dict[str, Any] = {
        "ok": True,
        "task": task.name,
        "passed": follows is None,
        "attempt": verified.attempt,
        "of": live.most_attempts(),
    }
    if follows is None:
        call = f"{verb('task commit')} {task.name}"
        data.update(next="commit", do=call)
        return Answer(data, "\n".join(filter(None, [f"{task.name} passes.", verified.note, call])))
    data["why"] = verified.why
    if outcome:
        data.update(output=outcome.excerpt(), log=outcome.log)
    data.update(next=follows.word, do="answer FAIL with `why`; do not repair it")
    lines = [
        f"{task.name} fails, attempt {verified.attempt} of {data['of']}:",
        *verified.why,
        data.get("output", ""),
    ]
    return Answer(data, "\n".join(filter(None, lines)))
