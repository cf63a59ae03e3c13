"""Read the bytes of a plan or session spec; any bytes give a Plan with its problems."""

from __future__ import annotations

from ultra_runtime.contract.model import Contract, load_contract
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.patterns import check
from ultra_runtime.plan.manifest import generate, is_manifest
from ultra_runtime.plan.session_spec import (
    STEPS,
    is_session_spec,
    judge_version,
    read_conditions,
    read_session_spec,
)
from ultra_runtime.plan.steps import StepReader, begins_numbered
from ultra_runtime.plan.strategy import read_strategy
from ultra_runtime.plan.values import PLAN, SESSION_SPEC, Plan
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.text import markdown
from ultra_runtime.text.frontmatter import MISSING, parse, without_mark
from ultra_runtime.words import one_line

IMPLEMENTATION = plan_fields.SECTION_IMPLEMENTATION_PLAN
STRATEGY, VERIFICATION = plan_fields.SECTION_EXECUTION_STRATEGY, plan_fields.SECTION_VERIFICATION
STEP = ("Step",)


def read(data: bytes, kind: str = "", strict: bool = False) -> Plan:
    """Read a plan or a session spec; without `kind` the text decides which of the two it is.

    With `strict` a legacy plan must have manifests like any other; otherwise they are generated.
    """
    table = load_contract(PLAN)
    found = parse(data, {field.name: field.type for field in table.fields})
    if found.problem and found.problem.code != MISSING:
        plan = Plan(kind or PLAN, markdown.parse(""))
        plan.add(found.problem.code, str(found.problem), found.problem.line)
        return plan
    if found.problem:
        document = markdown.parse(without_mark(data).decode("utf-8"))
    else:
        document = markdown.parse(found.body, found.body_line)
    plan = Plan(kind or (SESSION_SPEC if is_session_spec(document) else PLAN), document)
    plan.digest = sha256(data)
    plan.front_matter, plan.lines = found.values or {}, found.lines
    if plan.kind == SESSION_SPEC:
        _read_spec(plan, table)
    else:
        _read_plan(plan, table, strict)
    for block in document.blocks:
        if not block.closed and not is_manifest(block):
            plan.add("BAD_VALUE", "this block is not closed: everything after it is read as code", block.line)
    return plan


def _read_plan(plan: Plan, table: Contract, strict: bool) -> None:
    document, version = plan.document, table.version
    section = document.section(IMPLEMENTATION)
    if version is None:
        raise LookupError("the contract of plans has no version")
    if section is None and version.field not in plan.front_matter and not _headings(plan, STEP):
        message = f"this is not a plan: it has no {IMPLEMENTATION} and no ### Step 1: title"
        plan.add("UNRECOGNIZED", message, document.first_line)
        _forbid_headings(plan, table)
        return
    if section is None and is_session_spec(document):
        plan.add("NO_SECTION", "this is a session spec, not a plan", document.first_line)
        return
    judge_version(plan, version, plan.front_matter.get(version.field), plan.lines.get(version.field, 1))
    plan.lenient = plan.legacy and not strict
    _check_headings(plan, table, section)
    _read_steps(plan, table, section)
    if strategy := document.section(STRATEGY):
        read_strategy(plan, strategy)
    if verification := document.section(VERIFICATION):
        plan.verification = read_conditions(document, verification)


def _read_steps(plan: Plan, table: Contract, section: markdown.TextSection | None) -> None:
    """Read the steps of the section, or all steps when the section is missing."""
    reader = StepReader(plan, table.part(plan_fields.PART_STEPS), table.block(plan_fields.BLOCK_MANIFEST))
    plan.steps = reader.read(section or plan.document.sections[0])
    if section is None:
        message = f"missing section: {IMPLEMENTATION}"
        plan.add("NO_SECTION", message, plan.document.first_line, mild=plan.lenient and bool(plan.steps))
    elif not plan.steps:
        plan.add("NO_STEPS", f"{IMPLEMENTATION} has no step: write ### Step 1: title", section.line)
    expected = 1
    for step in plan.steps:
        if step.number != expected:
            message = f"found step {step.number}, expected step {expected}"
            plan.add("STEP_NUMBERING", message, step.line, step.number)
        expected = step.number + 1
    _finish_steps(plan, reader)


def _read_spec(plan: Plan, table: Contract) -> None:
    reader = StepReader(plan, table.part(plan_fields.PART_STEPS), table.block(plan_fields.BLOCK_MANIFEST))
    if section := plan.document.section(STEPS):
        plan.steps = reader.read(section)
    _finish_steps(plan, reader)
    read_session_spec(plan, load_contract(SESSION_SPEC))


def _headings(plan: Plan, words: tuple[str, ...]) -> list[markdown.TextSection]:
    return [heading for heading in plan.document.headings if begins_numbered(heading.title, words)]


def _check_headings(plan: Plan, table: Contract, section: markdown.TextSection | None) -> None:
    """Report numbered headings that are not steps, and steps outside the section, which would not be run."""
    _forbid_headings(plan, table)
    for heading in _headings(plan, STEP) if section else ():
        if section and not section.line < heading.line < section.end:
            message = f'"{one_line(heading.title)}" is outside {IMPLEMENTATION}'
            plan.add("STEP_NUMBERING", message, heading.line, mild=plan.lenient)


def _forbid_headings(plan: Plan, table: Contract) -> None:
    for heading in _headings(plan, table.forbidden_headings):
        message = f'the heading "{one_line(heading.title)}" divides the plan into parts other than steps'
        plan.add("FORBIDDEN_HEADING", message, heading.line, mild=plan.lenient)


def _finish_steps(plan: Plan, reader: StepReader) -> None:
    """Check all patterns at once, generate the manifests of a legacy plan, and find manifests outside steps."""
    faults = check(pattern for pattern, _, _ in reader.patterns)
    broken = set()
    for pattern, line, number in reader.patterns:
        if pattern in faults:
            message = f"the pattern {one_line(pattern)} cannot be used: {faults[pattern]}"
            plan.add("MANIFEST_PATTERN_INVALID", message, line, number, mild=plan.lenient)
            broken.add(number)
    for step in plan.steps:
        if step.number in broken:
            step.manifest = None
        if plan.lenient and step.manifest is None:
            step.manifest = generate(step)
    for block in plan.document.blocks:
        if block.line not in reader.manifest_lines and is_manifest(block):
            message = "this manifest is outside the steps"
            plan.add("PLAN_MANIFEST_COUNT_MISMATCH", message, block.line, mild=plan.lenient)
