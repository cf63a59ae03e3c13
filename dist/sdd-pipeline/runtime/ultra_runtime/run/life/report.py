"""Write the final report and the summary from the recorded facts alone."""

from __future__ import annotations

from ultra_runtime.files.price import rounded
from ultra_runtime.files.session_tokens import session_tokens
from ultra_runtime.run.life.audit import NOT_AUDITED
from ultra_runtime.run.life.exits import NO_COMMAND
from ultra_runtime.run.state.shell_call import first_lines, newest_log
from ultra_runtime.run.state.statuses import (
    BLOCKED,
    COMPLETED,
    FAILED,
    FAILED_BEFORE,
    IN_PROGRESS,
    PARTIAL,
    PENDING,
    SKIPPED,
)
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.tables.limits import TOKENS_RUN, TOKENS_STEP
from ultra_runtime.text.jsontext import write
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.run.life.audit import Audit
    from ultra_runtime.run.life.exits import Exits
    from ultra_runtime.run.state.live import Live

WORDS = {
    COMPLETED: "pass",
    FAILED: "FAIL",
    SKIPPED: "skipped",
    BLOCKED: "BLOCKED",
    IN_PROGRESS: "in progress",
    PENDING: "not reached",
}
NOT_REACHED, BLOCKED_STEPS, PROOF = "steps_not_reached", "steps_blocked", "proof"
SUMMARY = "ultraexecute_summary"
MOST_OUTPUT = 20
COUNTED = (
    fields.STATS_PLAN_TYPE,
    fields.STATS_RESULT,
    fields.STATS_STEPS_TOTAL,
    fields.STATS_STEPS_PASSED,
    fields.STATS_STEPS_FAILED,
    fields.STATS_STEPS_SKIPPED,
    fields.STATS_FAILED_AT_STEP,
)
"""What the statistics take from the summary."""


def summarise(live: Live, result: str, exits: Exits, audit: Audit, proof: str) -> dict[str, Any]:
    """Return the value of SUMMARY."""
    progress, counted = live.progress, live.assignment.counted
    own = live.assignment.numbers
    failed = [number for number in own if progress.state(number) in (FAILED, BLOCKED)]
    reached = [COMPLETED, FAILED, SKIPPED, BLOCKED]
    return {
        fields.PLAN: live.place.shown,
        fields.STATS_PLAN_TYPE: live.assignment.plan.kind,
        fields.PLAN_VERSION: progress.values[fields.PLAN_VERSION],
        fields.STATS_RESULT: result,
        fields.STATS_STEPS_TOTAL: len(counted),
        fields.STATS_STEPS_PASSED: progress.counted(COMPLETED, counted),
        fields.STATS_STEPS_FAILED: progress.counted(FAILED, counted),
        fields.STATS_STEPS_SKIPPED: progress.counted(SKIPPED, counted),
        NOT_REACHED: sum(progress.state(number) not in reached for number in counted),
        BLOCKED_STEPS: progress.counted(BLOCKED, own),
        fields.STATS_FAILED_AT_STEP: failed[0] if failed else None,
        "exit_condition": exits.status,
        PROOF: proof,
        fields.MANIFEST_AUDIT: audit.status,
        fields.MANIFEST_AUDIT_DRIFT_DETAILS: audit.details(),
        fields.RECOVERY_DISPATCHED: bool(progress.values.get(fields.RECOVERY_DISPATCHED, False)),
        fields.RECOVERY_DEPTH: int(progress.values.get(fields.RECOVERY_DEPTH, 0)),
        fields.LEGACY_PLAN: live.assignment.plan.legacy,
        "progress_file": live.place.show(live.place.progress),
    }


def write_report(
    live: Live, summary: dict[str, Any], exits: Exits, audit: Audit, advisories: list[str]
) -> str:
    """Return the report as Markdown."""
    result = summary[fields.STATS_RESULT]
    lines = [
        f"## {_title(summary)}",
        "",
        f"- Plan: {live.place.shown} ({summary[fields.STATS_PLAN_TYPE]}, version {summary[fields.PLAN_VERSION]})",
        f"- Mode: {live.progress.values[fields.MODE]}"
        + (f" {live.target}" if live.target is not None else ""),
        f"- Result: **{result}**",
        f"- Proof: {one_line(summary[PROOF], 400)}",
        f"- Legacy plan: {'yes' if summary[fields.LEGACY_PLAN] else 'no'}",
        f"- Recovery: {_recovery(summary)}",
        "",
        "### Steps",
        "",
        "| Step | Description | Result | Attempts | Commit | Manifest |",
        "|---|---|---|---|---|---|",
        *_rows(live),
        "",
        "### Manifest audit",
        "",
        f"{audit.status} (commits from {audit.source})",
        *(f"- {one_line(str(drift), 600)}" for drift in audit.drifts),
        *(f"- note: {one_line(note, 400)}" for note in audit.notes),
    ]
    lines += _section(
        "Exit conditions",
        [*([exits.status] if exits.status != NO_COMMAND else []), *exits.rows, *exits.held, *exits.to_check],
    )
    lines += _section("Security advisories and blocks", advisories)
    lines += _section("Findings", live.lock.get("findings") or [])
    lines += ["", "### Summary", "", _counts(summary)]
    lines += [*_section("Failure details", failures(live)), *_outputs(live)]
    lines += _section("What remains", _remaining(live, result))
    return "\n".join(lines) + "\n"


def summary_line(summary: dict[str, Any], short: bool = False) -> str:
    """Return the summary as one line that grep finds; a short one leaves out empty values and the plan."""
    if short:
        known = (fields.PLAN, "progress_file", fields.STATS_PLAN_TYPE, fields.PLAN_VERSION)
        summary = {name: value for name, value in summary.items() if value and name not in known}
    return write({SUMMARY: summary})


def _recovery(summary: dict[str, Any]) -> str:
    depth = summary[fields.RECOVERY_DEPTH]
    return f"depth {depth}" if summary[fields.RECOVERY_DISPATCHED] or depth else "none"


def _outputs(live: Live) -> list[str]:
    """Return the first lines that the last Verify of each failed step printed, and the log that has them all."""
    lines = []
    for step in live.assignment.steps:
        failed = live.progress.state(step.number) in (FAILED, BLOCKED)
        log = newest_log(live.place, f"step-{step.number}-verify-") if failed else ""
        if log:
            shown = live.place.show(log)
            lines += ["", f"Step {step.number}, first {MOST_OUTPUT} lines of {shown}:", ""]
            lines += [f"    {line}" for line in first_lines(log, MOST_OUTPUT)]
    return lines


def _title(summary: dict[str, Any]) -> str:
    at = summary[fields.STATS_FAILED_AT_STEP]
    where = f" at step {at}" if at is not None else ""
    passed, total = summary[fields.STATS_STEPS_PASSED], summary[fields.STATS_STEPS_TOTAL]
    return f"Execution {summary[fields.STATS_RESULT]}{where}: {passed} of {total} steps"


def step_results(live: Live) -> list[str]:
    """Return number, title and result of each step."""
    state = live.progress.state
    return [
        f"{step.number} {one_line(step.title, 80)}: {WORDS.get(state(step.number), state(step.number))}"
        for step in live.assignment.steps
    ]


def used(live: Live) -> str:
    """Return what the run took: attempts, and the tokens of the session; without its record, those of the protocol."""
    steps = [step.number for step in live.assignment.steps if step.number in live.assignment.counted]
    attempts = sum(live.progress.attempts(number) for number in steps)
    taken = f"no agents, {counted(attempts, 'attempt')} at {counted(len(steps), 'step')}"
    failed = tuple(f"step {number} {FAILED_BEFORE} " for number in steps)
    if any(one.startswith(failed) for one in live.lock.get("findings", ())):
        taken += ", not counting those that a resume reset"
    found = session_tokens()
    if found is None:
        return f"{taken}, about {rounded(TOKENS_RUN + TOKENS_STEP * max(attempts, 1))} tokens of protocol"
    return f"{taken}; tokens since its start: {found.written:,} written, {found.read:,} read ({found.cached:,} cached)"


def _rows(live: Live) -> list[str]:
    rows = []
    for step in live.assignment.steps:
        record = live.progress.step(step.number)
        cells = [
            str(step.number),
            one_line(step.title, 80).replace("|", "\\|"),
            WORDS.get(live.progress.state(step.number), live.progress.state(step.number)),
            str(record.get(fields.STEPS_ATTEMPTS, 0)),
            str(record.get(fields.STEPS_COMMIT) or "")[:10] or "none",
            str(record.get(fields.STEPS_MANIFEST_AUDIT) or NOT_AUDITED),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _counts(summary: dict[str, Any]) -> str:
    named = {
        fields.STATS_STEPS_PASSED: "passed",
        fields.STATS_STEPS_FAILED: "failed",
        fields.STATS_STEPS_SKIPPED: "skipped",
        NOT_REACHED: "not reached",
        BLOCKED_STEPS: "blocked",
    }
    parts = [f"{summary[name]} {words}" for name, words in named.items()]
    return f"{counted(summary[fields.STATS_STEPS_TOTAL], 'step')}: {', '.join(parts)}."


def _section(title: str, rows: list[str]) -> list[str]:
    return ["", f"### {title}", "", *(f"- {one_line(row, 1000)}" for row in rows)] if rows else []


def failures(live: Live) -> list[str]:
    """Return why each failed, blocked or skipped step failed."""
    rows = []
    for step in live.assignment.steps:
        record = live.progress.step(step.number)
        if live.progress.state(step.number) in (FAILED, BLOCKED, SKIPPED) and record.get(fields.STEPS_ERROR):
            used = live.progress.attempts(step.number)
            attempts = f"{used} of {counted(live.attempts_of(step, used), 'attempt')}"
            name = f"Step {step.number} ({step.title})"
            rows.append(f"{name}, on failure {step.on_failure}, {attempts}: {record[fields.STEPS_ERROR]}")
    return rows


def _remaining(live: Live, result: str) -> list[str]:
    if result == COMPLETED:
        return []
    open_steps = [
        f"Step {step.number}: {step.title}"
        for step in live.assignment.steps
        if live.progress.state(step.number) not in (COMPLETED, SKIPPED)
    ]
    first = "First fix what differs, then continue" if result == PARTIAL and not open_steps else "To continue"
    return [*open_steps, f"{first}: {live.command('--resume')}"]
