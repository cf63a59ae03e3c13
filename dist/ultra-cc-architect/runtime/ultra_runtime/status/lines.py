"""Where a project stands, in a few lines and as data."""

from __future__ import annotations

from ultra_runtime.standing.project_standing import OVER, ProjectStanding
from ultra_runtime.typed import Any
from ultra_runtime.words import one_line

MOST_ISSUES = 3


def lines_of(standing: ProjectStanding) -> list[str]:
    """Return a few lines that show where a project stands."""
    coming = standing.coming
    rows = [
        ("Project", standing.project.shown),
        ("Task", standing.task),
        *(row for part in standing.parts for row in part.rows()),
        *(("Problem", issue) for issue in standing.issues[:MOST_ISSUES]),
        ("Next", f"{coming.command}  ({coming.reason})" if coming.command else coming.reason),
    ]
    return [f"{title:8} {one_line(text, 500)}" for title, text in rows if text]


def data_of(standing: ProjectStanding) -> dict[str, Any]:
    """Return the same as JSON data."""
    data: dict[str, Any] = {"ok": True, "project": standing.project.shown, "task": standing.task}
    for part in standing.parts:
        data.update(part.data())
    if standing.issues:
        data["issues"] = standing.issues
    return {**data, **next_data(standing)}


def next_data(standing: ProjectStanding) -> dict[str, str]:
    """Return the current stage, the reason and the next command."""
    coming = standing.coming
    return {"stage": coming.stage, "reason": coming.reason, "next": coming.command or coming.reason}


def list_lines(projects: list[ProjectStanding]) -> list[str]:
    """Return one line per project."""
    width = min(60, max(len(one_line(standing.project.shown)) for standing in projects))
    return [f"{one_line(standing.project.shown):{width}}  {_where(standing)}" for standing in projects]


def list_data(projects: list[ProjectStanding]) -> list[dict[str, Any]]:
    """Return the projects as JSON data."""
    return [{"project": standing.project.shown, **next_data(standing)} for standing in projects]


def _where(standing: ProjectStanding) -> str:
    coming = standing.coming
    return coming.reason if coming.stage == OVER else f"{coming.stage}: {one_line(coming.reason, 200)}"
