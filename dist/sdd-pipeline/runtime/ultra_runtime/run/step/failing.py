"""Decide what follows a failed attempt: another one, or what the step's On failure says."""

from __future__ import annotations

from ultra_runtime.files.run_refs import SKIP
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.statuses import BLOCKED, FAILED, SKIPPED, STOPPED
from ultra_runtime.run.tree.saves import NotSavedError
from ultra_runtime.run.tree.undo import undo
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.words import shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.step.expected import Fault

MOST_NAMED = 5
RETRY, STOP, ESCALATE, SKIP_STEP, BLOCKED_STEP = "retry", "stop", "escalate", "skip", "blocked"
"""The values of `next` in the answer of a failed attempt."""
REPORT = verb("run finish")


class Follows(Struct):
    """What follows a failure: the value of `next`, what to do, and what was undone."""

    word: str
    do: str
    undone: str = ""


def after_failure(
    live: Live, step: Step, record: Record, why: str, faults: Sequence[Fault] = (), commanded: bool = True
) -> Follows:
    """Record the failed attempt and do what the plan says; `commanded` if the command failed, too."""
    drift = [fault.as_data() for fault in faults]
    live.progress.change_step(
        step.number,
        {
            fields.STEPS_ATTEMPTS: record.attempts,
            fields.STEPS_ERROR: why,
            fields.STEPS_NOTE: None,
            fields.STEPS_MANIFEST_AUDIT: fields.STEPS_MANIFEST_AUDIT_FAIL if drift else None,
            fields.STEPS_MANIFEST_DRIFT: drift or None,
        },
    )
    if step.on_failure == plan_fields.STEPS_ON_FAILURE_SKIP:
        return _skip(live, step, record, why)
    final = {fault.final for fault in faults}
    if step.on_failure == plan_fields.STEPS_ON_FAILURE_ESCALATE or ESCALATE in final:
        live.records.write(record)
        return escalate(live, step, why)
    if record.attempts < live.most_attempts() and STOP not in final:
        live.progress.save()
        live.records.write(record)
        return Follows(RETRY, _how_to_fix(live, step, faults, commanded))
    undone = _undo(live, step, record, why)
    if isinstance(undone, Follows):
        return undone
    end_at(live, step.number, FAILED, why)
    live.records.clear()
    return Follows(STOP, REPORT, undone)


def _how_to_fix(live: Live, step: Step, faults: Sequence[Fault], commanded: bool) -> str:
    """Return what to do before the next attempt."""
    outside = list(dict.fromkeys(path for fault in faults for path in fault.outside))
    inside = commanded or any(not fault.outside for fault in faults)
    hint = step.on_failure_text if step.on_failure == plan_fields.STEPS_ON_FAILURE_RETRY else ""
    how = f" ({hint})" if hint else ""
    steps = []
    if outside:
        named = "".join(f" {shell_word(path)}" for path in outside) if len(outside) <= MOST_NAMED else ""
        back = f"undo what is outside the step: `{verb('step restore')} {step.number}{named}`"
        mine = named or " PATH"
        steps.append(
            f"{back} (what the user changed: ask, then `{verb('step begin')} {step.number} --mine{mine}`)"
        )
    if inside:
        steps.append(f"fix {'the rest' if outside else 'it'}{how}")
    return ", then ".join([*steps, f"`{live.verify_call(step.number)}`"])


def escalate(live: Live, step: Step, why: str) -> Follows:
    """Stop for the user: every step that passed is committed, and the edits of this one stay in the tree."""
    end_at(live, step.number, STOPPED, why)
    return Follows(ESCALATE, REPORT)


def blocked(live: Live, step: Step, why: str) -> Follows:
    """Stop because the sandbox refused the pre-flight: no step failed, and nothing can be done here."""
    live.progress.change_step(
        step.number,
        {
            fields.STEPS_STATUS: BLOCKED,
            fields.STEPS_ERROR: why,
            fields.STEPS_NOTE: None,
            fields.STEPS_MANIFEST_AUDIT: fields.STEPS_MANIFEST_AUDIT_N_A,
        },
    )
    live.progress.change({fields.STATUS: BLOCKED})
    live.progress.save()
    live.records.clear()
    return Follows(BLOCKED_STEP, REPORT)


def end_at(live: Live, number: int, status: str, why: str) -> None:
    """End the run at a step."""
    live.progress.change_step(
        number, {fields.STEPS_STATUS: FAILED, fields.STEPS_ERROR: why, fields.STEPS_NOTE: None}
    )
    live.progress.change({fields.STATUS: status, fields.CURRENT_STEP: number})
    live.progress.save()


def _skip(live: Live, step: Step, record: Record, why: str) -> Follows:
    undone = _undo(live, step, record, why)
    if isinstance(undone, Follows):
        return undone
    live.git.set_refs(live.place.slug, {f"{SKIP}{step.number}": live.git.head()})
    live.progress.change_step(step.number, {fields.STEPS_STATUS: SKIPPED})
    live.progress.save()
    live.records.clear()
    return Follows(SKIP_STEP, live.next_call(), undone)


def _undo(live: Live, step: Step, record: Record, why: str) -> str | Follows:
    """Undo the step and return what was undone; if that is not possible, stop for the user and keep the record."""
    try:
        undone = undo(live.workspace, live.snapshots, record)
    except NotSavedError as problem:
        return _not_undone(
            live, step, why, f"nothing was undone, because it could not be saved first: {problem}"
        )
    if undone.paths:
        live.found(f"step {record.number} was undone: {undone}")
    if undone.left:
        return _not_undone(live, step, why, f"not everything could be undone: {undone.left_words()}")
    return str(undone)


def _not_undone(live: Live, step: Step, why: str, reason: str) -> Follows:
    live.found(f"step {step.number}: {reason}")
    follows = escalate(live, step, f"{why}; {reason}")
    return Follows(follows.word, follows.do, reason)
