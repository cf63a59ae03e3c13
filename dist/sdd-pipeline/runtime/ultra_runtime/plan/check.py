"""Check a plan or session spec against its contract; the steps of a spec follow the contract of plans."""

from __future__ import annotations

import os

from ultra_runtime.contract.directory import discover
from ultra_runtime.contract.field_types import FieldCheck
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report
from ultra_runtime.contract.stages import file_of, placed_kinds
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.plan.manifest import count_paths, is_manifest
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import PLAN, Plan
from ultra_runtime.tables.fields import architecture_fields, plan_fields, review_fields, session_spec_fields
from ultra_runtime.text import markdown
from ultra_runtime.text.frontmatter import parse
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.words import counted, one_line

FINDINGS = plan_fields.SOURCE_FINDINGS
RECOVERY = "-recovery-"
OF_THE_PLAN = ("PLAN_", "MANIFEST_")


def check(report: Report, data: bytes, strict: bool) -> Mapping[str, Any] | None:
    """Report the problems of a plan or session spec and return its content; a spec is always read strictly."""
    kind = report.contract.artifact
    plan = read(data, kind, strict or kind != PLAN)
    note_problems(report, plan)
    if kind != PLAN:
        _check_name(report, plan)
        return plan.summary() if plan.steps else None
    _check_decision(report, plan)
    field = report.contract.field(FINDINGS)
    before = len(report.errors)
    FieldCheck(report, lambda path: plan.lines.get(path[0]) if path else None).check(field, plan.front_matter)
    if len(report.errors) == before:
        _check_findings(report, plan)
    return plan.summary() if plan.steps or plan.front_matter else None


def note_problems(report: Report, plan: Plan) -> None:
    """Add the problems of a plan or session spec to the report, each under the contract that lists its code."""
    is_own = report.contract.artifact == PLAN
    own = report if is_own else Report(load_contract(PLAN), report.path, report.soft)
    for problem in plan.problems:
        target = own if problem.code.startswith(OF_THE_PLAN) else report
        target.add(problem.code, problem.message, problem.line, problem.field, problem.step, problem.mild)
    if not is_own:
        result = own.result()
        report.errors += result.errors
        report.warnings += result.warnings


def _check_decision(report: Report, plan: Plan) -> None:
    """Warn of a plan that does not say what it does with the decision of the architecture notes next to it."""
    kind = architecture_fields.KIND
    if str(plan.front_matter.get(plan_fields.ARCHITECTURE) or "").strip() or kind not in placed_kinds():
        return
    found = discover(load_contract(kind), os.path.dirname(os.path.abspath(report.path))).parsed or {}
    if found["found"]:
        told = one_line(str(found["title"] or os.path.basename(found["overview"])))
        report.add("NO_DECISION", f"the plan does not say whether it follows the decision {told}", 1)


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
        message = f"the plan lists {counted(len(wanted), 'finding')}, but there is no {name} next to it"
        report.add("UNKNOWN_FINDING", message, line, FINDINGS)
        return
    there = set(known) if isinstance(known, list) else set()
    for finding in dict.fromkeys(wanted):
        if finding not in there and f"`{finding[:8]}`" not in review.body:
            report.add("UNKNOWN_FINDING", f"the finding {finding} is not in {name}", line, FINDINGS)


def _check_name(report: Report, plan: Plan) -> None:
    """Report a recovery spec whose name and Recovery Metadata do not agree."""
    name = os.path.splitext(os.path.basename(report.path))[0]
    depth = name.rpartition(RECOVERY)[2] if name.startswith("session-") and RECOVERY in name else ""
    failed = any(problem.code == "RECOVERY" for problem in plan.problems)
    if depth and not plan.recovery and not failed:
        fault = f"but has no {session_spec_fields.SECTION_RECOVERY_METADATA}"
        report.add("RECOVERY", f"{name} is named as a recovery {fault}", 1)
    elif depth and plan.recovery and depth != str(plan.recovery.depth):
        field = session_spec_fields.RECOVERY_METADATA_RECOVERY_DEPTH
        message = f"{name} is named as a recovery of depth {depth}, but {field} is {plan.recovery.depth}"
        report.add("RECOVERY", message, plan.recovery.line, field)


def fill(data: bytes) -> bytes:
    """Return a plan whose manifests say how many files must exist; without a number, all that are expected."""
    plan = Plan(PLAN, markdown.parse(parse(data).body, parse(data).body_line))
    table = load_contract(PLAN).block(plan_fields.BLOCK_MANIFEST)
    lines = data.split(b"\n")
    for block in reversed([block for block in plan.document.blocks if is_manifest(block)]):
        counted_paths = count_paths(plan, table, block)
        if counted_paths is not None:
            row, number = counted_paths
            line = lines[row]
            indent = line[: len(line) - len(line.lstrip())]
            end = b"\r" if line.endswith(b"\r") else b""
            lines.insert(row, indent + f"{plan_fields.MANIFEST_MIN_FILE_COUNT}: {number}".encode() + end)
    return b"\n".join(lines)
