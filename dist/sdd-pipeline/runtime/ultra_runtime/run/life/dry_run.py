"""Report what a run would do, and write nothing."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.settings import settings_problem
from ultra_runtime.contract.stages import command_for
from ultra_runtime.guard.policy import ALLOWED, BLOCK
from ultra_runtime.plan.commands import commands_to_run, scan
from ultra_runtime.plan.covering import plain
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.choice import choose_strategy
from ultra_runtime.run.state.assignment import check_plan, read_plan_bytes
from ultra_runtime.run.state.judging import judge_of_plan, path_problem
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.words import counted, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.result import Result
    from ultra_runtime.guard.judge import Judge
    from ultra_runtime.plan.values import Plan, Step

READY, ATTENTION = "READY", "NEEDS ATTENTION"


class DryRun(Struct):
    """The report and its issues."""

    text: str
    issues: list[str]
    plan: Plan
    strategy: str

    @property
    def verdict(self) -> str:
        return f"{ATTENTION}: {counted(len(self.issues), 'issue')}" if self.issues else READY


def dry_run(path: str, root: str) -> DryRun:
    """Report on a plan or session spec."""
    plan, result = check_plan(read_plan_bytes(path), path)
    if not plan.steps:
        hint = f"name a plan or session spec; `{verb('run validate')} PATH` lists what is wrong with it"
        raise RefusedError(f"{one_line(path)} has no readable step", hint)
    settings = settings_problem(root)
    issues = [*_issues(plan, result, judge_of_plan(root, path)), *([settings] if settings else [])]
    strategy = choose_strategy(plan, False)
    lines = [
        f"## Dry run: {one_line(path)}",
        "",
        f"Type: {plan.kind}; version {plan.version or 'unknown'}; {counted(len(plan.steps), 'step')}; strategy {strategy}",
        "",
        "### Steps",
        "",
        "| Step | Description | Verify | On failure | Checkpoint | Manifest | Issues |",
        "|---|---|---|---|---|---|---|",
        *(_row(step, result) for step in plan.steps),
        "",
        "### Files",
        "",
        *_files(plan, root),
        *_commands(plan),
        *_conditions(plan),
        *_preview(plan, path),
        "",
        "### Verdict",
        "",
    ]
    report = DryRun("", issues, plan, strategy)
    told = [f"- {one_line(issue, 500)}" for issue in issues] or ["", f"To run it: {run_command_of(path)}"]
    report.text = "\n".join([*lines, report.verdict, *told])
    return report


def run_command_of(path: str) -> str:
    """Return the command that runs a plan or session spec."""
    return f"{command_for(progress_fields.KIND) or verb('run start')} {shell_word(path)}"


def _issues(plan: Plan, result: Result, judge: Judge) -> list[str]:
    issues = [
        f"line {one.line or 1}: {one.code}: {one.message}" for one in [*result.errors, *result.warnings]
    ]
    for scanned in scan(plan, judge):
        if scanned.verdict != ALLOWED:
            issues.append(f"{'BLOCKED' if scanned.verdict == BLOCK else 'warning'}: {scanned}")
    for step in plan.steps:
        for path in step.files:
            problem = path_problem(judge, path)
            if problem:
                issues.append(f"step {step.number} must not change {one_line(path)}: {problem}")
    return issues


def _row(step: Step, result: Result) -> str:
    verify = step.verify.command if step.verify and step.verify.command else "none"
    manifest = "none" if step.manifest is None else "generated" if step.manifest.made_up else "yes"
    codes = [one.code for one in [*result.errors, *result.warnings] if one.step == step.number]
    issues = ", ".join(dict.fromkeys(codes)) or "none"
    cells = [
        str(step.number),
        step.title,
        verify,
        step.on_failure,
        step.checkpoint or "none",
        manifest,
        issues,
    ]
    return f"| {' | '.join(one_line(cell, 80).replace('|', chr(92) + '|') for cell in cells)} |"


def _files(plan: Plan, root: str) -> list[str]:
    rows = []
    made: set[str] = set()
    for step in plan.steps:
        for path in dict.fromkeys(map(plain, step.files)):
            if os.path.exists(os.path.join(root, path)):
                state = "EXISTS"
            elif path in made:
                state = "NOT FOUND (an earlier step creates it)"
            elif path in map(
                plain, (*step.new_files, *(step.manifest.expected_paths if step.manifest else ()))
            ):
                state = "NOT FOUND (new file)"
            else:
                state = "NOT FOUND (unexpected: may be missing)"
            made.add(path)
            rows.append(f"- {one_line(path)}: {state}")
    return list(dict.fromkeys(rows)) or ["none"]


def _commands(plan: Plan) -> list[str]:
    rows = [f"- {one.where}: `{one_line(one.command, 300)}`" for one in commands_to_run(plan)]
    return ["", "### Commands", "", *(rows or ["none"])]


def _conditions(plan: Plan) -> list[str]:
    lines = ["", "### Conditions", ""]
    if plan.entry_condition:
        lines.append(f"- Entry: {one_line(plan.entry_condition.text) or 'none'}")
    for one in [*plan.exit_conditions, *plan.verification]:
        what = (
            f"run `{one_line(one.command)}`" if one.command else f"{one_line(one.text)} (checked by a person)"
        )
        lines.append(f"- Exit: {what}")
    return lines if len(lines) > 3 else []


def _preview(plan: Plan, path: str) -> list[str]:
    if not plan.sessions:
        return []
    command = command_for(progress_fields.KIND) or verb("run start")
    lines = [
        "",
        "### Sessions",
        "",
        "| Wave | Session | Steps | Depends on | Command |",
        "|---|---|---|---|---|",
    ]
    for wave, sessions in plan.waves:
        for one in sessions:
            needs = ", ".join(map(str, one.depends_on)) or "none"
            steps = ", ".join(map(str, one.steps))
            call = f"`{command} --session {one.number} {shell_word(path)}`"
            lines.append(f"| {wave} | {one.number}: {one_line(one.title, 60)} | {steps} | {needs} | {call} |")
    key = bool(os.environ.get("ANTHROPIC_API_KEY"))
    billed = (
        "is set: parallel sessions are billed to that account"
        if key
        else "is not set: usage counts against the subscription"
    )
    return [*lines, "", f"Billing: ANTHROPIC_API_KEY {billed}."]
