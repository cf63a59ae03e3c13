"""Validate a whole project: every artifact that is there, and what one says against another."""

from __future__ import annotations

import os

from ultra_runtime.contract.directory import FOLDER as ARCHITECTURE
from ultra_runtime.contract.directory import discover
from ultra_runtime.contract.model import UnknownKindError, load_contract
from ultra_runtime.contract.result import Report, Result
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import END, PART, PLAN_FILE, PROGRESS, SESSION_STATE, START
from ultra_runtime.research.folder import BRIEF, is_folder, note_unanswered, validate_research
from ultra_runtime.research.topics import research_files
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

RESEARCH = "research"
SESSIONS = "sessions"
DRAFT = BRIEF + ".draft"
FILES = {
    BRIEF: "brief",
    PLAN_FILE: "plan",
    PROGRESS: "progress",
    "review.md": "review",
    SESSION_STATE: "session-state",
}
NUMBERED = ((START + PART, END, "progress"),)
SPECS = ("session-", ".md", "session-spec")


class Checked(Struct):
    """One artifact of the project with its result."""

    kind: str
    path: str
    result: Result


def validate_project(folder: str, soft: bool = False, strict: bool = False) -> Result:
    """Validate what a project directory holds; one that holds nothing is not valid."""
    checked = [_check(kind, path, soft, strict) for kind, path in _artifacts(folder)]
    if not checked:
        return _nothing(folder)
    by_path = {os.path.relpath(one.path, folder): one for one in checked}
    if BRIEF in by_path and RESEARCH not in by_path:
        _research_against_brief(by_path[BRIEF], os.path.join(folder, RESEARCH))
    if PROGRESS in by_path:
        _progress_against_plan(by_path[PROGRESS], by_path.get(PLAN_FILE))
    listing = [{"kind": one.kind, "path": one.path, "valid": one.result.valid} for one in checked]
    return Result(
        [issue for one in checked for issue in one.result.errors],
        [issue for one in checked for issue in one.result.warnings],
        {"artifacts": listing},
    )


def _artifacts(folder: str) -> Iterator[tuple[str, str]]:
    """Yield kind and path of everything that is there, in the order of the pipeline."""
    names = _names(folder)
    if BRIEF in names:
        yield FILES[BRIEF], os.path.join(folder, BRIEF)
    if research_files(os.path.join(folder, RESEARCH)):
        yield RESEARCH, os.path.join(folder, RESEARCH)
    if is_folder(os.path.join(folder, ARCHITECTURE)):
        yield ARCHITECTURE, os.path.join(folder, ARCHITECTURE)
    for name, kind in FILES.items():
        if name in names and name != BRIEF:
            yield kind, os.path.join(folder, name)
    for name in names:
        for start, end, kind in NUMBERED:
            if name.startswith(start) and name.endswith(end):
                yield kind, os.path.join(folder, name)
    start, end, kind = SPECS
    for name in _names(os.path.join(folder, SESSIONS)):
        if name.startswith(start) and name.endswith(end):
            yield kind, os.path.join(folder, SESSIONS, name)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def _check(kind: str, path: str, soft: bool, strict: bool) -> Checked:
    try:
        contract = load_contract(kind)
    except UnknownKindError:  # a bundle that was built without this contract
        return Checked(kind, path, Result([], [], None))
    if kind == RESEARCH:
        return Checked(kind, path, validate_research(contract, path, soft))
    if kind == ARCHITECTURE:
        return Checked(kind, path, discover(contract, path))
    return Checked(kind, path, validate_file(contract, path, soft, strict))


def _nothing(folder: str) -> Result:
    report = Report(load_contract("brief"), folder)
    if os.path.lexists(os.path.join(folder, DRAFT)):
        report.add("NOT_FOUND", f"there is only {DRAFT}, whose review is not over")
    elif not is_folder(folder):
        report.add("NOT_FOUND", "there is no such project directory")
    else:
        report.add("NOT_FOUND", "the project holds no artifact")
    return report.result()


def _research_against_brief(brief: Checked, folder: str) -> None:
    """Warn of topics without an answer where research has begun and left no file at all."""
    if _parsed(brief).get("research_status") != "pending":
        report = Report(load_contract(RESEARCH), folder)
        note_unanswered(report, folder, brief.result.parsed)
        brief.result.warnings += report.result().warnings


def _progress_against_plan(progress: Checked, plan: Checked | None) -> None:
    """Warn of steps that plan and progress count otherwise, and of a plan that was edited since."""
    values = _parsed(progress)
    steps = _parsed(plan).get("steps")
    if plan is None or not isinstance(steps, list) or values.get("plan_type") == "session-spec":
        return
    report = Report(load_contract("progress"), progress.path)
    total, records = values.get("total_steps"), values.get("steps")
    if type(total) is int and total != len(steps):
        message = f"total_steps is {total}, and the plan has {len(steps)} steps"
        report.add("STEP_COUNT_MISMATCH", message, field="total_steps")
    numbers = {str(step["number"]) for step in steps}
    strange = [number for number in records if number not in numbers] if isinstance(records, dict) else []
    if strange:
        message = (
            f"{len(strange)} step records are of no step of the plan, the first is {one_line(strange[0])}"
        )
        report.add("STEP_COUNT_MISMATCH", message, field="steps")
    digest = values.get("plan_digest")
    if isinstance(digest, str) and len(digest) == 64 and digest != _digest(plan.path):
        message = "plan_digest is not that of plan.md, which was edited since the run began"
        report.add("BAD_VALUE", message, field="plan_digest", mild=True)
    progress.result.warnings += report.result().warnings


def _parsed(checked: Checked | None) -> Mapping[str, Any]:
    return (checked.result.parsed or {}) if checked else {}


def _digest(path: str) -> str:
    try:
        return sha256(read_regular(path))
    except UnreadableError:
        return ""
