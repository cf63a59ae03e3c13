"""Commit a step that has passed, and note a message that does not match its pattern."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import GitError
from ultra_runtime.files.patterns import PatternError
from ultra_runtime.proof.content import has_subject
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.assignment import manifest_of
from ultra_runtime.run.state.live import BRANCH
from ultra_runtime.run.state.repair import finish_commit, name_hooks
from ultra_runtime.run.state.statuses import OVER
from ultra_runtime.run.step.replaced import keep_replaced
from ultra_runtime.run.step.verify import need_record
from ultra_runtime.run.tree.commit import (
    build_index,
    find_commit,
    follow_hooks,
    make_commit,
    parent_and_hooks,
    prepare,
)
from ultra_runtime.run.tree.own_index import drop
from ultra_runtime.run.tree.saves import NotSavedError
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.run.tree.transplant import Overlap
from ultra_runtime.run.tree.undo import save_removed
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.record import Record
    from ultra_runtime.run.tree.commit import Prepared

HOOKS = (
    "the step has passed and its files stay as they are: fix in them what the hook names and run `{verify} {number}`"
    " again, or have the user fix the hook or the signature, then `{call} {number}`"
)
MEANWHILE = "commits were made outside the run since the step was verified"


class Committed(Struct):
    """The result of `step commit`; without a commit there was nothing to commit."""

    commit: str
    note: str
    drift: str


def commit_step(live: Live, number: int) -> Committed:
    """Commit a verified step."""
    step = live.assignment.step(number)
    record = need_record(live, number)
    if not record.verified:
        raise RefusedError(
            f"step {number} has not passed", f"verify it first: `{verb('step verify')} {number}`"
        )
    _refuse_unverified(live, record)
    _keep_removed(live, record)
    if number == 0:
        live.progress.change_step(number, {fields.STEPS_MANIFEST_AUDIT: fields.STEPS_MANIFEST_AUDIT_N_A})
        return _without_commit(live, record, "")
    tree_changes = live.snapshots.changes(record.tree, record.verified)
    changes = [change for change in tree_changes if change.path not in record.artefacts]
    index = live.workspace.path(live.place.slug, f"commit.{os.getpid()}")
    try:
        prepared = prepare(live.git, live.snapshots, changes, record.start, index)
        keep_replaced(live, record, changes, _again(record))
        if not prepared.commits:
            return _without_commit(live, record, "there was nothing to commit")
        commit, has_hooks = _with_commit(live, step, record, prepared, index)
    except Overlap as problem:
        error = f"{one_line(str(problem))} had uncommitted changes in the same lines before the step"
        raise RefusedError(error, f"verify again: `{verb('step verify')} {number}`") from None
    finally:
        drop(index)
        drop(f"{index}.lock")
    drift = _drift(live, step, commit)
    if has_hooks:
        _name_hooks(live, record, commit)
    finish_commit(live, record, commit)
    _name_branch(live, number)
    return Committed(commit, "", drift)


def _name_branch(live: Live, number: int) -> None:
    """Name the branch of a commit if it is not the one on which the run was started or resumed."""
    then, now = (
        f"the branch {one_line(name)}" if name else "a detached HEAD"
        for name in (live.lock.get(BRANCH), live.git.branch())
    )
    if BRANCH in live.lock and then != now:
        live.found(f"step {number} was committed on {now}, but the run was started on {then}")


def _refuse_unverified(live: Live, record: Record) -> None:
    changed = live.snapshots.changes(record.verified, live.snapshots.take())
    again = f"verify it again: `{verb('step verify')} {record.number}`"
    if changed:
        raise RefusedError(f"changed since it was verified: {list_paths(one.path for one in changed)}", again)
    if live.git.head() != record.start:
        raise RefusedError(MEANWHILE, again)


def keep_what_was_there(live: Live) -> list[str]:
    """Save what an unfinished step has replaced or removed and no commit has, and say so: no resume may follow."""
    record, told = live.records.read(), len(live.lock.get("findings") or ())
    if record is None or live.progress.state(record.number) in OVER:
        return []
    try:
        changes = live.snapshots.changes(record.tree, live.snapshots.take())
        own = [one for one in changes if one.path not in record.artefacts]
        keep_replaced(live, record, own, _again(record))
        _keep_removed(live, record)
    except (RefusedError, GitError) as problem:
        live.found(f"step {record.number}: {problem}")
    return list(live.lock.get("findings") or ())[told:]


def _keep_removed(live: Live, record: Record) -> None:
    """Save ignored files that the step removed or edited: there is no other copy."""
    try:
        paths = save_removed(live.workspace, live.snapshots, record)
    except (NotSavedError, GitError) as problem:
        error = f"ignored files that the step removed or edited cannot be saved: {problem}"
        raise RefusedError(error, _again(record)) from None
    if paths:
        back = f"`{verb('step rescue')} {record.number}` when the run is over"
        root = live.workspace.root
        there = [path for path in paths if os.path.lexists(os.path.join(root, path))]
        did = "edited" if len(there) == len(paths) else "removed or edited" if there else "removed"
        live.found(f"step {record.number} {did} ignored files: {list_paths(paths)}; to get them back: {back}")


def _again(record: Record) -> str:
    return f"fix this, then retry `{verb('step commit')} {record.number}`"


def _without_commit(live: Live, record: Record, note: str) -> Committed:
    record.commit = {"tree": "", "message": "", "paths": [], "index": []}
    if note:
        passed = fields.STEPS_MANIFEST_AUDIT_PASS_WITH_NOTE
        live.progress.change_step(
            record.number, {fields.STEPS_NOTE: note, fields.STEPS_MANIFEST_AUDIT: passed}
        )
    finish_commit(live, record, record.start)
    return Committed("", note, "")


def _with_commit(live: Live, step: Step, record: Record, prepared: Prepared, index: str) -> tuple[str, bool]:
    """Return the commit, and whether hooks ran; or refuse with the output of git. A commit that exists anyway counts."""
    message = step.checkpoint or f"Step {step.number}: {step.title}"
    record.commit = {
        "tree": build_index(live.workspace, live.snapshots, prepared, record.start, index),
        "message": message,
        "paths": list(prepared.commits),
        "index": prepared.index,
        "mark": prepared.mark,
    }
    live.records.write(record)
    try:
        make_commit(live.git, index, message)
    except GitError as problem:
        made = find_commit(live.git, record)
        if made:
            return made, parent_and_hooks(live.git, made)[1]
        record.commit = None
        live.records.write(record)
        if problem.lock:
            raise
        what = "git commit timed out" if problem.late else f"git commit failed: {problem.said}"
        calls = {"call": verb("step commit"), "verify": verb("step verify"), "number": record.number}
        raise RefusedError(one_line(what, 700), HOOKS.format(**calls)) from None
    head = live.git.head()
    parent, has_hooks = parent_and_hooks(live.git, head)
    if parent == record.start:
        return head, has_hooks
    if _is_ours(live, record, head):
        _take_back(live, record, head, parent)
    return find_commit(live.git, record) or head, has_hooks


def _is_ours(live: Live, record: Record, commit: str) -> bool:
    wanted = record.commit or {}
    tree = live.git.line("rev-parse", f"{commit}^{{tree}}")
    return bool(tree == wanted["tree"] or live.git.subject(commit) == wanted["message"])


def _take_back(live: Live, record: Record, commit: str, parent: str) -> None:
    """Take the commit back and refuse: somebody committed just before it, and its tree lacks what that changed."""
    if live.git.done("update-ref", "HEAD", parent, commit).status:
        return
    record.commit = None
    live.records.write(record)
    raise RefusedError(MEANWHILE, f"verify it again: `{verb('step verify')} {record.number}`")


def _name_hooks(live: Live, record: Record, commit: str) -> None:
    """Report what the hooks of the commit changed: in the commit, and in the working tree."""
    now = live.snapshots.take()
    changed = follow_hooks(live.snapshots, record.commit or {}, commit)
    changed += live.snapshots.changes(record.verified, now)
    if changed:
        name_hooks(live, record.number, [one.path for one in changed])
    record.verified = now


def _drift(live: Live, step: Step, commit: str) -> str:
    """Note a subject that does not match its pattern; the step still passes."""
    pattern = manifest_of(step).commit_message_pattern
    subject = live.git.subject(commit) if pattern else ""
    try:
        if not pattern or has_subject(step, pattern, subject):
            return ""
    except PatternError as problem:
        subject = f"{subject} ({problem})"
    drift = {"expected_pattern": pattern, "actual_message": subject}
    live.progress.change_step(step.number, {fields.STEPS_CHECKPOINT_DRIFT: drift})
    return f"the subject does not match {one_line(pattern, 80)}"
