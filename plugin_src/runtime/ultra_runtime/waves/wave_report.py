"""The end of waves: the line in the journal, the report, the summary and the session state."""

from __future__ import annotations

import os

from ultra_runtime.run.life.ending import write_session_state
from ultra_runtime.run.state.past import free_path
from ultra_runtime.run.state.shell_call import open_logs
from ultra_runtime.run.state.statuses import COMPLETED
from ultra_runtime.run.state.wave_state import MERGED
from ultra_runtime.run.tree.workspace import replace
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.waves.stand_lines import head_line
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


def summary(run: WaveRun, result: str) -> dict[str, Any]:
    """Return the value of `ultraexecute_summary`."""
    stands = list(run.state.sessions.values())
    steps = [step for one in stands for step in one.steps]
    merged = [step for one in stands if one.state == MERGED for step in one.steps]
    return {
        fields.PLAN: run.place.shown,
        fields.STATS_PLAN_TYPE: run.plan.kind,
        fields.PLAN_VERSION: run.plan.version,
        fields.STATS_RESULT: result,
        fields.STATS_STEPS_TOTAL: len(steps),
        fields.STATS_STEPS_PASSED: len(merged),
        "sessions": [session_data(one) for one in stands],
        fields.RECOVERY_DISPATCHED: any(one.depth for one in stands),
        fields.RECOVERY_DEPTH: max((one.depth for one in stands), default=0),
        fields.LEGACY_PLAN: run.plan.legacy,
    }


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
        f"## {head_line(run, result)}",
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


def _section(title: str, rows: list[str]) -> list[str]:
    return ["", f"### {title}", "", *(f"- {one_line(row, 1000)}" for row in rows)] if rows else []
