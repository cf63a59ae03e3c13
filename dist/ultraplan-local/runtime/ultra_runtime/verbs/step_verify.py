"""Verify a step: run its Verify command, check its manifest, and count the attempt.

`next` is commit, retry, stop, skip, escalate or blocked; `do` is the call to make next. A Verify that runs longer
than --timeout or the limit of the project is stopped with its child processes and counts as failed. With --go-on a
step that passes is committed too, and the next step begins: `begun` says what to change in it.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.live import GO_ON, Live, open_live
from ultra_runtime.run.step.numbers import seconds, step_number
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.step.verify import Verified

USAGE = "step verify N [--go-on] [--timeout SECONDS] [--plan PATH] [--project DIR] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer whether the step passed; a failed step is not an error of the call."""
    number = step_number(args)
    limit = seconds(args, "--timeout", 0)
    busy, live = open_live(f"step verify {number}", args.get("--plan"), args.get("--project"))
    with busy:
        # Half of the executor: a call without a run is refused before it is loaded.
        from ultra_runtime.run.step.going_on import verify_and_go_on
        from ultra_runtime.run.step.verify import verify

        limit = limit or live.command_seconds()
        if args.flag(GO_ON):
            live.goes_on = True
            return _went_on(live, verify_and_go_on(live, number, limit))
        return _verified(live, number, verify(live, number, limit))


def _went_on(live: Live, went: dict[str, Any]) -> Answer:
    data = {"ok": True, **went, **({"notes": live.notes} if live.notes else {})}
    rows = [went["line"], *went.get("why", ()), went.get("output", ""), went.get("undone", ""), *live.notes]
    following = f"Next: {went.get('do') or went['next']}"
    return Answer(data, "\n".join(filter(None, [*rows, went.get("refused", ""), following])))


def _verified(live: Live, number: int, verified: Verified) -> Answer:
    follows = verified.follows
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
        return Answer(
            data, "\n".join(filter(None, [f"Step {number} passes.", verified.note, f"Next: {data['do']}"]))
        )
    from ultra_runtime.run.step.step_answers import failed_data

    data.update(failed_data(live, number, verified))
    lines = [
        f"Step {number} fails, attempt {verified.attempt} of {data['of']}:",
        *verified.why,
        data.get("output", ""),
        f"Undone: {follows.undone}" if follows.undone else "",
        f"Next: {follows.word}: {follows.do}",
    ]
    return Answer(data, "\n".join(filter(None, lines)))
