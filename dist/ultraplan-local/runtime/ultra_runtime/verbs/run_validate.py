"""Check whether a plan, and the progress of its run if there is one, follow their contracts; write nothing."""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.artifacts.places import number
from ultra_runtime.checkout.settings import settings_problem
from ultra_runtime.contract.result import Issue
from ultra_runtime.files.project import find_project
from ultra_runtime.files.root import working_root
from ultra_runtime.guard.policy import BLOCK
from ultra_runtime.plan.commands import commands_to_run, scan
from ultra_runtime.run.life.dry_run import run_command_of
from ultra_runtime.run.state.assignment import check_plan, read_plan_bytes
from ultra_runtime.run.state.judging import judge_of_plan
from ultra_runtime.run.state.progress import is_missing, read_progress
from ultra_runtime.run.state.run_place import find_run_place, plan_at
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.tables.limits import ISSUES_TOLD
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, one_line

USAGE = "run validate PATH [--project DIR] [--session N] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer READY, or FAIL with the first code."""
    path = plan_at(args.need("PATH"))
    if args.get("--project"):
        find_project(args.need("--project"))
    plan, result = check_plan(read_plan_bytes(path), path)
    errors, warnings = list(result.errors), list(result.warnings)
    errors += _progress_errors(args, path)
    root = working_root()
    settings = settings_problem(root)
    judge = judge_of_plan(root, path)
    blocked = [str(one) for one in scan(plan, judge) if one.verdict == BLOCK]
    synthesised = sum(step.manifest is not None and step.manifest.made_up for step in plan.steps)
    data: dict[str, Any] = {
        "ok": not errors and not blocked and not settings,
        "verdict": "FAIL" if errors or blocked or settings else "READY",
        "type": plan.kind,
        plan_fields.PLAN_VERSION: plan.version,
        "steps": len(plan.steps),
        "manifests": {
            "valid": sum(s.manifest is not None for s in plan.steps) - synthesised,
            "made_up": synthesised,
        },
        "commands": [f"{one.where}: {one_line(one.command, 300)}" for one in commands_to_run(plan)],
        "errors": [issue.as_data() for issue in errors[:ISSUES_TOLD]],
        "warnings": [issue.as_data() for issue in warnings[:ISSUES_TOLD]],
    }
    if blocked:
        data["blocked"] = blocked[:ISSUES_TOLD]
    if settings:
        data["settings"] = settings
    if not data["ok"]:
        policy = f"the command policy blocks {blocked[0]}" if blocked else settings
        data["error"] = str(errors[0]) if errors else policy
        data["next"] = "fix it and validate again"
    else:
        data["next"] = f"run it: {run_command_of(path)}"
    kind = f"{plan.kind} {plan.version or ''}".rstrip()
    title = f"{data['verdict']}: {one_line(path)}, {kind}, {counted(len(plan.steps), 'step')}"
    ran = [f"will run: {one}" for one in data["commands"]]
    ran += [f"blocked {one}" for one in blocked]
    ran += [f"error {settings}"] if settings else []
    ran += [data["next"]] if data["ok"] else []
    lines = [title, *ran, *(f"error {one}" for one in errors), *(f"warning {one}" for one in warnings)]
    return Answer(data, "\n".join(lines), 0 if data["ok"] else 1)


def _progress_errors(args: Args, path: str) -> list[Issue]:
    session = number(args, "--session", 1) if args.get("--session") else None
    try:
        workspace = find_workspace(os.path.dirname(os.path.abspath(path)))
        place = find_run_place(workspace, path, args.get("--project"), session)
    except RefusedError:
        return []
    _, result = read_progress(place.progress)
    return [] if is_missing(result) else result.errors
