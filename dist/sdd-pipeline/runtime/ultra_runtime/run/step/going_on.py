"""Continue a run in one call: commit the step that passed, and begin the next one.

Every check of the single calls is made, by the same functions and in the same order.
"""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.run.state.statuses import SKIPPED
from ultra_runtime.run.step.begin import begin
from ultra_runtime.run.step.checkpoint import commit_step
from ultra_runtime.run.step.step_answers import after_begin, begun_data, failed_data, failed_line, step_line
from ultra_runtime.run.step.verify import verify
from ultra_runtime.typed import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.live import Live

PREFLIGHT = 0
"""The number of the step that checks the sandbox and changes no file."""


def verify_and_go_on(live: Live, number: int, seconds: float) -> dict[str, Any]:
    """Verify a step; commit it if it passes, and begin the next step if the run continues."""
    verified = verify(live, number, seconds)
    if verified.follows is not None:
        data = {"line": failed_line(live, number, verified), **failed_data(live, number, verified)}
        del data["of"]  # the line says it
        if any(data.get("undone", "\0") in note for note in live.notes):
            del data["undone"]
        if live.progress.state(number) != SKIPPED:
            return data
        del data["do"]
        return {**data, **begin_next(live)}
    made = commit_step(live, number)
    done = f"committed {made.commit[:7]}" if made.commit else "completed without a commit"
    data = {"line": step_line(live, number, done)}
    told = (("note", verified.note), ("warning", made.note), ("drift", made.drift))
    data.update({name: text for name, text in told if text})
    return {**data, **begin_next(live)}


def begin_next(live: Live) -> dict[str, Any]:
    """Begin the step whose turn it is, and return what to change; Step 0 is verified and committed at once."""
    turn = live.turn()
    if turn is None or live.ended:
        return {"next": live.next_call()}
    try:
        begun = begin(live, turn)
    except RefusedError as problem:
        return {"refused": problem.error, "next": problem.next_step}
    if turn == PREFLIGHT:
        return verify_and_go_on(live, turn, live.command_seconds())
    data = begun_data(live, begun)
    del data["title"]  # the line of the step will say it
    if data["attempts"] == live.most_attempts():
        del data["attempts"]
    return {"begun": data, "next": after_begin(live, turn)}
