"""Report what a run of a plan would do: steps, files, conditions, sessions and issues; write nothing."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.files.project import find_project
from ultra_runtime.files.root import working_root
from ultra_runtime.run.life.dry_run import READY, dry_run
from ultra_runtime.run.state.run_place import plan_at
from ultra_runtime.usage import Args

USAGE = "run dry-run PATH [--project DIR] [--json]"
FOR_PEOPLE = "look"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with the report; issues are not a failure."""
    if args.get("--project"):
        find_project(args.need("--project"))
    report = dry_run(plan_at(args.need("PATH")), working_root())
    data = {
        "ok": True,
        "verdict": READY if not report.issues else "NEEDS ATTENTION",
        "type": report.plan.kind,
        "steps": len(report.plan.steps),
        "strategy": report.strategy,
        "issues": report.issues,
        "report": report.text,
        "next": "show `report` to the user as it is",
    }
    return Answer(data, report.text)
