"""The rules that a contract names because data cannot say them: each a function that takes report and subject."""

from __future__ import annotations

import os

from ultra_runtime.contract.field_types import shown
from ultra_runtime.contract.forms import FORMS
from ultra_runtime.files.root import find_root
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ultra_runtime.contract.result import Report
    from ultra_runtime.contract.subject import Subject

BEGUN = ("in_progress", "completed", "failed", "blocked", "in-progress", "running", "passed")
PREFLIGHT = "0"


def research_state(report: Report, subject: Subject) -> None:
    """Note topics that were skipped in a brief that does not call itself partial."""
    topics = subject.count("research_topics") or 0
    skipped = subject.text("research_status") == "skipped"
    if skipped and topics > 0 and subject.text("brief_quality") != "partial":
        message = f"research_status is skipped with {topics} topics, and brief_quality is not partial"
        report.add("STATE_INCOHERENT", message, subject.line("research_status"), "research_status")


def findings_have_details(report: Report, subject: Subject) -> None:
    """Note ids that are none, that stand twice, or that only the front matter or only the body has."""
    details = subject.parts["details"]
    listed = subject.values.get("findings")
    ids = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    known, seen = set(ids), set()
    is_id = FORMS["sha1"][0]
    for found in details:
        name = found.values.get("id", "")
        if not is_id(name):
            report.add("BAD_FINDING_ID", f"the heading {shown(name)} is no id of a finding", found.line)
        elif name in seen:
            report.add("BAD_FINDING_ID", f"the finding {name} stands twice", found.line)
        elif name not in known and isinstance(listed, list):
            report.add("FINDING_ORPHAN", f"{name} is not among the findings of the front matter", found.line)
        seen.add(name)
    line = subject.line("findings")
    for name in dict.fromkeys(ids):
        if is_id(name) and name not in seen:
            report.add("FINDING_ORPHAN", f"{name} has no subsection", line, "findings")
    if len(known) < len(ids):
        report.add("BAD_FINDING_ID", "an id is listed twice", line, "findings")


def current_step_in_range(report: Report, subject: Subject) -> None:
    """Note a current step beyond the last one."""
    current, total = subject.count("current_step"), subject.count("total_steps")
    if current is not None and total is not None and current > total >= 0:
        message = f"current_step is {current}, and there are {total} steps"
        report.add("STEP_RANGE", message, subject.line("current_step"), "current_step")


def steps_counted(report: Report, subject: Subject) -> None:
    """Note more or fewer step records than steps; the pre-flight of a session is no step of the plan."""
    total = subject.count("total_steps")
    recorded = sum(number != PREFLIGHT for number, _ in _step_records(subject))
    if total is not None and isinstance(subject.values.get("steps"), dict) and recorded != total:
        message = f"total_steps is {total}, and there are {recorded} step records"
        report.add("STEP_COUNT_MISMATCH", message, subject.line("total_steps"), "total_steps")


def start_commits_known(report: Report, subject: Subject) -> None:
    """Note begun steps without the commit on which they, or the run, began."""
    begun = [(number, step) for number, step in _step_records(subject) if _has_begun(step)]
    if begun and not subject.text("session_start_sha"):
        message = f"session_start_sha is missing although step {begun[0][0]} has begun"
        report.add("MISSING_FIELD", message, subject.line("steps", begun[0][0]), "session_start_sha")
    without = [number for number, step in begun if not step.get("start_commit")]
    if without:
        message = f"start_commit is missing in {len(without)} begun steps, the first is {without[0]}"
        report.add("LEGACY_VALUE", message, subject.line("steps", without[0]), "steps")


def _step_records(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    steps = subject.values.get("steps")
    for number, step in steps.items() if isinstance(steps, dict) else ():
        if isinstance(step, dict):
            yield number, step


def _has_begun(step: dict[str, Any]) -> bool:
    attempts = step.get("attempts")
    return step.get("status") in BEGUN or (type(attempts) is int and attempts > 0)


def next_brief_exists(report: Report, subject: Subject) -> None:
    """Warn when the brief of the next session is not where the state says."""
    name = "next_session_brief_path"
    brief = subject.text(name)
    if brief and not find_brief(brief, os.path.dirname(report.path) or "."):
        message = f"{name} names {one_line(brief)}, which does not exist"
        report.add("BRIEF_MISSING", message, subject.line(name), name)


def find_brief(brief: str, folder: str) -> str | None:
    """Return the brief's path, seen from the repository of that folder or from the folder itself."""
    for start in (find_root(folder), os.path.realpath(folder)):
        if start and os.path.isfile(os.path.join(start, brief)):
            return os.path.join(start, brief)
    return None
