"""Bring back what a step had changed before it was undone, or only the files named by PATH.

What is there now is saved first: the same call brings that back. A file that later commits have changed stays as it is.
While a run goes on, the step must have begun.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.run.step.rescue import rescue, rescue_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.usage import Args

USAGE = "step rescue N [PATH...] [--plan PATH] [--project DIR] [--json]"
FOR_PEOPLE = "act"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with what was written, and how to get back what it replaced."""
    number = step_number(args)
    rescued = rescue(number, args.rest("PATH"), args.get("--plan"), args.get("--project"))
    return rescue_answer(rescued, {"step": number}, f"{verb('step rescue')} {number}")
