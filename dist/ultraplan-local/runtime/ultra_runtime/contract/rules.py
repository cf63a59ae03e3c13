"""The rules that a contract names because YAML cannot express them; each is a function of report and subject."""

from __future__ import annotations

import os

from ultra_runtime.contract.field_types import shown
from ultra_runtime.contract.forms import FORMS, holds_login
from ultra_runtime.files.root import find_root
from ultra_runtime.tables.fields import (
    brief_fields,
    progress_fields,
    review_fields,
    session_state_fields,
    settings_fields,
    task_fields,
    work_plan_fields,
)
from ultra_runtime.typed import Any, Iterator
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.body import FoundPart
    from ultra_runtime.contract.result import Report, Subject

BEGUN = (
    progress_fields.STEPS_STATUS_IN_PROGRESS, progress_fields.STEPS_STATUS_COMPLETED, progress_fields.STEPS_STATUS_FAILED,
    progress_fields.STEPS_STATUS_BLOCKED, "in-progress", "running", "passed",
)  # fmt: skip
PREFLIGHT = "0"
TASK = "TASK-"


def _note(code: str, report: Report, subject: Subject, name: str, fault: str) -> None:
    """Report a field of the artifact, at its line."""
    report.add(code, f"{name} {fault}", subject.line(name), name)


def research_state(report: Report, subject: Subject) -> None:
    """Report skipped topics in a brief that is not partial."""
    topics = subject.count(brief_fields.RESEARCH_TOPICS) or 0
    skipped = subject.text(brief_fields.RESEARCH_STATUS) == brief_fields.RESEARCH_STATUS_SKIPPED
    partial = subject.text(brief_fields.BRIEF_QUALITY) == brief_fields.BRIEF_QUALITY_PARTIAL
    if skipped and topics > 0 and not partial:
        fault = f"is skipped with {topics} topics, but {brief_fields.BRIEF_QUALITY} is not partial"
        _note("STATE_INCOHERENT", report, subject, brief_fields.RESEARCH_STATUS, fault)


def ports_are_a_range(report: Report, subject: Subject) -> None:
    """Report ports that are not the first and the last of a range."""
    ports = subject.values.get(settings_fields.PORTS)
    if not isinstance(ports, list) or any(type(port) is not int for port in ports):
        return
    if len(ports) != 2 or ports[0] > ports[1]:
        message = f"{settings_fields.PORTS} must be the first and the last port, such as [4000, 4099]"
        report.add("BAD_VALUE", message, subject.line(settings_fields.PORTS), settings_fields.PORTS)


def hub_has_no_login(report: Report, subject: Subject) -> None:
    """Report a hub whose address holds a password or a token: it would be seen in process lists and refs."""
    hub = subject.values.get(settings_fields.HUB)
    if isinstance(hub, str) and holds_login(hub):
        message = f"{settings_fields.HUB} must be an address without a password or token"
        report.add("BAD_VALUE", message, subject.line(settings_fields.HUB), settings_fields.HUB)


def dependencies_are_names(report: Report, subject: Subject) -> None:
    """Report a dependency folder that is a path."""
    names = subject.values.get(settings_fields.DEPENDENCIES)
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and ("/" in name or name in ("", ".", "..")):
            message = f"{settings_fields.DEPENDENCIES} must be names of folders, not {shown(name)}"
            line = subject.line(settings_fields.DEPENDENCIES)
            report.add("BAD_VALUE", message, line, settings_fields.DEPENDENCIES)


def findings_have_details(report: Report, subject: Subject) -> None:
    """Report ids that are malformed, listed twice, or only in the front matter or only in the body."""
    details = subject.parts[review_fields.PART_DETAILS]
    listed = subject.values.get(review_fields.FINDINGS)
    ids = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    known, seen = set(ids), set()
    is_id = FORMS["sha1"][0]
    for found in details:
        name = found.values.get("id", "")
        if not is_id(name):
            report.add("BAD_FINDING_ID", f"the heading {shown(name)} is not the id of a finding", found.line)
        elif name in seen:
            report.add("BAD_FINDING_ID", f"the finding {name} is listed twice", found.line)
        elif name not in known and isinstance(listed, list):
            report.add("FINDING_ORPHAN", f"{name} is not among the findings of the front matter", found.line)
        seen.add(name)
    line = subject.line(review_fields.FINDINGS)
    for name in dict.fromkeys(ids):
        if is_id(name) and name not in seen:
            report.add("FINDING_ORPHAN", f"{name} has no subsection", line, review_fields.FINDINGS)
    if len(known) < len(ids):
        report.add("BAD_FINDING_ID", "an id is listed twice", line, review_fields.FINDINGS)


def current_step_in_range(report: Report, subject: Subject) -> None:
    """Report a current step after the last one."""
    current, total = subject.count(progress_fields.CURRENT_STEP), subject.count(progress_fields.TOTAL_STEPS)
    if current is not None and total is not None and current > total >= 0:
        fault = f"is {current}, but there are {total} steps"
        _note("STEP_RANGE", report, subject, progress_fields.CURRENT_STEP, fault)


def steps_counted(report: Report, subject: Subject) -> None:
    """Report more or fewer step records than steps; the pre-flight of a session is not a step of the plan."""
    total = subject.count(progress_fields.TOTAL_STEPS)
    recorded = sum(number != PREFLIGHT for number, _ in _step_records(subject))
    is_table = isinstance(subject.values.get(progress_fields.STEPS), dict)
    if total is not None and is_table and recorded != total:
        fault = f"is {total}, but there are {recorded} step records"
        _note("STEP_COUNT_MISMATCH", report, subject, progress_fields.TOTAL_STEPS, fault)


def start_commits_known(report: Report, subject: Subject) -> None:
    """Report steps that have started without the commit on which they, or the run, started."""
    begun = [(number, step) for number, step in _step_records(subject) if _has_begun(step)]
    if begun and not subject.text(progress_fields.SESSION_START_SHA):
        first = begun[0][0]
        message = f"{progress_fields.SESSION_START_SHA} is missing although step {first} has started"
        line = subject.line(progress_fields.STEPS, first)
        report.add("MISSING_FIELD", message, line, progress_fields.SESSION_START_SHA)
    without = [number for number, step in begun if not step.get(progress_fields.STEPS_START_COMMIT)]
    if without:
        told = f"is missing in {len(without)} started steps; the first is {without[0]}"
        line = subject.line(progress_fields.STEPS, without[0])
        report.add(
            "LEGACY_VALUE", f"{progress_fields.STEPS_START_COMMIT} {told}", line, progress_fields.STEPS
        )


def _step_records(subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    steps = subject.values.get(progress_fields.STEPS)
    for number, step in steps.items() if isinstance(steps, dict) else ():
        if isinstance(step, dict):
            yield number, step


def _has_begun(step: dict[str, Any]) -> bool:
    attempts = step.get(progress_fields.STEPS_ATTEMPTS)
    return step.get(progress_fields.STEPS_STATUS) in BEGUN or (type(attempts) is int and attempts > 0)


def next_brief_exists(report: Report, subject: Subject) -> None:
    """Warn when the brief of the next session is not where the state says."""
    name = session_state_fields.NEXT_SESSION_BRIEF_PATH
    brief = subject.text(name)
    if brief and not find_brief(brief, os.path.dirname(report.path) or "."):
        _note("BRIEF_MISSING", report, subject, name, f"names {one_line(brief)}, which does not exist")


def find_brief(brief: str, folder: str) -> str | None:
    """Return the brief's path, seen from the repository of that folder or from the folder itself."""
    for start in (find_root(folder), os.path.realpath(folder)):
        if start and os.path.isfile(os.path.join(start, brief)):
            return os.path.join(start, brief)
    return None


def tasks_resolve(report: Report, subject: Subject) -> None:
    """Report tasks with the id of another one, unknown dependencies, and a cycle."""
    from ultra_runtime.contract.dependencies import find_cycle, read_ids  # late, as below: hooks validate too

    graph: dict[str, tuple[str, ...]] = {}
    lines: dict[str, int] = {}
    for part in subject.parts.get(work_plan_fields.PART_TASKS, []):
        task = _task(part)
        if task in graph:
            report.add("BAD_VALUE", f"another task has the id {one_line(task)}", part.line)
        graph[task] = read_ids(_depends(part))
        lines[task] = part.line
    for task, others in graph.items():
        for other in others:
            if other not in graph:
                report.add("UNKNOWN_TASK", f"{task} depends on {one_line(other)}", lines[task])
    cycle = find_cycle(graph)
    if cycle:
        report.add("CYCLE", f"tasks depend on each other: {' -> '.join(cycle)}", lines[cycle[0]])


def _task(part: FoundPart) -> str:
    return f"{TASK}{part.values.get('id', '')}"


def _depends(part: FoundPart) -> str:
    value = part.values.get(work_plan_fields.TASKS_DEPENDS_ON)
    return value if isinstance(value, str) else ""


def mode_fits_tasks(report: Report, subject: Subject) -> None:
    """Report an execution mode that the number of tasks does not fit."""
    mode = subject.text(work_plan_fields.EXECUTION_MODE)
    tasks = [_task(one) for one in subject.parts.get(work_plan_fields.PART_TASKS, [])]
    fits = {
        work_plan_fields.EXECUTION_MODE_DIRECT: tasks == [f"{TASK}00"],
        work_plan_fields.EXECUTION_MODE_PIPELINE: len(tasks) == 1,
        work_plan_fields.EXECUTION_MODE_FULL: len(tasks) > 1,
    }
    if not fits.get(mode, True):
        has = ", ".join(tasks) or "no task"
        _note("MODE_MISMATCH", report, subject, work_plan_fields.EXECUTION_MODE, f"is {mode}, with {has}")


def files_have_actions(report: Report, subject: Subject) -> None:
    """Report rows of Files without a path in the repository or without an action."""
    name = task_fields.SECTION_FILES
    if name not in subject.texts:
        return
    from ultra_runtime.contract.rows import file_fault, read_rows

    rows = read_rows(subject.texts[name])
    if not rows:
        report.add("NO_FILES", "Files has no row", subject.line(name), name)
    for row in rows:
        fault = file_fault(row)
        if fault:
            report.add("BAD_FILE", f"{one_line(' | '.join(row))} {fault}", subject.line(name), name)


def verify_is_a_command(report: Report, subject: Subject) -> None:
    """Report a task without a command to verify it."""
    from ultra_runtime.contract.rows import read_code

    name = task_fields.SECTION_VERIFY
    text = subject.texts.get(name)
    if text is not None and not read_code(text):
        report.add("NO_VERIFY", "Verify has no command in backticks", subject.line(name), name)
