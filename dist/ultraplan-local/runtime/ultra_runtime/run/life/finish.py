"""End a run: check the exit conditions, audit, decide the result, and write the report and the session state."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.settings import read_settings, settings_file, settings_of
from ultra_runtime.files.run_files import REPORT
from ultra_runtime.guard.policy import ALLOWED
from ultra_runtime.plan.commands import scan
from ultra_runtime.proof.background import FINISHING, background_of, make_job
from ultra_runtime.proof.drift import EXIT_FAILS, NOT_MADE
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.audit import NOT_AUDITED, audit, open_case
from ultra_runtime.run.life.ending import write_session_state
from ultra_runtime.run.life.exits import FAIL, PASS, judge_exits
from ultra_runtime.run.life.report import (
    COUNTED,
    failures,
    step_results,
    summarise,
    summary_line,
    write_report,
)
from ultra_runtime.run.life.stats import count
from ultra_runtime.run.state.assignment import read_plan_bytes
from ultra_runtime.run.state.judging import judge_of
from ultra_runtime.run.state.live import SETTINGS
from ultra_runtime.run.state.lock import drop_lock
from ultra_runtime.run.state.past import drop_findings, free_path, keep_findings
from ultra_runtime.run.state.progress import KIND
from ultra_runtime.run.state.shell_call import open_logs
from ultra_runtime.run.state.statuses import COMPLETED, IN_PROGRESS, PARTIAL, STOPPED
from ultra_runtime.run.step.checkpoint import keep_what_was_there
from ultra_runtime.run.step.strays import claim_commits, name_leftovers
from ultra_runtime.run.tree.workspace import replace
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.tables.fields import settings_fields
from ultra_runtime.tables.limits import FINISH_SECONDS
from ultra_runtime.text.timestamp import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ultra_runtime.proof.background import Background
    from ultra_runtime.proof.conditions import Tried
    from ultra_runtime.run.life.audit import Audit, Case
    from ultra_runtime.run.life.exits import Exits
    from ultra_runtime.run.state.live import Live


class Finished:
    """The result of `run finish`."""

    def __init__(self, summary: dict[str, Any], report: str, path: str) -> None:
        self.summary = summary
        self.report = report
        self.path = path
        self.steps: list[str] = []
        self.why: list[str] = []
        self.findings: list[str] = []
        self.to_check: Sequence[str] = ()
        self.warnings: list[str] = []


class Proving(Struct):
    """A proof that continues in its own process, and how far it is."""

    standing: str


def finish(
    live: Live, data_folder: str | None, seconds: float | None = None, mine: bool = False
) -> Finished | Proving:
    """End the live run and return its result; a proof that needs longer than `seconds` continues in the background.

    `mine` when the user claims the commits since the last step.
    """
    _refuse_early(live)
    if mine:
        claim_commits(live)
    keep_what_was_there(live)
    left = name_leftovers(live)
    head = live.git.head()
    case = open_case(live.git, live.place, read_plan_bytes(live.place.plan), head)
    _name_settings(live, case)
    tried = None
    if case and case.is_over and live.all_over() and not live.ended:
        background = background_of(live.workspace, live.place.slug)
        tried = _try(live, case, background, seconds)
        if tried is None:
            return Proving(background.standing())
    exits = judge_exits(live, case.exits() if case else [], tried, left)
    found = audit(case, tried)
    live.git.set_refs(live.place.slug, {"end": head})
    result = _result(live, exits, found)
    proof = tried.proof if tried else NOT_MADE
    summary = summarise(live, result, exits, found, proof)
    scanned = scan(live.assignment.plan, judge_of(live.place))
    advisories = [str(one) for one in scanned if one.verdict != ALLOWED]
    report = write_report(live, summary, exits, found, advisories)
    finished = Finished(summary, report, _write_report(live, report, summary))
    finished.steps, finished.findings = step_results(live), live.lock.get("findings") or []
    finished.why = [*failures(live), *_differences(exits, found), *_undone(live, found)]
    finished.to_check = exits.to_check
    live.progress.change(
        {
            fields.STATUS: result,
            fields.SESSION_END_SHA: head,
            fields.EXIT_CONDITION_CHECKED: exits.status == PASS,
            fields.SUMMARY: summary,
        }
    )
    if found.status != NOT_AUDITED:
        audited = {
            fields.MANIFEST_AUDIT_STATUS: found.status,
            fields.MANIFEST_AUDIT_DRIFT_DETAILS: found.details(),
        }
        live.progress.change({fields.MANIFEST_AUDIT: audited})
    if result == COMPLETED:
        live.progress.change({fields.COMPLETED_AT: now()})
    live.progress.save()
    warnings = [problem for problem in [write_session_state(live.git, live.place, result)] if problem]
    if data_folder:
        warnings += [
            f"no statistics: {problem}" for problem in [_count(live, summary, data_folder)] if problem
        ]
    finished.warnings = warnings
    release(live)
    return finished


def _name_settings(live: Live, case: Case | None) -> None:
    """Report settings that were changed during the run, which has used those of its start."""
    around = case.around() if case else None
    try:
        same = around is None or around.given == read_settings(live.workspace.root).given
    except RefusedError:
        same = False
    if not same:
        live.found(f"{settings_file()} was edited during the run, which used it as it was at the start")


def _try(live: Live, case: Case, background: Background, seconds: float | None) -> Tried | None:
    """Run the commands of the plan in a clean checkout of the end of the run."""
    settings = settings_of(live.lock.get(SETTINGS) or {})
    job = make_job(live.place, case.facts.end, case.conditions(), settings, case.around(), FINISHING)
    if seconds is None:
        seconds = live.limit(settings_fields.LIMITS_FINISH_SECONDS, FINISH_SECONDS)
    return background.run(job, seconds)


def release(live: Live) -> None:
    """Release the tree; the facts stay in git, and the findings stay for a resume."""
    background_of(live.workspace, live.place.slug).stop()
    if live.progress.status == COMPLETED:
        drop_findings(live)
    else:
        keep_findings(live.workspace, live.lock)
    drop_lock(live.workspace)
    if live.progress.status == COMPLETED:
        live.snapshots.forget()


def abort(live: Live) -> tuple[str, list[str]]:
    """End a run that is stuck, as it is; return its status, and what was saved of the user's."""
    if not live.ended:
        live.progress.change({fields.STATUS: STOPPED})
        live.progress.save()
    kept = keep_what_was_there(live)
    write_session_state(live.git, live.place, live.progress.status)
    release(live)
    return live.progress.status, kept


def _refuse_early(live: Live) -> None:
    if live.ended:
        return
    record = live.records.read()
    turn = live.turn()
    if turn is None:
        return
    abandon = f"or end it as it is with `{verb('run abort')}`"
    if record and record.number == turn and record.verified:
        raise RefusedError(
            f"step {turn} has passed but is not committed", f"`{verb('step commit')} {turn}`, {abandon}"
        )
    if live.progress.state(turn) == IN_PROGRESS:
        raise RefusedError(
            f"step {turn} is in progress", f"continue with `{verb('step verify')} {turn}`, {abandon}"
        )
    raise RefusedError(f"step {turn} is not done", f"continue with `{verb('step begin')} {turn}`, {abandon}")


def _result(live: Live, exits: Exits, found: Audit) -> str:
    if live.ended:
        return live.progress.status
    if not live.all_over() or exits.status == FAIL or found.drifts or found.missing or not found.completed:
        return PARTIAL
    return COMPLETED


def _differences(exits: Exits, found: Audit) -> list[str]:
    """Return what the proof found, each difference once."""
    others = [str(drift) for drift in found.drifts if drift.check != EXIT_FAILS or exits.status != FAIL]
    return [*exits.rows, *others]


def _undone(live: Live, found: Audit) -> list[str]:
    """Return why a run whose steps are all over is not completed."""
    if live.ended or not live.all_over():
        return []
    if not found.completed:
        return ["no step was completed"]
    return [
        f"step {number} is {live.progress.state(number)}, and its On failure is not skip"
        for number in found.missing
    ]


def _write_report(live: Live, report: str, summary: dict[str, Any]) -> str:
    path = open_logs(live.place, REPORT)
    if os.path.lexists(path):
        earlier = free_path(path)
        os.replace(path, earlier)
        report += f"\nThe previous report: {live.place.show(earlier)}\n"
    report += f"\n{summary_line(summary)}\n"
    replace(path, report.encode("utf-8", "surrogateescape"))
    return live.place.show(path)


def _count(live: Live, summary: dict[str, Any], folder: str) -> str:
    values = {name: summary[name] for name in COUNTED}
    values[fields.STATS_PLAN] = os.path.basename(live.place.shown)[:100]
    values[fields.STATS_MODE] = live.progress.values[fields.MODE]
    return count(KIND, values, folder)
