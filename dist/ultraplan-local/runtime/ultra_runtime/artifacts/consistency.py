"""Validate a whole project: every artifact that is there, and what one says against another."""

from __future__ import annotations

import os

from ultra_runtime.contract.directory import discover
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report, Result
from ultra_runtime.contract.stages import DRAFT, file_of, find_files, placed_kinds, stages
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.research.folder import is_folder, note_unanswered, validate_research
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import brief_fields, plan_fields, progress_fields, research_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

BRIEF, RESEARCH = brief_fields.KIND, research_fields.KIND
PLAN, PROGRESS = plan_fields.KIND, progress_fields.KIND


class Checked(Struct):
    """One artifact of the project with its result; `is_usual` tells it from that of one session."""

    kind: str
    path: str
    result: Result
    is_usual: bool


def validate_project(folder: str, soft: bool = False, strict: bool = False) -> Result:
    """Validate what a project directory holds; one that holds nothing is not valid."""
    checked = list(_artifacts(folder, soft, strict))
    if not checked:
        return _nothing(folder)
    usual = {one.kind: one for one in checked if one.is_usual}
    if BRIEF in usual and RESEARCH in placed_kinds() and RESEARCH not in usual:
        _research_against_brief(usual[BRIEF], os.path.join(folder, os.path.dirname(file_of(RESEARCH))))
    if PROGRESS in usual:
        _progress_against_plan(usual[PROGRESS], usual.get(PLAN))
    listing = [{"kind": one.kind, "path": one.path, "valid": one.result.valid} for one in checked]
    return Result(
        [issue for one in checked for issue in one.result.errors],
        [issue for one in checked for issue in one.result.warnings],
        {"artifacts": listing},
    )


def _artifacts(folder: str, soft: bool, strict: bool) -> Iterator[Checked]:
    """Yield everything that is there with its result, in the order of the handovers."""
    for kind in placed_kinds():
        contract = load_contract(kind)
        usual = file_of(kind)
        inside = os.path.join(folder, os.path.dirname(usual))
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
    draft = file_of(first) + DRAFT
    if os.path.lexists(os.path.join(folder, draft)):
        report.add("NOT_FOUND", f"there is only {draft}, whose review is not over")
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
