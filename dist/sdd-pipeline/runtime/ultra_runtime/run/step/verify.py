"""Verify a step: run its command, then check its manifest; it can be committed only if both pass."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.plan.covering import covers
from ultra_runtime.proof.drift import FORBIDDEN, NEVER_TOUCH, PROTECTED, SCOPE
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.assignment import allowed_paths, manifest_of
from ultra_runtime.run.state.judging import protected, why_blocked
from ultra_runtime.run.state.known import left_before
from ultra_runtime.run.state.shell_call import open_logs, run_command
from ultra_runtime.run.state.statuses import IN_PROGRESS
from ultra_runtime.run.step.added import NOT_ADDED, check_added, follow_added
from ultra_runtime.run.step.begin import refuse_out_of_turn
from ultra_runtime.run.step.expected import Fault, WorkTree, check_manifest
from ultra_runtime.run.step.failing import STOP, after_failure, blocked, escalate
from ultra_runtime.run.step.replaced import keep_replaced
from ultra_runtime.run.step.strays import came_to_light, changed_ignored, rewritten
from ultra_runtime.run.tree.commit import find_overlaps
from ultra_runtime.run.tree.snapshot import list_paths, tracked_paths
from ultra_runtime.run.tree.staged import keep_staging
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.state.shell_call import Outcome
    from ultra_runtime.run.step.failing import Follows
    from ultra_runtime.run.tree.snapshot import Change

REFUSED_BY_SANDBOX = 77
SKIP_PREFLIGHT = "ULTRAEXECUTE_SKIP_PREFLIGHT"
COMMITS = "commits"
IGNORED = "changed, but ignored by git"
UNHIDDEN = "no longer ignored by git, left uncommitted as before"
REPORTED = (SCOPE, FORBIDDEN, NEVER_TOUCH, PROTECTED, COMMITS, NOT_ADDED)
"""Checks whose faults the final report lists even when a later attempt passes."""


class Verified:
    """The result of an attempt; without `follows` it passed."""

    def __init__(
        self, attempt: int, why: list[str], outcome: Outcome | None, follows: Follows | None
    ) -> None:
        self.attempt = attempt
        self.why = why
        self.outcome = outcome
        self.follows = follows
        self.note = ""


def verify(live: Live, number: int, seconds: float) -> Verified:
    """Run one attempt of a step that has begun."""
    step = live.assignment.step(number)
    record = need_record(live, number)
    if record.verified and record.verified == live.snapshots.take():
        raise RefusedError(f"step {number} has passed", f"commit it: `{verb('step commit')} {number}`")
    _refuse_rewritten(live, record)
    most = live.most_attempts()
    if record.attempts >= most:
        why = f"{most} attempts are used up"
        return Verified(record.attempts, [why], None, after_failure(live, step, record, why))
    if step.verify and step.verify.command:
        reason = why_blocked(live.place, step.verify.command)
        if reason:
            why = f"Verify is blocked and was not run: {reason}"
            live.found(f"step {number}: {why}")
            return Verified(record.attempts, [why], None, escalate(live, step, why))
    return _attempt(live, step, record, seconds)


def need_record(live: Live, number: int) -> Record:
    """Return the record of the step in progress, or refuse a call out of order."""
    refuse_out_of_turn(live, number)
    record = live.records.read()
    if live.progress.state(number) != IN_PROGRESS or record is None or record.number != number:
        raise RefusedError(f"step {number} has not begun", f"begin it: `{verb('step begin')} {number}`")
    return record


def _refuse_rewritten(live: Live, record: Record) -> None:
    head = live.git.head()
    if head != record.start and not live.git.is_ancestor(record.start, head):
        raise rewritten(record.start, head)


def _attempt(live: Live, step: Step, record: Record, seconds: float) -> Verified:
    attempt = record.attempts + 1
    # What no edit can fix is found first: a refusal uses up no attempt.
    open_logs(live.place, "")
    follow_added(live, step, record)
    before = live.snapshots.take()
    record.attempts = attempt  # before its command runs: a killed call is a used attempt
    record.verified = ""
    live.records.write(record)
    note = f"attempt {attempt} was in progress"
    live.progress.change_step(step.number, {fields.STEPS_ATTEMPTS: attempt, fields.STEPS_NOTE: note})
    live.progress.save()
    record.ignored += changed_ignored(live, step.number, before)
    outcome = None
    if step.verify and step.verify.command:
        command, name = step.verify.command, f"step-{step.number}-verify-{attempt}.log"
        expected = [step.verify.expected] if step.verify.literal else ()
        outcome, staged = keep_staging(
            live.snapshots, lambda: run_command(live.place, command, name, seconds, expected)
        )
        if staged:
            live.found(f"step {step.number}, Verify: {staged}")
        live.ignored.look()  # what the command left is its own
    after = live.snapshots.take() if outcome else before
    if outcome and outcome.status == REFUSED_BY_SANDBOX and manifest_of(step).sandbox_preflight:
        why = (
            f"Verify failed with exit status {REFUSED_BY_SANDBOX}: the sandbox refuses what the session needs;"
            f" to work without a push, start the client with {SKIP_PREFLIGHT}=1 and resume"
        )
        return Verified(attempt, [why], outcome, blocked(live, step, why))
    words = _command_faults(step, outcome, seconds)
    faults = _faults(live, step, record, before, after)
    if words or faults:
        commanded = bool(words)
        words += [fault.words for fault in faults]
        for fault in faults:
            if fault.check in REPORTED:
                live.found(f"step {step.number}, attempt {attempt}: {fault.words}")
        why = one_line("; ".join(words), 1000)
        follows = after_failure(live, step, record, why, faults, commanded)
        return Verified(attempt, words, outcome, follows)
    return _pass(live, step, record, after, outcome)


def _pass(live: Live, step: Step, record: Record, tree: str, outcome: Outcome | None) -> Verified:
    verified = Verified(record.attempts, [], outcome, None)
    passed = fields.STEPS_MANIFEST_AUDIT_PASS
    shown = live.ignored.files() if record.artefacts else set()
    left = [path for path in record.artefacts if path not in left_before(live) and path not in shown]
    notes = [
        f"{what}: {list_paths(paths)}"
        for what, paths in (
            ("left uncommitted, written by Verify", left),
            (UNHIDDEN, [path for path in record.artefacts if path in shown]),
            (IGNORED, list(dict.fromkeys(record.ignored))),
        )
        if paths
    ]
    if notes:
        passed = fields.STEPS_MANIFEST_AUDIT_PASS_WITH_NOTE
        verified.note = "; ".join(notes)
    live.progress.change_step(
        step.number,
        {
            fields.STEPS_ATTEMPTS: record.attempts,
            fields.STEPS_ERROR: None,
            fields.STEPS_MANIFEST_AUDIT: passed,
            fields.STEPS_MANIFEST_DRIFT: None,
            fields.STEPS_NOTE: verified.note or None,
        },
    )
    live.progress.save()
    record.verified = tree
    live.records.write(record)
    return verified


def _command_faults(step: Step, outcome: Outcome | None, seconds: float) -> list[str]:
    if outcome is None or step.verify is None:
        return []
    if outcome.late:
        return [f"Verify timed out after {seconds:g} s and was stopped with its child processes"]
    if outcome.status:
        return [f"Verify failed with exit status {outcome.status}"]
    if outcome.lacks:
        return [f"Verify did not print the expected text: {one_line(step.verify.expected, 120)}"]
    return []


def _faults(live: Live, step: Step, record: Record, before: str, after: str) -> list[Fault]:
    """Return the checks that fail apart from the command."""
    faults = []
    head = live.git.head()
    if head != record.start:
        back = f"ask the user to undo them: `git reset --soft {record.start[:12]}`"
        faults.append(Fault(COMMITS, f"commits were made outside the run; {back}"))
    changes = live.snapshots.changes(before, after)
    anew = _written_anew(live, record, changes)
    if anew.difference(record.artefacts):  # nobody else may have what was there
        own = [one for one in changes if one.path in anew.difference(record.artefacts)]
        keep_replaced(live, record, own, f"fix this, then retry `{verb('step verify')} {record.number}`")
    during = _sort_out(live, step, record, changes, anew)
    if during:
        faults.append(Fault("during_verify", f"changed while Verify ran: {list_paths(during)}; verify again"))
    changes = live.snapshots.changes(record.tree, after)
    record.artefacts += [path for path in came_to_light(live, step, changes) if path not in record.artefacts]
    changes = [one for one in changes if one.path not in record.artefacts]
    tree = WorkTree(live.snapshots, after, changes)
    faults += check_manifest(tree, step, changes, live.assignment.fence)
    faults += check_added(live, step, record, changes, after)
    own = [one for one in changes if covers(allowed_paths(step), one.path)]
    overlaps = find_overlaps(live.snapshots, own, record.start)
    if overlaps:
        words = f"the same lines had uncommitted changes before the step: {list_paths(overlaps)}"
        remedy = "the user commits or stashes them, then resumes the run"
        faults.append(Fault("overlap", f"{words}; {remedy}", final=STOP))
    return faults


def _written_anew(live: Live, record: Record, changes: Sequence[Change]) -> set[str]:
    """Return the files that no commit has and that only the command has changed, such as a report of the tests."""
    old = {one.path: one.old for one in changes if one.old and one.new}
    if not old:
        return set()
    begun, tracked = live.snapshots.entries(record.tree, [*old]), tracked_paths(live.git, [*old])
    return {path for path, entry in old.items() if path not in tracked and begun.get(path) == entry}


def _sort_out(
    live: Live, step: Step, record: Record, changes: Sequence[Change], written_anew: Collection[str]
) -> list[str]:
    """Record files that the command left outside the step, new or written anew, and return what else it changed."""
    manifest, fence = manifest_of(step), live.assignment.fence
    closed = [*allowed_paths(step), *manifest.forbidden_paths, *fence.never_touch]
    others = []
    for change in changes:
        if change.path in record.artefacts:
            continue
        if (
            (change.old is None or change.path in written_anew)
            and not covers(closed, change.path, anywhere=True)
            and not protected(change.path)
        ):
            record.artefacts.append(change.path)
        else:
            others.append(change.path)
    return others
