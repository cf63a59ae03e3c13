"""Show the sessions and waves of a plan: what can run now, what it may use, who pays, and what prevents a start.

Nothing is written, and no working copy is made.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.engines.choosing import LOCAL
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.waves.preflight import check_all
from ultra_runtime.waves.wave_answers import ceiling, ceiling_line, read_options
from ultra_runtime.waves.wave_run import find_wave_run
from ultra_runtime.waves.wave_start import waiting_sessions
from ultra_runtime.words import one_line

USAGE = (
    "waves show PLAN [--project DIR] [--on local|ssh|slurm] [--jobs N] [--budget-usd X] [--model M] [--permission-mode M]"
    " [--session-minutes N] [--accept-api-billing] [--json]"
)
FOR_PEOPLE = "look"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with the waves and what keeps them from starting."""
    found = find_wave_run(args.need("PLAN"), args.get("--project"))
    options = read_options(args, args.get("--on") or LOCAL)
    limits = ceiling(len(found.plan.sessions), options)
    reasons = check_all(found, options.jobs, args.flag("--accept-api-billing"), False, options.on)
    ready = waiting_sessions(found)
    data: dict[str, Any] = {
        "ok": True,
        "waves": [
            [{"session": one.number, "title": one.title, "steps": list(one.steps)} for one in sessions]
            for _, sessions in found.plan.waves
        ],
        "can_start": ready,
        "ceiling": limits,
        "problems": reasons,
    }
    if found.state.begun:
        data["states"] = {str(one.number): one.state for one in found.state.sessions.values()}
    data["next"] = f"`{found.call('waves start')}`" if not reasons else "fix what `problems` says"
    lines = [ceiling_line(limits)]
    for wave, sessions in found.plan.waves:
        lines.append(f"Wave {wave}")
        for one in sessions:
            state = data.get("states", {}).get(str(one.number), "")
            steps = ", ".join(map(str, one.steps))
            lines.append(
                f"  session {one.number}  {one_line(one.title, 60)}  steps {steps}  {state}".rstrip()
            )
    lines += [f"problem: {one_line(reason, 600)}" for reason in reasons]
    return Answer(data, "\n".join([*lines, f"Next: {data['next']}"]))
