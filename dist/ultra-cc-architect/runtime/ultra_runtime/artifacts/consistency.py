"""Validate a whole project: every artifact, and whether they agree."""

from __future__ import annotations

import os

from ultra_runtime.contract.directory import discover, is_folder
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report, Result
from ultra_runtime.contract.stages import draft_of, file_of, find_files, folder_of, placed_kinds, stages
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.regular_file import read_if_any
from ultra_runtime.research.folder import note_unanswered, validate_research
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import brief_fields, plan_fields, progress_fields, research_fields
from ultra_runtime.typed import Any, Iterator, Mapping
from ultra_runtime.words import counted, one_line

BRIEF, RESEARCH = brief_fields.KIND, research_fields.KIND
PLAN, PROGRESS = plan_fields.KIND, progress_fields.KIND


class Checked(Struct):
    """One artifact of the project with its result; `is_usual` is false for that of one session."""

    kind: str
    path: str
    result: Result
    is_usual: bool


def validate_project(folder: str, soft: bool, strict: bool) -> Result:
    """Validate all artifacts of a project directory; an empty one is not valid."""
    checked = list(_artifacts(folder, soft, strict))
    if not checked:
        return _nothing(folder)
    usual = {one.kind: one for one in checked if one.is_usual}
    if BRIEF in usual and RESEARCH in placed_kinds() and RESEARCH not in usual:
        _compare_research_with_brief(usual[BRIEF], os.path.join(folder, folder_of(RESEARCH)))
    if PROGRESS in usual:
        _compare_progress_with_plan(usual[PROGRESS], usual.get(PLAN))
    listing = [{"kind": one.kind, "path": one.path, "valid": one.result.valid} for one in checked]
    return Result(
        [issue for one in checked for issue in one.result.errors],
        [issue for one in checked for issue in one.result.warnings],
        {"artifacts": listing},
    )


def _artifacts(folder: str, soft: bool, strict: bool) -> Iterator[Checked]:
    """Yield every artifact with its result, in the order of the stages."""
    for kind in placed_kinds():
        contract = load_contract(kind)
        usual = file_of(kind)
        inside = os.path.join(folder, folder_of(kind))
        if contract.format == "directory":
            if is_folder(inside):
                yield Checked(kind, inside, discover(contract, inside), True)
            continue
        found = list(find_files(folder, kind))
        if kind == RESEARCH and found:
            yield Checked(kind, inside, validate_research(contract, inside, soft), True)
            continue
        for name in found:
            path = os.path.join(folder, name)
            yield Checked(kind, path, validate_file(contract, path, soft, strict), name == usual)


def _nothing(folder: str) -> Result:
    first = stages()[0].makes
    report = Report(load_contract(first), folder)
    draft = draft_of(first)
    if os.path.lexists(os.path.join(folder, draft)):
        report.add("NOT_FOUND", f"there is only {draft}, whose review has not ended")
    elif not is_folder(folder):
        report.add("NOT_FOUND", "there is no such project directory")
    else:
        report.add("NOT_FOUND", "the project has no artifacts")
    return report.result()


def _compare_research_with_brief(brief: Checked, folder: str) -> None:
    """Warn about topics without an answer when research has begun but left no file."""
    if _parsed(brief).get(brief_fields.RESEARCH_STATUS) != brief_fields.RESEARCH_STATUS_PENDING:
        report = Report(load_contract(RESEARCH), folder)
        note_unanswered(report, folder, brief.result.parsed)
        brief.result.warnings += report.result().warnings


def _compare_progress_with_plan(progress: Checked, plan: Checked | None) -> None:
    """Warn when plan and progress have different steps, and when the plan was edited since."""
    values = _parsed(progress)
    steps = _parsed(plan).get(plan_fields.PART_STEPS)
    is_session = values.get(progress_fields.PLAN_TYPE) == progress_fields.PLAN_TYPE_SESSION_SPEC
    if plan is None or not isinstance(steps, list) or is_session:
        return
    report = Report(load_contract(PROGRESS), progress.path)
    total, records = values.get(progress_fields.TOTAL_STEPS), values.get(progress_fields.STEPS)
    if type(total) is int and total != len(steps):
        message = f"{progress_fields.TOTAL_STEPS} is {total}, but the plan has {counted(len(steps), 'step')}"
        report.add("STEP_COUNT_MISMATCH", message, field=progress_fields.TOTAL_STEPS)
    numbers = {str(step["number"]) for step in steps}
    strange = [number for number in records if number not in numbers] if isinstance(records, dict) else []
    if strange:
        message = (
            f"{len(strange)} step records match no step of the plan; the first is {one_line(strange[0])}"
        )
        report.add("STEP_COUNT_MISMATCH", message, field=progress_fields.STEPS)
    digest = values.get(progress_fields.PLAN_DIGEST)
    if isinstance(digest, str) and len(digest) == 64 and digest != sha256(read_if_any(plan.path)):
        name = progress_fields.PLAN_DIGEST
        message = f"{name} does not match {file_of(PLAN)}, which was edited since the run began"
        report.add("BAD_VALUE", message, field=name, mild=True)
    progress.result.warnings += report.result().warnings


def _parsed(checked: Checked | None) -> Mapping[str, Any]:
    return (checked.result.parsed or {}) if checked else {}
