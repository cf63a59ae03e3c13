"""Begin a step: check its fence, run its Test first, and record the tree before it."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.assignment import allowed_paths
from ultra_runtime.run.state.judging import why_blocked
from ultra_runtime.run.state.known import Known, read_known, write_known
from ultra_runtime.run.state.record import Record
from ultra_runtime.run.state.shell_call import run_command
from ultra_runtime.run.state.statuses import IN_PROGRESS, OVER, STOPPED
from ultra_runtime.run.state.supervised import supervise
from ultra_runtime.run.step.failing import end_at
from ultra_runtime.run.step.strays import account, changed_ignored, find_strays
from ultra_runtime.run.tree.before import keep
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.tables.fields import settings_fields
from ultra_runtime.tables.limits import TEST_FIRST_SECONDS
from ultra_runtime.words import listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.shell_call import Outcome
    from ultra_runtime.run.tree.snapshot import Entry


class Begun(Struct):
    """The result of `step begin`: `again` if the step was begun before, `changed` what it changed since."""

    step: Step
    record: Record
    again: bool
    test: Outcome | None
    changed: Sequence[str] = ()


def begin(live: Live, number: int, mine: Sequence[str] = ()) -> Begun:
    """Begin the current step; if it was begun before, continue from the same record.

    `mine` are paths outside the step whose changes the user claims.
    """
    step = live.assignment.step(number)
    refuse_out_of_turn(live, number)
    head = live.git.head()
    record = live.records.read()
    if record and record.number != number:
        record = None
    if record and record.start == head and not mine:
        again = live.progress.state(number) == IN_PROGRESS
        _write_down(live, record)
        changed = (
            [one.path for one in live.snapshots.changes(record.tree, live.snapshots.take())] if again else []
        )
        return Begun(step, record, again, None, changed)
    _refuse_outside_fence(live, step)
    now = live.snapshots.take()
    known = Known(record.start, record.tree, record.artefacts) if record else read_known(live, now)
    strays = find_strays(live, known, now, head)
    account(live, step, strays, mine)
    ignored = changed_ignored(live, number, now)
    before, test = strays.before(step), None
    if record is None:
        own = allowed_paths(step)
        keep(live.workspace, live.snapshots, now, head, own, live.ignored.near(own))
        test, now = _test_first(live, step, now, before)
    tree = live.snapshots.with_entries(now, before)
    if record:
        record.start, record.tree, record.verified = head, tree, ""
    else:
        record = Record(number, head, tree)
        record.attempts = live.progress.attempts(number)
        record.artefacts = [path for path in known.artefacts if not covers(own, path)]
        if test:
            live.snapshots.hold(live.snapshots.beyond(head, now))
    record.ignored += ignored
    write_known(live, Known(head, tree, record.artefacts))
    live.records.write(record)
    _write_down(live, record)
    return Begun(step, record, False, test)


def refuse_out_of_turn(live: Live, number: int) -> None:
    """Refuse a step that is over, or that comes after one that is not over; and any step while git is in a merge."""
    if live.ended:
        error = f"the run has ended: its status is {live.progress.status}"
        raise RefusedError(error, f"finish it: `{verb('run finish')}`")
    state, turn = live.progress.state(number), live.turn()
    if state in OVER:
        raise RefusedError(f"step {number} is {state}", f"continue with `{live.next_call()}`")
    if turn is not None and turn != number:
        under_way = live.progress.state(turn) == IN_PROGRESS
        what = "in progress" if under_way else "next"
        do = f"{verb('step verify')} {turn}" if under_way else f"{verb('step begin')} {turn}"
        raise RefusedError(f"step {number} is out of turn: step {turn} is {what}", f"continue with `{do}`")
    merging = live.git.under_way()
    if merging:  # a commit now would end it, without what it has brought into the tree
        hint = f"ask the user to finish or to abort it, then retry, or end the run with `{verb('run abort')}`"
        raise RefusedError(f"{merging} is in progress in this repository", hint)


def _write_down(live: Live, record: Record) -> None:
    live.progress.change_step(
        record.number,
        {
            fields.STEPS_STATUS: IN_PROGRESS,
            fields.STEPS_ATTEMPTS: record.attempts,
            fields.STEPS_START_COMMIT: record.start,
            fields.STEPS_NOTE: None,
        },
    )
    live.progress.change({fields.STATUS: IN_PROGRESS, fields.CURRENT_STEP: record.number})
    live.progress.save()


def _refuse_outside_fence(live: Live, step: Step) -> None:
    """End the run at a step whose files this session must not touch."""
    fence = live.assignment.fence
    never = [path for path in step.files if covers(fence.never_touch, plain(path), anywhere=True)]
    beyond = [path for path in step.files if fence.touch and not covers(fence.touch, plain(path))]
    if not never and not beyond:
        return
    paths = one_line(listed(never or beyond), 300)
    why = f"step {step.number} must change {paths}, but this session must not touch that"
    end_at(live, step.number, STOPPED, why)
    raise RefusedError(why, f"it is escalated; end the run with `{verb('run finish')}`")


def _test_first(
    live: Live, step: Step, now: str, before: dict[str, Entry | None]
) -> tuple[Outcome | None, str]:
    """Run the test that is expected to fail before the step; return its outcome and the tree after it.

    What it changes in the files of the step is added to `before`: it is the step's work. Elsewhere it is put back.
    """
    if step.test_first is None or not step.test_first.command:
        return None, now
    reason = why_blocked(live.place, step.test_first.command)
    if reason:
        why = f"Test first of step {step.number} is blocked and was not run: {reason}"
        end_at(live, step.number, STOPPED, why)
        raise RefusedError(why, f"it is escalated; end the run with `{verb('run finish')}`")
    name = f"step-{step.number}-test-first.log"
    seconds = live.limit(settings_fields.LIMITS_TEST_FIRST_SECONDS, TEST_FIRST_SECONDS)
    command, own = step.test_first.command, allowed_paths(step)
    ran = supervise(
        live.workspace,
        live.snapshots,
        step.number,
        lambda: run_command(live.place, command, name, seconds),
        own,
    )
    live.ignored.look()  # what the command left is its own
    for note in ran.notes(f"Test first of step {step.number}"):
        live.found(note)
    for change in live.snapshots.changes(now, ran.tree):
        if covers(own, change.path):
            before.setdefault(change.path, change.old)
    return ran.outcome, ran.tree
