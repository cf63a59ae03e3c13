"""End a run: exit conditions, the audit, the result that follows from both, and word for whoever comes next."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.run.assignment import read_plan_bytes
from ultra_runtime.run.audit import DRIFT, audit
from ultra_runtime.run.ending import write_session_state
from ultra_runtime.run.lock import FILE
from ultra_runtime.run.policy import BLOCK, WARN, judge, scan
from ultra_runtime.run.progress import COMPLETED, IN_PROGRESS, PARTIAL, STOPPED, now
from ultra_runtime.run.report import Exits, summarise, write_report
from ultra_runtime.run.shell import open_logs, run_command
from ultra_runtime.run.stats import append
from ultra_runtime.run.workspace import replace
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.plan.inline import Command
    from ultra_runtime.run.live import Live

REPORT = "report{tail}.md"
EXIT_SECONDS = 540.0


class Finished:
    """What came of it."""

    def __init__(self, summary: dict[str, Any], report: str, path: str, warnings: list[str]) -> None:
        self.summary = summary
        self.report = report
        self.path = path
        self.warnings = warnings


def finish(live: Live, data_folder: str | None) -> Finished:
    """End the live run and say how it ended."""
    _refuse_early(live)
    exits = _check_exits(live)
    head = live.git.head()
    live.git.set_refs(live.place.slug, {"end": head})
    found = audit(live.git, live.place, read_plan_bytes(live.place.plan))
    result = _result(live, exits, found.status)
    summary = summarise(live, result, exits, found)
    advisories = [str(one) for one in scan(live.assignment.plan) if one.verdict.verdict in (WARN, BLOCK)]
    report = write_report(live, summary, exits, found, advisories)
    path = _write_report(live, report)
    live.progress.change(
        status=result,
        session_end_sha=head,
        exit_condition_checked=exits.status in ("pass", "fail"),
        manifest_audit={"status": found.status, "drift_details": found.details()},
        summary=summary,
    )
    if result == COMPLETED:
        live.progress.change(completed_at=now())
    live.progress.save()
    warnings = [problem for problem in [write_session_state(live.git, live.place, result)] if problem]
    if data_folder:
        warnings += [
            f"no statistics: {problem}" for problem in [_count(live, summary, data_folder)] if problem
        ]
    release(live)
    return Finished(summary, report, path, warnings)


def release(live: Live) -> None:
    """Let go of the tree; the facts stay in git."""
    live.workspace.remove(FILE)
    if live.records.read() is None:
        live.snapshots.forget()


def abort(live: Live) -> str:
    """End a run that is stuck, as it stands, and return its status."""
    if not live.ended:
        live.progress.change(status=STOPPED)
        live.progress.save()
    write_session_state(live.git, live.place, live.progress.status)
    release(live)
    return live.progress.status


def _refuse_early(live: Live) -> None:
    if live.ended:
        return
    record = live.records.read()
    turn = live.turn()
    if turn is None:
        return
    abandon = "or end it as it is with `ultra run abort`"
    if record and record.number == turn and record.verified:
        raise RefusedError(
            f"step {turn} has passed and is not committed", f"`ultra step commit {turn}`, {abandon}"
        )
    if live.progress.state(turn) == IN_PROGRESS:
        raise RefusedError(f"step {turn} is under way", f"go on with `ultra step verify {turn}`, {abandon}")
    raise RefusedError(f"step {turn} has not been done", f"go on with `ultra step begin {turn}`, {abandon}")


def _result(live: Live, exits: Exits, audited: str) -> str:
    if live.ended:
        return live.progress.status
    if not live.all_over() or exits.status == "fail" or audited == DRIFT:
        return PARTIAL
    return COMPLETED


def _check_exits(live: Live) -> Exits:
    """Run the exit conditions when every step is over; prose among them is told and decides nothing."""
    commands = [one for one in live.assignment.exits if one.command]
    if not commands:
        return Exits("n/a", [])
    if live.ended or not live.all_over():
        return Exits("skipped", [])
    problems = [_exit_problem(live, number, one) for number, one in enumerate(commands, 1)]
    rows = [problem for problem in problems if problem]
    prose = [f"for a person to see: {one_line(one.text)}" for one in live.assignment.exits if not one.command]
    return Exits("fail" if rows else "pass", [*rows, *prose])


def _exit_problem(live: Live, number: int, one: Command) -> str:
    command = one.command or ""
    verdict = judge(command)
    if verdict.verdict == BLOCK:
        return f"`{one_line(command)}` is blocked and was not run: {verdict.reason}"
    outcome = run_command(live.place, command, f"exit-condition-{number}.log", EXIT_SECONDS)
    if outcome.late:
        return f"`{one_line(command)}` did not end in time"
    if outcome.status:
        return f"`{one_line(command)}` ended with exit status {outcome.status}, see {outcome.log}"
    if one.literal and not outcome.contains(one.expected):
        return f"`{one_line(command)}` did not print {one_line(one.expected, 120)}, see {outcome.log}"
    return ""


def _write_report(live: Live, report: str) -> str:
    tail = "" if live.place.session is None else f"-session-{live.place.session}"
    path = open_logs(live.place, REPORT.format(tail=tail))
    replace(path, report.encode("utf-8", "surrogateescape"))
    return live.place.show(path)


def _count(live: Live, summary: dict[str, Any], folder: str) -> str:
    names = (
        "plan_type",
        "result",
        "steps_total",
        "steps_passed",
        "steps_failed",
        "steps_skipped",
        "failed_at_step",
    )
    values = {"plan": os.path.basename(live.place.shown)[:100], "mode": live.progress.values["mode"]}
    try:
        return append("execute", {**values, **{name: summary[name] for name in names}}, folder)
    except Exception as problem:  # statistics never stop a run
        return type(problem).__name__
