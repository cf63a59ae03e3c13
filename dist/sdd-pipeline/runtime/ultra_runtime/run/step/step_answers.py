"""What the verbs of a step answer: what to change, what failed, and one line per step for the person who watches."""

from __future__ import annotations

from ultra_runtime.run.state.statuses import SKIPPED
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.typed import Any
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.shell_call import Outcome
    from ultra_runtime.run.step.begin import Begun
    from ultra_runtime.run.step.verify import Verified


def begun_data(live: Live, begun: Begun) -> dict[str, Any]:
    """Return Files, Changes and Reuses of a step that has begun, and what its result must pass."""
    step = begun.step
    data: dict[str, Any] = {"step": step.number, "title": step.title, "files": list(step.files)}
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
    return data


def after_begin(live: Live, number: int) -> str:
    """Return what follows the begin of a step."""
    verify = live.verify_call(number)
    return verify if number == 0 else f"edit `files`, then {verify}"


def failed_data(live: Live, number: int, verified: Verified) -> dict[str, Any]:
    """Return why an attempt failed, and what follows."""
    follows, outcome = verified.follows, verified.outcome
    assert follows is not None  # noqa: S101 - the attempt failed
    most = live.attempts_of(live.assignment.step(number), verified.attempt)
    data: dict[str, Any] = {"of": most, "why": verified.why}
    if outcome and (outcome.status or outcome.late or len(verified.why) == 1):
        excerpt = outcome.excerpt()
        if excerpt:
            data["output"] = excerpt
        data["log"] = outcome.log
    if follows.undone:
        data["undone"] = follows.undone
    data.update(next=follows.word, do=follows.do)
    return data


def step_line(live: Live, number: int, what: str) -> str:
    """Return the line that a person sees, such as `Step 2/7 committed 8ff4cd8: Show the words`."""
    steps = live.assignment.counted
    at = f"{steps.index(number) + 1}/{len(steps)}" if number in steps else str(number)
    return f"Step {at} {what}: {one_line(live.assignment.step(number).title, 80)}"


def failed_line(live: Live, number: int, verified: Verified) -> str:
    """Return the line about an attempt that failed."""
    if live.progress.state(number) == SKIPPED:
        return step_line(live, number, "skipped")
    most = live.attempts_of(live.assignment.step(number), verified.attempt)
    return step_line(live, number, f"failed, attempt {verified.attempt} of {most}")


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
    return "it passes before the step: write the new test first"
