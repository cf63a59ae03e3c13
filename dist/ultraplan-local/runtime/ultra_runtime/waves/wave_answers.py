"""The answers of the verbs on waves: where everything stands, and what comes next."""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer
from ultra_runtime.doctor.billing import KEY
from ultra_runtime.engines.choosing import LOCAL
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.wave_lines import head_line, stand_lines
from ultra_runtime.run.state.statuses import COMPLETED
from ultra_runtime.run.state.wave_state import WAITING
from ultra_runtime.run.step.numbers import amount
from ultra_runtime.standing.project_standing import after
from ultra_runtime.tables.limits import JOBS_MOST, SESSION_DOLLARS, SESSION_MINUTES
from ultra_runtime.waves.attempts import budget_of
from ultra_runtime.waves.wave_report import session_data, summary
from ultra_runtime.waves.wave_start import WaveOptions
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.usage import Args
    from ultra_runtime.waves.wave_run import WaveRun

SUMMARY = "ultraexecute_summary"
LARGEST = 1_000_000.0
"""Of a number in the options."""


def read_options(args: Args, on: str = LOCAL) -> WaveOptions:
    """Return how the sessions run, from the arguments of a call."""
    jobs = args.get("--jobs")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs is not None and not (jobs.isascii() and jobs.isdigit() and 0 < int(jobs) < 1000):
        raise args.usage.error(f"--jobs must be a number from 1 to 999, not {one_line(jobs)}")
    return WaveOptions(
        int(jobs) if jobs else JOBS_MOST if on != LOCAL else min(JOBS_MOST, cores),
        amount(args, "--budget-usd", LARGEST),
        args.get("--model") or "",
        args.get("--permission-mode") or "",
        amount(args, "--session-minutes", LARGEST) or SESSION_MINUTES,
        on,
    )


def data_folder(args: Args) -> str:
    """Return the folder of the statistics, as the supervisor finds it; nothing if none was named."""
    named = args.get("--data")
    return os.path.abspath(named) if named else ""


def default_options() -> WaveOptions:
    """Return how sessions run without any argument."""
    return WaveOptions(JOBS_MOST, None, "", "", SESSION_MINUTES)


def ceiling(sessions: int, options: WaveOptions) -> dict[str, Any]:
    """Return what the waves may use at most, and who pays."""
    return {
        "dollars": options.budget if options.budget is not None else SESSION_DOLLARS * sessions,
        "minutes": options.minutes,
        "jobs": options.jobs,
        "model": options.model or "that of the client",
        "permission_mode": options.mode or "that of the client",
        "billing": _payer(options.on),
        "on": options.on,
    }


def _payer(on: str) -> str:
    if on != LOCAL:
        return "the account that the client of each worker is logged in with"
    return f"the key in {KEY}" if os.environ.get(KEY) else "the account that the client is logged in with"


def ceiling_line(limits: dict[str, Any]) -> str:
    """Return the ceiling in words."""
    return (
        f"at most ${limits['dollars']:g} in all and {limits['minutes']:g} minutes a session, "
        f"{limits['jobs']} side by side, paid by {limits['billing']}"
    )


def standing(run: WaveRun, lives: bool) -> Answer:
    """Answer with where every session stands; `lives` says whether a supervisor serves the plan."""
    state = run.state
    data: dict[str, Any] = {"ok": True, "running": lives and not state.result}
    if state.result:
        data.update(result=state.result, why=state.why, report=_report(run))
        data[SUMMARY] = summary(run, state.result)
    else:
        data.update(
            sessions=[session_data(one) for one in state.sessions.values() if one.state != WAITING],
            waiting=sum(one.state == WAITING for one in state.sessions.values()),
            dollars=round(state.dollars, 2), of_dollars=budget_of(run),
        )  # fmt: skip
        data["lines"] = [head_line(state, ""), *stand_lines(state)]
    data["next"] = next_step(run, lives)
    lines = [head_line(state, state.result), *stand_lines(state)]
    lines += [f"  {one_line(why, 600)}" for why in state.why]
    return Answer(data, "\n".join([*lines, f"Next: {data['next']}"]))


def _report(run: WaveRun) -> str:
    row = next((row for row in reversed(run.journal.rows()) if row["act"] == "over"), {})
    return str(row.get("report") or "")


def next_step(run: WaveRun, lives: bool) -> str:
    """Return what comes next."""
    if run.state.result == COMPLETED:
        return after(run.place.project) if run.place.project else "tell the user; then review the work"
    if run.state.result:
        return f"tell the user `why`; when that is fixed: `{run.call('waves resume')}`"
    if lives:
        return f"`{verb('waves wait')}`"
    return f"the supervisor is gone: `{run.call('waves resume')}`"


def started(run: WaveRun, limits: dict[str, Any], how: str) -> Answer:
    """Answer that waves are under way."""
    waves = sorted({one.wave for one in run.state.sessions.values()})
    words = f"{counted(len(run.state.sessions), 'session')} in {counted(len(waves), 'wave')}"
    data = {
        "ok": True,
        "waves": how,
        "sessions": len(run.state.sessions),
        "in_waves": len(waves),
        "ceiling": limits,
    }
    next_words = f"tell the user this in one line, then `{verb('waves wait')}`"
    return Answer(
        {**data, "next": next_words},
        f"{how.capitalize()}: {words}; {ceiling_line(limits)}.\nNext: {verb('waves wait')}",
    )
