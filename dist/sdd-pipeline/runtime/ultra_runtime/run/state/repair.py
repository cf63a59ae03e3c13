"""Reconcile the progress file with git: git decides, and the file alone proves nothing."""

from __future__ import annotations

import os

from ultra_runtime.contract.model import current_version
from ultra_runtime.files.git import GitError
from ultra_runtime.files.run_files import BROKEN
from ultra_runtime.files.run_refs import BEGIN, DONE, SKIP, set_in_git
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.known import Known, write_known
from ultra_runtime.run.state.past import free_path
from ultra_runtime.run.state.progress import Progress, is_missing, read_progress
from ultra_runtime.run.state.statuses import COMPLETED, DEFERRED, IN_PROGRESS, PENDING, SKIPPED
from ultra_runtime.run.tree.commit import find_commit, follow_hooks, update_index
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.text.timestamp import now
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ultra_runtime.run.state.assignment import Assignment
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.tree.snapshot import Change

PASSED = (
    fields.STEPS_MANIFEST_AUDIT_PASS,
    fields.STEPS_MANIFEST_AUDIT_PASS_WITH_NOTE,
    fields.STEPS_MANIFEST_AUDIT_N_A,
)


def new_progress(
    place: RunPlace, assignment: Assignment, digest: str, mode: str, start: str, legacy: bool
) -> Progress:
    """Return the progress of a run before its first step."""
    own = set(assignment.numbers)
    recorded = assignment.recorded()
    values: dict[str, Any] = {
        fields.SCHEMA_VERSION: current_version(fields.KIND),
        fields.PLAN: place.shown,
        fields.PLAN_TYPE: assignment.plan.kind,
        fields.PLAN_VERSION: assignment.plan.version or "legacy",
        fields.PLAN_DIGEST: digest,
        fields.STARTED_AT: now(),
        fields.UPDATED_AT: now(),
        fields.MODE: mode,
        fields.TOTAL_STEPS: sum(number > 0 for number in recorded),
        fields.CURRENT_STEP: 0,
        fields.STATUS: PENDING,
        fields.SESSION_START_SHA: start,
        fields.LEGACY_PLAN: legacy,
        fields.STEPS: {
            str(number): {
                fields.STEPS_STATUS: PENDING if number in own else DEFERRED,
                fields.STEPS_ATTEMPTS: 0,
            }
            for number in recorded
        },
    }
    return Progress(place.progress, values)


def reconcile(live: Live, only_forwards: bool = False) -> None:
    """Load the progress of a live run, compare it with the facts in git, and report what was corrected.

    With `only_forwards`, claims of the file that git does not confirm are left for the next verb to correct.
    """
    refs = _take_refs(live)
    live.progress = _load(live, refs)
    before = live.progress.text()
    _settle(live, refs)
    for number in live.assignment.numbers:
        _correct_step(live, number, refs, only_forwards)
    if not only_forwards:
        _correct_start(live, refs)
        _correct_status(live, refs)
    if live.progress.text() != before:
        live.progress.save()


def _take_refs(live: Live) -> dict[str, str]:
    """Return the facts of the run; name what somebody else wrote, and put back what the runtime wrote."""
    found = live.git.run_refs(live.place.slug)
    for problem in found.problems:
        live.found(problem)
    if found.repairs:
        try:
            set_in_git(live.git, live.place.slug, found.repairs)
        except GitError as problem:  # an object is gone: the list still decides
            live.notes.append(str(problem))
    if live.records.is_foreign():
        live.found("the record of the step in progress was not written by the runtime and is ignored")
        live.records.clear()
    if live.snapshots.own_index.is_foreign():
        live.found("the index of the snapshots was not written by the runtime and is not used")
    return dict(found.refs)


def _load(live: Live, refs: dict[str, str]) -> Progress:
    progress, result = read_progress(live.place.progress)
    if progress is not None:
        return progress
    what = "was missing" if is_missing(result) else f"could not be read ({result.errors[0].code})"
    kept = "" if is_missing(result) else f"; the old file is {live.place.show(_keep_old(live.place))}"
    live.found(f"{live.place.show(live.place.progress)} {what} during the run and was rebuilt from git{kept}")
    plan = live.assignment.plan
    start = refs.get("start") or live.git.head()
    progress = new_progress(
        live.place, live.assignment, live.lock["digest"], live.lock["mode"], start, plan.legacy
    )
    progress.change({fields.STATUS: IN_PROGRESS})
    record = live.records.read()
    if record and record.number in live.assignment.numbers:
        begun = {
            fields.STEPS_STATUS: IN_PROGRESS,
            fields.STEPS_ATTEMPTS: record.attempts,
            fields.STEPS_START_COMMIT: record.start,
        }
        progress.change_step(record.number, begun)
        progress.change({fields.CURRENT_STEP: record.number})
    progress.save()
    return progress


def _keep_old(place: RunPlace) -> str:
    """Move a progress file that cannot be used aside, and return where it is."""
    path = place.progress + BROKEN
    if place.project:
        path = free_path(path)
    os.replace(place.progress, path)
    return path


def _settle(live: Live, refs: dict[str, str]) -> None:
    """Finish an interrupted commit: if git has it, it counts."""
    record = live.records.read()
    if record is None or record.commit is None:
        return
    name = f"{DONE}{record.number}"
    commit = refs.get(name) or find_commit(live.git, record)
    if commit:
        if record.commit["tree"]:
            _take_over(live, record, follow_hooks(live.snapshots, record.commit, commit))
        finish_commit(live, record, commit)
        refs[name] = commit


def _take_over(live: Live, record: Record, changes: list[Change]) -> None:
    """Count what hooks have committed as the step's, where the working tree has it too."""
    if not changes:
        return
    paths = [one.path for one in changes]
    there = live.snapshots.entries(live.snapshots.take(), paths)
    same = {one.path: one.new for one in changes if there.get(one.path) == one.new}
    record.verified = live.snapshots.with_entries(record.verified or record.tree, same)
    name_hooks(live, record.number, paths)


def name_hooks(live: Live, number: int, paths: Iterable[str]) -> None:
    """Report what the hooks of a commit changed."""
    live.found(
        f"step {number}: hooks of the commit changed what had passed: {list_paths(dict.fromkeys(paths))}"
    )


def finish_commit(live: Live, record: Record, commit: str) -> bool:
    """Record that a step is committed: first in git, then in the index, then in the progress file."""
    live.git.set_refs(
        live.place.slug, {f"{DONE}{record.number}": commit, f"{BEGIN}{record.number}": record.start}
    )
    made = record.commit or {}
    rows = made.get("index", [])
    problem = update_index(live.git, rows, made.get("mark", "")) if rows else None
    if problem:
        why = f"was not updated: {problem}: {problem.hint}"
        if problem.lock:
            why = f"is locked and was not updated: if no git runs, remove {problem.lock}"
        paths = " ".join(shell_word(row[0]) for row in rows)
        live.notes.append(f"the git index {why}, then `git reset -- {one_line(paths, 300)}`")
    _complete(live, record.number, commit, record.start)
    if commit == record.start:
        live.progress.change_step(record.number, {fields.STEPS_COMMIT: None})
    live.progress.save()
    write_known(live, Known(commit, record.verified or record.tree, record.artefacts))
    live.records.clear()
    return problem is None


def _complete(live: Live, number: int, commit: str, start: str) -> None:
    step = live.progress.step(number)
    values: dict[str, Any] = {
        fields.STEPS_STATUS: COMPLETED,
        fields.STEPS_COMMIT: commit,
        fields.STEPS_START_COMMIT: start,
        fields.STEPS_ERROR: None,
    }
    if step.get(fields.STEPS_STATUS) != COMPLETED:
        values[fields.STEPS_COMPLETED_AT] = now()
    if step.get(fields.STEPS_MANIFEST_AUDIT) not in PASSED:
        values[fields.STEPS_MANIFEST_AUDIT] = fields.STEPS_MANIFEST_AUDIT_PASS
    live.progress.change_step(number, values)


def _correct_step(live: Live, number: int, refs: dict[str, str], only_forwards: bool) -> None:
    state = live.progress.state(number)
    done, skipped = refs.get(f"{DONE}{number}"), refs.get(f"{SKIP}{number}")
    if done and state != COMPLETED:
        start = refs.get(f"{BEGIN}{number}", done)
        _complete(live, number, done, start)
        if done == start:
            live.progress.change_step(number, {fields.STEPS_COMMIT: None})
        live.notes.append(f"step {number} was committed before the interruption and is completed")
    elif skipped and state not in (SKIPPED, COMPLETED):
        live.progress.change_step(number, {fields.STEPS_STATUS: SKIPPED})
    elif only_forwards:
        return
    elif (state == COMPLETED and not done) or (state == SKIPPED and not skipped):
        # Not with change_step, which only moves forwards: this status was never true.
        record = live.records.read()
        under_way = record is not None and record.number == number
        step = live.progress.step(number)
        step[fields.STEPS_STATUS] = SKIPPED if skipped else IN_PROGRESS if under_way else PENDING
        step.pop(fields.STEPS_COMMIT, None)
        step.pop(fields.STEPS_COMPLETED_AT, None)
        name = live.place.show(live.place.progress)
        live.found(
            f"{name} said that step {number} is {state}, but git has no record of that; it was corrected"
        )


def _correct_start(live: Live, refs: dict[str, str]) -> None:
    """Undo a start that `run start` did not write."""
    if "start" not in refs or live.progress.values.get(fields.SESSION_START_SHA) == refs["start"]:
        return
    live.progress.values[fields.SESSION_START_SHA] = refs["start"]
    name = live.place.show(live.place.progress)
    live.found(f"{name} named another start of the run than git has; it was corrected")


def _correct_status(live: Live, refs: dict[str, str]) -> None:
    """Undo a `completed` that `run finish` did not write: finish records the end of the run in git first."""
    if live.progress.status != COMPLETED or (live.all_over() and "end" in refs):
        return
    live.progress.values[fields.STATUS] = IN_PROGRESS
    for name in (fields.COMPLETED_AT, fields.SUMMARY):
        live.progress.values.pop(name, None)
    name = live.place.show(live.place.progress)
    live.found(
        f"{name} said that the run is {COMPLETED}, but `{verb('run finish')}` did not set that; it was corrected"
    )
