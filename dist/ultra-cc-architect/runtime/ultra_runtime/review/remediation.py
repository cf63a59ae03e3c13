"""The link from a review to the plan that fixes its findings."""

from __future__ import annotations

import os

from ultra_runtime.contract.stages import file_of
from ultra_runtime.files.regular_file import UnreadableError, read_if_any, read_regular
from ultra_runtime.review.severities import SECTIONS, VERDICTS
from ultra_runtime.tables.fields import plan_fields, review_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.text.markdown import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.project import Project

FINDINGS = plan_fields.SOURCE_FINDINGS


def goals_of(review: str) -> list[dict[str, str]]:
    """Return the findings of a review that must be fixed, most severe first."""
    data = frontmatter.parse(read_regular(review))
    document = parse(data.body, data.body_line)
    goals = []
    for severity in VERDICTS:
        section = document.section(SECTIONS[severity])
        if section:
            below = [one for one in document.below(section) if one.level == section.level + 1]
            goals += [{"id": one.title.strip(), "severity": severity} for one in below]
    return goals


def taken_up(project: Project) -> list[str]:
    """Return the findings that the project's plan fixes; none when it was not made from a review."""
    data = read_if_any(project.path(file_of(plan_fields.KIND)))
    values = frontmatter.parse(data, {FINDINGS: "list"}).values or {}
    found = values.get(FINDINGS)
    return [str(one) for one in found] if isinstance(found, list) else []


def is_taken_up(project: Project) -> bool:
    """Return whether the plan is newer than the review and fixes all that must be fixed."""
    review = project.path(file_of(review_fields.KIND))
    try:
        goals = {one["id"] for one in goals_of(review)}
        since = os.stat(project.path(file_of(plan_fields.KIND))).st_mtime_ns >= os.stat(review).st_mtime_ns
    except (UnreadableError, OSError):
        return False
    return bool(goals) and since and goals <= set(taken_up(project))
