"""Start a run of a plan or session spec, or resume one that was interrupted.

Validates the plan, checks every command against the policy, takes the lock of this working tree, keeps a copy of the
plan, and answers with the first step. --mode resume continues from the progress file and git; --restart starts over;
--accept-plan-change lets a resume continue with a plan in which only later steps were edited, --accept-settings-change
with settings of the project or of git, included files or dependencies that changed since the start. --accept-entry says
that an entry condition without a command is met. --rebuild lets a resume replace a progress file that cannot be used by
one from git; the old file is kept beside it. With --go-on the first step begins too, after Step 0 if there is one:
`begun` says what to change.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.artifacts.places import number
from ultra_runtime.contract.stages import stage_that_makes
from ultra_runtime.files.guides import guide_text
from ultra_runtime.files.price import price
from ultra_runtime.plan.values import PLAN
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.asked import FOREGROUND, RESUME, SESSION, STEP, StartRequest
from ultra_runtime.run.life.start import InWaves, Started, start
from ultra_runtime.run.state.live import GO_ON, Live, open_live
from ultra_runtime.run.state.statuses import OVER
from ultra_runtime.run.step.going_on import begin_next
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.tables.limits import TOKENS_RUN, TOKENS_STEP
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import counted

USAGE = (
    "run start PATH [--mode fg|resume|step|session] [--step N] [--session N] [--project DIR] [--restart]"
    " [--accept-plan-change] [--accept-settings-change] [--accept-entry] [--rebuild] [--go-on] [--json]"
)
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with mode, strategy and the first step."""
    step = number(args, "--step", 0) if args.get("--step") else None
    session = number(args, "--session", 1) if args.get("--session") else None
    mode = args.get("--mode") or ""
    _refuse_two_modes(args, mode, step, session)
    for name, given in ((STEP, step), (SESSION, session)):
        if mode == name and given is None:
            raise args.usage.error(f"--mode {name} needs --{name} N")
    if mode == RESUME and args.flag("--restart"):
        raise args.usage.error("--mode resume and --restart cannot be used together")
    if args.flag("--rebuild") and mode != RESUME:
        raise args.usage.error(f"--rebuild needs --mode {RESUME}")
    started = start(
        StartRequest(
            args.need("PATH"),
            mode,
            step,
            session,
            args.get("--project"),
            args.flag("--restart"),
            args.flag("--accept-plan-change"),
            args.flag("--accept-entry"),
            args.flag("--accept-settings-change"),
            args.flag("--rebuild"),
        )
    )
    if isinstance(started, InWaves):
        return _in_waves(started)
    return _go_on(started) if args.flag(GO_ON) else _started(started)


def _started(started: Started) -> Answer:
    live = started.live
    done = done_steps(live)
    data: dict[str, Any] = {
        "ok": True,
        "run": "resumed" if started.resumed else "started",
        "mode": live.progress.values[fields.MODE],
        "strategy": "single",
        "steps": len(live.assignment.counted),
    }
    kind, fence = live.assignment.plan.kind, live.assignment.fence
    if kind != PLAN:
        data["type"] = kind
    if fence.touch or fence.never_touch:
        data["scope"] = f"{len(fence.touch)} to touch, {len(fence.never_touch)} never to touch"
    if started.resumed:
        data["done"] = done
    data["first"] = live.turn()
    if started.notes:
        data["notes"] = started.notes
    data["next"] = live.next_call()
    words = f"{data['run'].capitalize()} {live.place.shown}: {done} of {data['steps']} steps are done."
    told = {"mode": data["mode"], "project": live.place.project.shown if live.place.project else "none"}
    told.update(type=kind, **({"scope": data["scope"]} if "scope" in data else {}))
    words = "\n".join([words, *(f"{name.capitalize()}: {text}" for name, text in told.items())])
    return Answer(data, "\n".join([words, *started.notes, f"Next: {data['next']}"]))


def done_steps(live: Live) -> int:
    """Return how many steps are over."""
    return sum(live.progress.state(one) in OVER for one in live.assignment.counted)


def _go_on(started: Started) -> Answer:
    """Begin the first step in the same call."""
    busy, live = open_live("run start", None, None)
    with busy:
        live.goes_on = True
        live.snapshots.recorded = started.tree  # a change since then counts as one in the step
        begun = begin_next(live)
    data: dict[str, Any] = {
        "ok": True,
        "run": "resumed" if started.resumed else "started",
        "steps": len(live.assignment.counted),
    }
    notes = [*started.notes, *(note for note in live.notes if note not in started.notes)]
    guides = [name for name, asked in (("resume", started.resumed), ("session", live.place.session)) if asked]
    if guides:
        data["guide"] = "\n".join(guide_text(stage_that_makes(fields.KIND), name) for name in guides)
    data["price"] = price([], TOKENS_RUN + TOKENS_STEP * (data["steps"] - done_steps(live)))
    data.update({**begun, **({"notes": notes} if notes else {})})
    lines = [f"{data['run'].capitalize()} {live.place.shown}: {counted(data['steps'], 'step')}.", *notes]
    return Answer(data, "\n".join([*lines, f"Next: {data.get('do') or data['next']}"]))


def _in_waves(found: InWaves) -> Answer:
    """Answer that the sessions of the plan run in waves; nothing was started."""
    data: dict[str, Any] = {"ok": True, "run": "not started", "strategy": found.strategy}
    data["sessions"], data["waves"] = len(found.plan.sessions), len(found.plan.waves)
    data["next"] = f"read `{verb('guide')} execute waves`, and follow it"
    words = (
        f"Not started: the plan has {data['sessions']} sessions in {data['waves']} waves ({found.strategy})."
    )
    return Answer(data, f"{words}\nNext: {verb('waves start')} PLAN, or {verb('run start')} PLAN --mode fg")


def _refuse_two_modes(args: Args, mode: str, step: int | None, session: int | None) -> None:
    """Refuse two modes at once; only a session can be resumed by its number."""
    resume = f"--mode {RESUME}"
    asked = {
        f"--mode {FOREGROUND}": mode == FOREGROUND,
        resume: mode == RESUME,
        "--step": mode == STEP or step is not None,
        "--session": mode == SESSION or session is not None,
    }
    given = [name for name, is_asked in asked.items() if is_asked]
    if len(given) > 1 and given != [resume, "--session"]:
        raise args.usage.error(f"{given[0]} and {given[1]} cannot be used together")
