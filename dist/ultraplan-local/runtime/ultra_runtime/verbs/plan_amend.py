"""Amend a plan that turned out wrong: start a draft from the plan of a project, and explain how to change it.

The plan stays as it is until `gate plan` accepts the draft; then the old one is kept beside it, with a number, and the
specs of its sessions are written again. A run that had begun continues with --accept-plan-change, if only steps that
have not ended were changed.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError, Refusing
from ultra_runtime.contract.stages import draft_of, file_of
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.guides import guide_text
from ultra_runtime.files.kept_answers import drop_answers
from ultra_runtime.files.project import find_project
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.plan.again import plan_again
from ultra_runtime.plan.values import PLAN
from ultra_runtime.planning import gate as plan_gate
from ultra_runtime.planning.small_task import GUIDE, is_task
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.pinned import refuse_pinned
from ultra_runtime.usage import Args
from ultra_runtime.words import shell_word

USAGE = "plan amend --project DIR [--json]"
STAGE = "plan"


def run(args: Args) -> Answer:
    """Answer with the draft, and with the guide for the steps and what judges them."""
    project = find_project(args.need("--project"))
    shown = project.show(draft_of(PLAN))
    try:
        data = read_regular(project.path(file_of(PLAN)))
    except UnreadableError as problem:
        error = f"{project.show(file_of(PLAN))}: {problem}"
        raise RefusedError(
            error, f"make a plan first: `{plan_again(project.folder, project.shown)}`"
        ) from None
    refuse_pinned(project.path(file_of(PLAN)))
    with Refusing("fix this and retry"), locked(project.folder) as folder:
        if plan_gate.read_draft(project) is not None:
            error = f"{shown} exists: a plan is being made or amended"
            raise RefusedError(
                error,
                f"finish it with `{verb('gate plan')} --project {shell_word(project.shown)}`, or delete the draft",
            )
        plan_gate.write_draft(project, folder, data)
    drop_answers()
    put = f"{verb('put')} {PLAN} --project {shell_word(project.shown)} --draft --step N"
    small = is_task(project)
    gate = "3 and 4 of `guide`" if small else "D of `guide`: its critics and its gate"
    next_step = (
        f"change the steps that are wrong with `{put}`, then follow {gate}; a run that has begun continues with"
        " --accept-plan-change, if only steps that have not ended were changed"
    )
    text = guide_text(STAGE, GUIDE if small else "synthesis")
    answer = {"ok": True, "path": shown, "project": project.shown, "guide": text, "next": next_step}
    return Answer(answer, f"{shown}\n{next_step}\n\n{text}".rstrip())
