"""Begin a small task: create its project from one sentence, and answer with the guide that plans it.

The sentence comes from standard input. A longer text is refused: it needs a brief. The plan gets at most a few steps,
no agent looks at it, and `gate plan --task` decides.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError, Refusing
from ultra_runtime.artifacts.new_project import create, project_for
from ultra_runtime.contract.stages import stage_that_makes
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.guides import guide_text
from ultra_runtime.files.price import price
from ultra_runtime.files.secret_scan import find_secrets
from ultra_runtime.planning.small_task import GUIDE, keep_task, refuse_long
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.tables.limits import TOKENS_TASK
from ultra_runtime.usage import Args
from ultra_runtime.words import listed, one_line

USAGE = "plan task SLUG [--json]"
STAGE = "plan"
HINT = "give the task in one sentence on standard input"


def run(args: Args) -> Answer:
    """Answer with the project and the guide."""
    task = " ".join(as_text(read_given(None, HINT), HINT).split())
    refuse_long(task)
    if next(iter(find_secrets(task)), None):
        hint = "give it again with the name of the variable that holds it"
        raise RefusedError("the task contains what looks like a secret; nothing was written", hint)
    project, there = project_for(args.need("SLUG"), None, USAGE)
    if there:
        error = f"{project.shown} exists and is not empty: it has {one_line(listed(there), 300)}"
        raise RefusedError(error, "choose another slug")
    create(project)
    with Refusing("fix this and retry"):
        keep_task(project, task)
    text = guide_text(stage_that_makes(plan_fields.KIND), GUIDE)
    cost = price((), TOKENS_TASK)
    data = {"ok": True, "project": project.shown, "price": cost, "guide": text, "next": "follow `guide`"}
    return Answer(data, f"{project.shown}\n\n{text}")
