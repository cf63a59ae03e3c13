"""The way from a review to its mending: which findings are goals, and whether a run has mended them since."""

from __future__ import annotations

import os

from ultra_runtime import frontmatter
from ultra_runtime.jsontext import JsonError, read_object
from ultra_runtime.markdown import parse
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import PLAN as PLAN_KIND
from ultra_runtime.regular_file import UnreadableError, read_regular
from ultra_runtime.review_words import VERDICTS
from ultra_runtime.timestamp import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.project import Project

PLAN = "plan.md"
START, END = "progress", ".json"
FINDINGS = "source_findings"
OPEN, PLANNED, MENDED = "open", "planned", "mended"
EPOCH = instant("1970-01-01T00:00Z") or 0


def goals_of(review: str) -> list[dict[str, str]]:
    """Return the findings of a review that have to be mended, the gravest first."""
    data = frontmatter.parse(read_regular(review))
    document = parse(data.body, data.body_line)
    goals = []
    for severity in VERDICTS:
        section = document.section(f"Findings ({severity})")
        if section is None:
            continue
        for heading in document.headings:
            if heading.level == section.level + 1 and section.line < heading.line < section.end:
                goals.append({"id": heading.title.strip(), "severity": severity})
    return goals


def taken_up(project: Project) -> list[str]:
    """Return the findings that the plan of the project takes up; none when it was not made from a review."""
    try:
        values = frontmatter.parse(read_regular(project.path(PLAN)), {FINDINGS: "list"}).values or {}
    except UnreadableError:
        return []
    found = values.get(FINDINGS)
    return [str(one) for one in found] if isinstance(found, list) else []


def standing(project: Project, review: str) -> str:
    """Return how far the goals of a review are: open, planned since it was written, or mended by a run of that plan."""
    try:
        goals = {one["id"] for one in goals_of(review)}
        written = os.stat(review).st_mtime_ns
        planned = os.stat(project.path(PLAN)).st_mtime_ns
    except (UnreadableError, OSError):
        return OPEN
    if not goals or not goals <= set(taken_up(project)) or planned < written:
        return OPEN
    ended = _ended(project)
    return MENDED if ended is not None and ended > planned else PLANNED


def _ended(project: Project) -> int | None:
    """Return when the last run of the plan completed; nothing when one has not, or a session was never run."""
    ends = []
    files = [name for name in os.listdir(project.folder) if name.startswith(START) and name.endswith(END)]
    for name in files:
        try:
            values = read_object(read_regular(project.path(name))).values
        except (UnreadableError, JsonError):
            return None
        ended = instant(str(values.get("completed_at") or values.get("updated_at") or ""))
        if values.get("status") != "completed" or ended is None:
            return None
        ends.append(ended - EPOCH)
    if START + END not in files and len(files) < len(
        read(read_regular(project.path(PLAN)), PLAN_KIND).sessions
    ):
        return None
    return max(ends, default=None)
