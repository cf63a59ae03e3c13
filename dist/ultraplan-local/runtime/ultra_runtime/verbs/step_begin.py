"""Begin a step: record the state before it, run its Test first, and answer with what to change.

It refuses changes that no step made. With --mine the user claims those at PATH; the report lists them.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.step.begin import begin
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.run.step.step_answers import after_begin, begun_data
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args

USAGE = "step begin N [PATH...] [--mine] [--plan PATH] [--project DIR] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with Files, Changes and Reuses, and with what the result must pass."""
    number, mine = step_number(args), args.rest("PATH")
    if bool(mine) != args.flag("--mine"):
        raise args.usage.error("--mine and the paths that the user claims must be given together")
    busy, live = open_live(f"step begin {number}", args.get("--plan"), args.get("--project"))
    with busy:
        begun = begin(live, number, mine)
        data: dict[str, Any] = {"ok": True, **begun_data(live, begun)}
    if live.notes:
        data["notes"] = live.notes
    data["next"] = after_begin(live, number)
    step = begun.step
    lines = [f"Step {number}: {step.title}", f"Files: {', '.join(step.files) or 'none'}", step.changes]
    lines += [f"Verify: {data['verify']}"] if "verify" in data else []
    following = data["next"].replace("`files`", "these files")
    return Answer(data, "\n".join([*filter(None, lines), *live.notes, f"Next: {following}"]))
