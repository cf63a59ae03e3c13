"""The way from a review to its mending: which findings are goals, and whether a run has mended them since."""

from __future__ import annotations

import os

from ultra_runtime.files.digest import sha256
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import PLAN_FILE, PROGRESS, progress_files
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import PLAN as PLAN_KIND
from ultra_runtime.review.severities import SECTIONS, VERDICTS
from ultra_runtime.tables.fields import plan_fields, progress_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.text.markdown import parse
from ultra_runtime.text.timestamp import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.files.project import Project

FINDINGS = plan_fields.SOURCE_FINDINGS
OPEN, PLANNED, MENDED = "open", "planned", "mended"
EPOCH = instant("1970-01-01T00:00Z") or 0
SECOND = (instant("1970-01-01T00:00:01Z") or 0) - EPOCH


def goals_of(review: str) -> list[dict[str, str]]:
    """Return the findings of a review that have to be mended, the gravest first."""
    data = frontmatter.parse(read_regular(review))
    document = parse(data.body, data.body_line)
    goals = []
    for severity in VERDICTS:
        section = document.section(SECTIONS[severity])
        if section is None:
            continue
        for heading in document.headings:
            if heading.level == section.level + 1 and section.line < heading.line < section.end:
                goals.append({"id": heading.title.strip(), "severity": severity})
    return goals


def taken_up(project: Project) -> list[str]:
    """Return the findings that the plan of the project takes up; none when it was not made from a review."""
    try:
        values = frontmatter.parse(read_regular(project.path(PLAN_FILE)), {FINDINGS: "list"}).values or {}
    except UnreadableError:
        return []
    found = values.get(FINDINGS)
    return [str(one) for one in found] if isinstance(found, list) else []


def standing(project: Project, review: str) -> str:
    """Return how far the goals of a review are: open, planned since it was written, or mended by a run of that plan."""
    try:
        goals = {one["id"] for one in goals_of(review)}
        written = os.stat(review).st_mtime_ns
        planned = os.stat(project.path(PLAN_FILE)).st_mtime_ns
    except (UnreadableError, OSError):
        return OPEN
    if not goals or not goals <= set(taken_up(project)) or planned < written:
        return OPEN
    return MENDED if _is_carried_out(project, planned) else PLANNED


def _is_carried_out(project: Project, planned: int) -> bool:
    """Tell whether the plan that is there was completed: as a whole, or session by session since it was written."""
    try:
        whole = _completed(project, PROGRESS)
        if whole is not None:
            return whole.get(progress_fields.PLAN_DIGEST) == sha256(read_regular(project.path(PLAN_FILE)))
        runs = [_completed(project, name) for name in progress_files(project.folder) if name != PROGRESS]
        sessions = read(read_regular(project.path(PLAN_FILE)), PLAN_KIND).sessions
    except UnreadableError:
        return False
    if not sessions or len(runs) < len(sessions):
        return False
    # A time of a run has whole seconds, that of a file has parts of them.
    return all(run is not None and _ended(run) + SECOND > planned for run in runs)


def _completed(project: Project, name: str) -> Mapping[str, Any] | None:
    """Return what a run wrote down, if it is there and says that it was completed."""
    values = read_json(project.path(name))
    return values if values.get(progress_fields.STATUS) == progress_fields.STATUS_COMPLETED else None


def _ended(run: Mapping[str, Any]) -> int:
    return (
        instant(str(run.get(progress_fields.COMPLETED_AT) or run.get(progress_fields.UPDATED_AT) or ""))
        or EPOCH
    ) - EPOCH
