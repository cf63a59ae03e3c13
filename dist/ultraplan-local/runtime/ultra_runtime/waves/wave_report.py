"""The end of waves: the line in the journal, the report, the summary and the session state."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.run.life.ending import write_session_state
from ultra_runtime.run.life.exits import FAIL, NO_COMMAND, PASS
from ultra_runtime.run.life.report import BLOCKED_STEPS, COUNTED, NOT_REACHED
from ultra_runtime.run.life.stats import LONGEST_TEXT, count
from ultra_runtime.run.life.wave_lines import head_line
from ultra_runtime.run.state.past import free_path
from ultra_runtime.run.state.progress import KIND, read_progress
from ultra_runtime.run.state.shell_call import open_logs
from ultra_runtime.run.state.statuses import BLOCKED, COMPLETED, FAILED, PENDING, SKIPPED
from ultra_runtime.run.state.wave_state import BROKEN, MERGED
from ultra_runtime.run.tree.workspace import replace
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_run import WaveRun

REPORT = "waves-report.md"


def write_end(run: WaveRun, result: str, why: list[str]) -> None:
    """Write the report and the session state, then that the waves are over."""
    text = report_text(run, result, why)
    path = open_logs(run.place, REPORT)
    if os.path.lexists(path):
        os.replace(path, free_path(path))
    replace(path, text.encode("utf-8", "surrogateescape"))
    write_session_state(run.git, run.place, result)
    run.note("over", result=result, why=why, report=run.place.show(path))
    count(KIND, _counted(run, result), run.state.begin.get("data"))


def _counted(run: WaveRun, result: str) -> dict[str, Any]:
    """Return the values of the line of statistics."""
    values, stands = summary(run, result), run.state.sessions.values()
    return {
        **{name: values[name] for name in (*COUNTED, fields.RECOVERY_DISPATCHED, fields.RECOVERY_DEPTH)},
        fields.STATS_PLAN: os.path.basename(run.place.shown)[:LONGEST_TEXT],
        fields.STATS_MODE: fields.STATS_MODE_WAVES,
        fields.STATS_SESSIONS: len(stands),
        fields.STATS_SESSIONS_MERGED: sum(one.state == MERGED for one in stands),
        fields.STATS_WAVES: len({one.wave for one in stands}),
    }


def told(problem: Exception) -> str:
    """Return an error in one line, with its remedy."""
    if isinstance(problem, RefusedError):
        return one_line(f"{problem.error}: {problem.next_step}", 400)
    return one_line(str(problem), 400)


def summary(run: WaveRun, result: str) -> dict[str, Any]:
    """Return the value of `ultraexecute_summary`."""
    stands = list(run.state.sessions.values())
    states = _step_states(run)
    failed = sorted(step for step, state in states.items() if state in (FAILED, BLOCKED))
    reached = (COMPLETED, FAILED, SKIPPED, BLOCKED)
    broken = [one for one in stands if one.state in BROKEN]
    red = any(wave.red for wave in run.state.waves.values())
    audit = fields.MANIFEST_AUDIT_STATUS_DRIFT if broken else NO_COMMAND
    if result == COMPLETED:
        audit = fields.MANIFEST_AUDIT_STATUS_PASS
    return {
        fields.PLAN: run.place.shown,
        fields.STATS_PLAN_TYPE: run.plan.kind,
        fields.PLAN_VERSION: run.plan.version,
        fields.STATS_RESULT: result,
        fields.STATS_STEPS_TOTAL: len(states),
        fields.STATS_STEPS_PASSED: sum(
            states[step] == COMPLETED for one in stands if one.state == MERGED for step in one.steps
        ),
        fields.STATS_STEPS_FAILED: list(states.values()).count(FAILED),
        fields.STATS_STEPS_SKIPPED: list(states.values()).count(SKIPPED),
        NOT_REACHED: sum(state not in reached for state in states.values()),
        BLOCKED_STEPS: list(states.values()).count(BLOCKED),
        fields.STATS_FAILED_AT_STEP: failed[0] if failed else None,
        "exit_condition": PASS if result == COMPLETED else FAIL if red else NO_COMMAND,
        fields.MANIFEST_AUDIT: audit,
        fields.MANIFEST_AUDIT_DRIFT_DETAILS: [f"session {one.number}: {one.why}" for one in broken],
        "waves": wave_data(stands),
        "sessions": [session_data(one) for one in stands],
        fields.RECOVERY_DISPATCHED: any(one.depth for one in stands),
        fields.RECOVERY_DEPTH: max((one.depth for one in stands), default=0),
        fields.LEGACY_PLAN: run.plan.legacy,
    }


def wave_data(stands: list[SessionStand]) -> list[dict[str, Any]]:
    """Return what the sessions of each wave have used, summed."""
    rows = []
    for wave in sorted({one.wave for one in stands}):
        own = [one for one in stands if one.wave == wave]
        used = {
            "seconds": sum(one.seconds for one in own), "tokens": sum(one.tokens for one in own),
            "dollars": round(sum(one.dollars for one in own), 4),
        }  # fmt: skip
        rows.append({"wave": wave, "sessions": len(own), **used})
    return rows


def _step_states(run: WaveRun) -> dict[int, str]:
    """Return the state of each step: what is merged is completed or was skipped, the others are as their run left them."""
    states: dict[int, str] = {}
    for one in run.state.sessions.values():
        progress = read_progress(run.place.of_session(one.number).progress)[0]
        for step in one.steps:
            state = progress.state(step) if progress else PENDING
            states[step] = COMPLETED if one.state == MERGED and state != SKIPPED else state
    return states


def session_data(one: SessionStand) -> dict[str, Any]:
    """Return a session as data for an answer."""
    data: dict[str, Any] = {
        "session": one.number, "wave": one.wave, "state": one.state, "steps": len(one.steps),
        "attempts": one.attempt, "seconds": one.seconds, "tokens": one.tokens, "dollars": round(one.dollars, 4),
    }  # fmt: skip
    for name, value in (
        ("why", one.why),
        ("commit", one.merged),
        ("recovery", one.depth),
        ("rescued", one.rescued),
    ):
        if value:
            data[name] = value
    return data


def report_text(run: WaveRun, result: str, why: list[str]) -> str:
    """Return the report as Markdown."""
    stands = list(run.state.sessions.values())
    lines = [
        f"## {head_line(run.state, result)}",
        "",
        f"- Plan: {run.place.shown}",
        f"- Result: **{result}**",
        f"- Branch: {run.state.begin['branch']}, at {run.git.head()[:12]}",
        f"- Used: {sum(one.tokens for one in stands)} tokens, ${run.state.dollars:.2f}, as the client says",
        "",
        "### Sessions",
        "",
        "| Session | Wave | Steps | Attempts | Minutes | Tokens | Dollars | Merge | State |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_row(one) for one in stands),
    ]
    lines += _section("Used", [_used(row) for row in wave_data(stands)])
    lines += _section("Why", why)
    lines += _section(
        "Recovery",
        [
            f"session {one.number}: {counted(one.depth, 'attempt')} at its missing steps"
            for one in stands
            if one.depth
        ],
    )
    lines += _section("Kept", [f"{ref} (session {one.number})" for one in stands for ref in one.rescued])
    if result != COMPLETED:
        left = [f"session {one.number}: {one.title}" for one in stands if one.state != MERGED]
        lines += _section("What remains", [*left, f"To continue: `{run.call('waves resume')}`"])
    return "\n".join([*lines, ""])


def _row(one: SessionStand) -> str:
    cells = [
        f"{one.number}: {one_line(one.title, 60)}", one.wave, len(one.steps), one.attempt, f"{one.seconds / 60:.1f}",
        one.tokens, f"{one.dollars:.2f}", one.merged[:12] or "none", one.state,
    ]  # fmt: skip
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |"


def _used(row: dict[str, Any]) -> str:
    minutes, tokens, dollars = row["seconds"] / 60, row["tokens"], row["dollars"]
    count = counted(row["sessions"], "session")
    return f"Wave {row['wave']}: {count}, {minutes:.1f} minutes, {tokens} tokens, ${dollars:.2f}"


def _section(title: str, rows: list[str]) -> list[str]:
    return ["", f"### {title}", "", *(f"- {one_line(row, 1000)}" for row in rows)] if rows else []
