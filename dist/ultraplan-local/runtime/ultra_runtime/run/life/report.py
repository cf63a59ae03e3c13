"""The final report and the summary: made from what is on record, never from what somebody says."""

from __future__ import annotations

from ultra_runtime.run.state.progress import BLOCKED, COMPLETED, FAILED, IN_PROGRESS, PENDING, SKIPPED
from ultra_runtime.tables.limits import ATTEMPTS
from ultra_runtime.words import one_line

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
    IN_PROGRESS: "under way",
    PENDING: "not reached",
}


def summarise(live: Live, result: str, exits: Exits, audit: Audit) -> dict[str, Any]:
    """Return what stands under `ultraexecute_summary`."""
    progress, counted = live.progress, live.assignment.counted
    own = live.assignment.numbers
    failed = [number for number in own if progress.state(number) in (FAILED, BLOCKED)]
    reached = [COMPLETED, FAILED, SKIPPED, BLOCKED]
    return {
        "plan": live.place.shown,
        "plan_type": live.assignment.plan.kind,
        "plan_version": progress.values["plan_version"],
        "result": result,
        "steps_total": len(counted),
        "steps_passed": progress.counted(COMPLETED, counted),
        "steps_failed": progress.counted(FAILED, counted),
        "steps_skipped": progress.counted(SKIPPED, counted),
        "steps_not_reached": sum(progress.state(number) not in reached for number in counted),
        "steps_blocked": progress.counted(BLOCKED, own),
        "failed_at_step": failed[0] if failed else None,
        "exit_condition": exits.status,
        "manifest_audit": audit.status,
        "drift_details": audit.details(),
        "recovery_dispatched": bool(progress.values.get("recovery_dispatched", False)),
        "recovery_depth": int(progress.values.get("recovery_depth", 0)),
        "legacy_plan": live.assignment.plan.legacy,
        "progress_file": live.place.show(live.place.progress),
    }


def write_report(
    live: Live, summary: dict[str, Any], exits: Exits, audit: Audit, advisories: list[str]
) -> str:
    """Return the report as Markdown."""
    result = summary["result"]
    lines = [
        f"## {_title(summary)}",
        "",
        f"- Plan: {live.place.shown} ({summary['plan_type']}, version {summary['plan_version']})",
        f"- Mode: {live.progress.values['mode']}" + (f" {live.target}" if live.target is not None else ""),
        f"- Result: **{result}**",
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
        *(f"- {one_line(str(drift), 400)}" for drift in audit.drifts),
    ]
    lines += _section(
        "Exit conditions", [exits.status, *exits.rows, *exits.held] if exits.status != "n/a" else []
    )
    lines += _section("Security advisories and blocks", advisories)
    lines += _section("Findings", live.lock.get("findings") or [])
    lines += ["", "### Summary", "", _counts(summary)]
    lines += _section("Failure details", failures(live))
    lines += _section("What remains", _remaining(live, result))
    return "\n".join(lines) + "\n"


def _title(summary: dict[str, Any]) -> str:
    at = summary["failed_at_step"]
    where = f" at step {at}" if at is not None else ""
    return (
        f"Execution {summary['result']}{where}: {summary['steps_passed']} of {summary['steps_total']} steps"
    )


def told_steps(live: Live) -> list[str]:
    """Return number, title and result of each step, for whoever has not seen them all."""
    state = live.progress.state
    return [
        f"{step.number} {one_line(step.title, 80)}: {WORDS.get(state(step.number), state(step.number))}"
        for step in live.assignment.steps
    ]


def _rows(live: Live) -> list[str]:
    rows = []
    for step in live.assignment.steps:
        told = live.progress.step(step.number)
        cells = [
            str(step.number),
            one_line(step.title, 80).replace("|", "\\|"),
            WORDS.get(live.progress.state(step.number), live.progress.state(step.number)),
            str(told.get("attempts", 0)),
            str(told.get("commit") or "")[:10] or "none",
            str(told.get("manifest_audit") or "none"),
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _counts(summary: dict[str, Any]) -> str:
    named = ("passed", "failed", "skipped", "not_reached", "blocked")
    parts = [f"{summary[f'steps_{name}']} {name.replace('_', ' ')}" for name in named]
    return f"{summary['steps_total']} steps: {', '.join(parts)}."


def _section(title: str, rows: list[str]) -> list[str]:
    return ["", f"### {title}", "", *(f"- {one_line(row, 1000)}" for row in rows)] if rows else []


def failures(live: Live) -> list[str]:
    """Return why each step failed that did."""
    rows = []
    for step in live.assignment.steps:
        told = live.progress.step(step.number)
        if live.progress.state(step.number) in (FAILED, BLOCKED, SKIPPED) and told.get("error"):
            attempts = f"{told.get('attempts', 0)} of {ATTEMPTS} attempts"
            rows.append(
                f"Step {step.number} ({step.title}), on failure {step.on_failure}, {attempts}: {told['error']}"
            )
    return rows


def _remaining(live: Live, result: str) -> list[str]:
    if result == COMPLETED:
        return []
    open_steps = [
        f"Step {step.number}: {step.title}"
        for step in live.assignment.steps
        if live.progress.state(step.number) not in (COMPLETED, SKIPPED)
    ]
    return [*open_steps, f"To go on: {live.command('--resume')}"]
