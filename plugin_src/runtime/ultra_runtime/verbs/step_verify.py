"""Verify a step: run its Verify command, check its manifest, and count the attempt.

`next` is commit, retry, stop, skip, escalate or blocked; `do` is the call to make next. A Verify that runs longer
than --timeout or the limit of the project is stopped with its child processes and counts as failed.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.step.numbers import seconds, step_number
from ultra_runtime.run.step.verify import verify
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args

USAGE = "step verify N [--timeout SECONDS] [--plan PATH] [--project DIR] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer whether the step passed; a failed step is not an error of the call."""
    number = step_number(args)
    limit = seconds(args, "--timeout", 0)
    busy, live = open_live(f"step verify {number}", args.get("--plan"), args.get("--project"))
    with busy:
        verified = verify(live, number, limit or live.command_seconds())
    follows, outcome = verified.follows, verified.outcome
    data: dict[str, Any] = {
        "ok": True,
        "step": number,
        "passed": follows is None,
        "attempt": verified.attempt,
    }
    if follows is None:
        if verified.note:
            data["note"] = verified.note
        data.update(next="commit", do=f"{verb('step commit')} {number}")
        return Answer(data, "\n".join(filter(None, [f"Step {number} passes.", verified.note, data["do"]])))
    most = live.attempts_of(live.assignment.step(number), verified.attempt)
    data.update(of=most, why=verified.why)
    if outcome and (outcome.status or outcome.late or len(verified.why) == 1):
        excerpt = outcome.excerpt()
        if excerpt:
            data["output"] = excerpt
        data["log"] = outcome.log
    if follows.undone:
        data["undone"] = follows.undone
    data.update(next=follows.word, do=follows.do)
    head = f"Step {number} fails, attempt {verified.attempt} of {most}:"
    lines = [
        head,
        *verified.why,
        data.get("output", ""),
        follows.undone,
        f"Next: {follows.word}: {follows.do}",
    ]
    return Answer(data, "\n".join(filter(None, lines)))
