"""Begin a step: record the state before it, run its Test first, and answer with what to change.

It refuses changes that no step made. With --mine the user claims those at PATH; the report lists them.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.plan.values import Step
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.state.shell_call import Outcome
from ultra_runtime.run.step.begin import Begun, begin
from ultra_runtime.run.step.numbers import step_number
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.shell_call import Outcome
    from ultra_runtime.run.step.begin import Begun

USAGE = "step begin N [PATH...] [--mine] [--plan PATH] [--project DIR] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with Files, Changes and Reuses, and with what the result must pass."""
    number, mine = step_number(args), args.rest("PATH")
    if bool(mine) != args.flag("--mine"):
        raise args.usage.error("--mine and the paths that the user claims must be given together")
    busy, live = open_live(f"step begin {number}", args.get("--plan"), args.get("--project"))
    with busy:
        begun = begin(live, number, mine)
    step = begun.step
    data: dict[str, Any] = {"ok": True, "step": number, "title": step.title, "files": list(step.files)}
    for name, text in (("changes", step.changes), ("reuses", step.reuses)):
        if text:
            data[name] = text
    test = _test_first(begun)
    if test:
        data["test_first"] = test
    data.update(_asked(step))
    data["attempts"] = live.attempts_left(step, begun.record.attempts)
    if begun.again:
        used = counted(begun.record.attempts, "attempt")
        done = list_paths(begun.changed) if begun.changed else "nothing"
        data["again"] = f"already begun; {used} used; changed so far: {done}"
    if live.notes:
        data["notes"] = live.notes
    verify = f"{verb('step verify')} {number}"
    data["next"] = verify if number == 0 else f"edit `files`, then {verify}"
    lines = [f"Step {number}: {step.title}", f"Files: {', '.join(step.files) or 'none'}", step.changes]
    return Answer(data, "\n".join([*filter(None, lines), *live.notes, f"Next: {data['next']}"]))


def _asked(step: Step) -> dict[str, Any]:
    """Return what the step must pass, so that nobody has to read the plan for it."""
    asked: dict[str, Any] = {}
    if step.verify and step.verify.command:
        expected = f" -> {step.verify.expected}" if step.verify.literal else ""
        asked["verify"] = step.verify.command + expected
    if step.manifest and step.manifest.must_contain:
        asked[plan_fields.MANIFEST_MUST_CONTAIN] = [
            f"{path}: {pattern}" for path, pattern in step.manifest.must_contain
        ]
    return asked


def _test_first(begun: Begun) -> str:
    test = begun.step.test_first
    if test is None:
        return ""
    if begun.test is None:
        return test.command or test.text
    return f"{test.command}: {_test_words(begun.test)}"


def _test_words(outcome: Outcome) -> str:
    if outcome.late:
        return "it timed out"
    if outcome.status:
        return f"it fails before the step, with exit status {outcome.status}"
    return "it passes before the step, which proves nothing until the new test is written"
