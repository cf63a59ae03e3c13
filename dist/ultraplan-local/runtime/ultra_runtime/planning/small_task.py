"""A small task: a plan of few steps, made from one sentence and accepted by code alone."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.stages import command_for
from ultra_runtime.files.atomic import write_file
from ultra_runtime.files.project import Project
from ultra_runtime.files.project_writes import make_subfolder
from ultra_runtime.files.run_files import LOGS, SENTENCE, TASK_FILE
from ultra_runtime.guard.policy import BLOCK
from ultra_runtime.plan.again import sentence_of
from ultra_runtime.plan.commands import scan
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.run.state.judging import judge_of_plan, path_problem
from ultra_runtime.tables.fields import brief_fields, plan_fields
from ultra_runtime.tables.limits import TASK_CHARACTERS, TASK_STEPS
from ultra_runtime.text import frontmatter
from ultra_runtime.text.jsontext import write
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Plan, Step

GUIDE = "task"
NOTE = "A small task, planned from one sentence: without a brief and without critics."


def refuse_long(task: str) -> None:
    """Refuse a task that is more than a sentence."""
    if len(task) > TASK_CHARACTERS:
        error = f"the task is too large for a small task: {len(task)} characters; at most {TASK_CHARACTERS}"
        raise RefusedError(error, f"tell the user, offer `{whole_way()}`, and stop")


def whole_way(task: str = "<task>") -> str:
    """Return the command that begins with an interview instead."""
    return f"{command_for(brief_fields.KIND) or command_for(plan_fields.KIND)} {task}"


def keep_task(project: Project, task: str) -> None:
    """Record that this project is one small task."""
    make_subfolder(project, LOGS)
    write_file(project.path(LOGS, TASK_FILE), (write({SENTENCE: task}) + "\n").encode())


def is_task(project: Project) -> bool:
    """Tell whether a project began as a small task and has no brief."""
    return bool(sentence_of(project.folder))


def task_of(project: Project) -> str:
    """Return the sentence of a small task; refuse a project that did not begin as one, or that has a brief."""
    if not is_task(project):
        error = f"{project.shown} is not a small task, so its plan needs its critics"
        raise RefusedError(error, "call the gate with the critics' answers")
    return sentence_of(project.folder)


def with_task(data: bytes, task: str) -> bytes:
    """Return the plan with its task in the front matter, in place of any other."""
    found = frontmatter.parse(data)
    if found.values is None:
        return data  # the contract says what is wrong with it
    lines = data.split(b"\n")
    line = f"{plan_fields.TASK}: {write(task)}".encode()
    if plan_fields.TASK in found.lines:
        lines[found.lines[plan_fields.TASK] - 1] = line
    else:
        lines.insert(max(found.lines.values()), line)
    return b"\n".join(lines)


def too_large(plan: Plan) -> str:
    """Return why a plan is more than a small task; empty if it is not."""
    if len(plan.steps) <= TASK_STEPS:
        return ""
    return f"the plan has {len(plan.steps)} steps; a small task has at most {TASK_STEPS}"


def faults(project: Project, plan: Plan, path: str) -> list[str]:
    """Return what a critic would have found and code can: commands, files and Verify of each step."""
    judge = judge_of_plan(project.root, path, project.shown)
    found = [f"the command policy blocks {one}" for one in scan(plan, judge) if one.verdict == BLOCK]
    for step in plan.steps:
        if not (step.verify and step.verify.command):
            found.append(f"step {step.number} has no Verify command")
        if not step.files:
            found.append(f"step {step.number} names no file")
        for file in step.files:
            problem = path_problem(judge, file)
            if problem:
                found.append(f"step {step.number} must not change {one_line(file)}: {problem}")
        found += _unknown(project.root, plan, step)
    return found


def _unknown(root: str, plan: Plan, step: Step) -> list[str]:
    """Return the files that neither exist nor are created by a step up to this one."""
    made = [path for one in plan.steps if one.number <= step.number for path in _expected(one)]
    missing = [
        path
        for path in map(plain, step.files)
        if not os.path.lexists(os.path.join(root, path)) and not covers(made, path)
    ]
    if not missing:
        return []
    names = ", ".join(one_line(path) for path in missing)
    what = "does not exist" if len(missing) == 1 else "do not exist"
    return [
        f"step {step.number}: {names} {what}; a file that the step creates must be in {plan_fields.MANIFEST_EXPECTED_PATHS}"
    ]


def _expected(step: Step) -> list[str]:
    return list(step.manifest.expected_paths) if step.manifest else []


def shown_steps(plan: Plan) -> list[str]:
    """Return each step as the user sees it before saying yes."""
    return [
        f"{step.number}. {one_line(step.title, 100)} ({counted(len(step.files), 'file')}: "
        f"{one_line(', '.join(step.files), 200)}); Verify: {step.verify.command if step.verify else ''}"
        for step in plan.steps
    ]
