"""Check a plan against its contract."""

from __future__ import annotations

import os

from ultra_runtime.contract.field_types import FieldCheck
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report
from ultra_runtime.contract.stages import file_of, placed_kinds
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import PLAN, Plan
from ultra_runtime.tables.fields import plan_fields, review_fields
from ultra_runtime.text.frontmatter import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


FINDINGS = plan_fields.SOURCE_FINDINGS
OF_THE_PLAN = ("PLAN_", "MANIFEST_")


def check(report: Report, data: bytes, strict: bool) -> Mapping[str, Any] | None:
    """Report the problems of a plan and return its content."""
    plan = read(data, PLAN, strict)
    note_problems(report, plan)
    field = report.contract.field(FINDINGS)
    before = len(report.errors)
    FieldCheck(report, lambda path: plan.lines.get(path[0]) if path else None).check(field, plan.front_matter)
    if len(report.errors) == before:
        _check_findings(report, plan)
    return plan.summary() if plan.steps or plan.front_matter else None


def note_problems(report: Report, plan: Plan) -> None:
    """Add the problems of a plan or session spec to the report, each under the contract that lists its code."""
    own = (
        report if report.contract.artifact == PLAN else Report(load_contract(PLAN), report.path, report.soft)
    )
    for problem in plan.problems:
        target = own if problem.code.startswith(OF_THE_PLAN) else report
        target.add(problem.code, problem.message, problem.line, problem.field, problem.step, problem.mild)
    if own is not report:
        result = own.result()
        report.errors += result.errors
        report.warnings += result.warnings


def _check_findings(report: Report, plan: Plan) -> None:
    """Warn of findings that the review next to the plan lists neither as open nor as settled."""
    wanted = plan.front_matter.get(FINDINGS)
    if not isinstance(wanted, list) or not wanted or review_fields.KIND not in placed_kinds():
        return
    name = file_of(review_fields.KIND)
    line = plan.lines.get(FINDINGS)
    path = os.path.join(os.path.dirname(report.path), name)
    try:
        review = parse(read_regular(path), {review_fields.FINDINGS: "list"})
        known = (review.values or {}).get(review_fields.FINDINGS)
    except UnreadableError:
        message = f"the plan lists {len(wanted)} findings, but there is no {name} next to it"
        report.add("UNKNOWN_FINDING", message, line, FINDINGS)
        return
    there = set(known) if isinstance(known, list) else set()
    for finding in dict.fromkeys(wanted):
        if finding not in there and f"`{finding[:8]}`" not in review.body:
            report.add("UNKNOWN_FINDING", f"the finding {finding} is not in {name}", line, FINDINGS)
