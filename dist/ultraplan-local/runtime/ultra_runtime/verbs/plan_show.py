"""Show the content of a plan or session spec: steps, manifests, sessions, waves and problems.

The content of the file decides which of the two it is. A legacy plan is shown with the manifests generated for it.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report, Result
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.root import from_here
from ultra_runtime.plan.check import note_problems
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import PLAN, Plan, Session, Step
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, one_line

USAGE = "plan show PATH [--json]"
READ_ONLY = True
STAGE = "plan"


def run(args: Args) -> Answer:
    """Answer with everything that was read; only a file that is not a plan at all is a failure."""
    path = from_here(args.need("PATH"))
    try:
        plan = read(read_regular(path))
    except UnreadableError as problem:
        report = Report(load_contract(PLAN), path)
        report.add("NOT_FOUND" if problem.missing else "READ_ERROR", str(problem))
        return _answer(report.result(), {"ok": False}, [], 1)
    report = Report(load_contract(plan.kind), path)
    note_problems(report, plan)
    result = report.result()
    if not plan.steps:
        return _answer(result, {"ok": False, "type": plan.kind}, [], 1)
    return _answer(result, _data(plan), _lines(plan), 0)


def _answer(result: Result, data: dict[str, Any], lines: list[str], status: int) -> Answer:
    issues = {
        "valid": result.valid,
        "errors": [issue.as_data() for issue in result.errors],
        "warnings": [issue.as_data() for issue in result.warnings],
    }
    lines = [
        *lines,
        *(f"error {issue}" for issue in result.errors),
        *(f"warning {issue}" for issue in result.warnings),
    ]
    if status:
        data = {**data, "error": "this is not a plan that can be shown", "next": "see `errors`"}
    return Answer({**data, **issues}, "\n".join(lines), status)


def _data(plan: Plan) -> dict[str, Any]:
    data: dict[str, Any] = {"ok": True, **plan.summary(), "steps": [step.as_data() for step in plan.steps]}
    data["verification"] = [one.command or one.text for one in plan.verification]
    if plan.entry_condition:
        data["entry_condition"] = plan.entry_condition.as_data()
        data["exit_conditions"] = [one.command or one.text for one in plan.exit_conditions]
        data.update(plan.fence.as_data())
    return data


def _lines(plan: Plan) -> list[str]:
    version = plan.version or "unknown"
    lines = [
        f"{'Session spec' if plan.kind != PLAN else 'Plan'}, version {version}, {counted(len(plan.steps), 'step')}"
    ]
    lines += [_step(step) for step in plan.steps]
    for number, sessions in plan.waves:
        lines.append(f"Wave {number}: {listed(_session(session) for session in sessions)}")
    if plan.entry_condition:
        lines.append(f"Entry condition: {one_line(plan.entry_condition.text) or 'none'}")
    return lines


def _step(step: Step) -> str:
    manifest = step.manifest
    shown = "no manifest" if manifest is None else "manifest generated" if manifest.made_up else "manifest"
    verify = one_line(step.verify.command, 60) if step.verify and step.verify.command else "no verify"
    return (
        f"  {step.number:>3}  {one_line(step.title, 60)}  [{verify}; on failure {step.on_failure}; {shown}]"
    )


def _session(session: Session) -> str:
    steps = ", ".join(map(str, session.steps[:10])) + (", ..." if len(session.steps) > 10 else "")
    word = "step" if len(session.steps) == 1 else "steps"
    return f"session {session.number} ({one_line(session.title, 40)}: {word} {steps})"
