"""Decide whether a run starts or resumes: the progress file, the facts in git and the pinned plan must agree."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.carried import INCLUDE
from ultra_runtime.checkout.settings import settings_file, settings_of
from ultra_runtime.checkout.surroundings import changed_names, differences, look_around
from ultra_runtime.contract.model import load_contract
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.rendered import verb
from ultra_runtime.run.life import accept
from ultra_runtime.run.life.asked import RESUME
from ultra_runtime.run.life.sessions import edited_whole, has_begun
from ultra_runtime.run.state.around import read_around
from ultra_runtime.run.state.known import read_known
from ultra_runtime.run.state.live import SETTINGS
from ultra_runtime.run.state.past import PLAN_CHANGE, drop_findings, free_path, put_aside
from ultra_runtime.run.state.progress import is_missing, read_progress
from ultra_runtime.run.state.repair import new_progress, reconcile
from ultra_runtime.run.state.shell_call import open_logs
from ultra_runtime.run.state.statuses import (
    BLOCKED,
    COMPLETED,
    FAILED,
    FAILED_BEFORE,
    IN_PROGRESS,
    OVER,
    PENDING,
)
from ultra_runtime.run.step.strays import committed_since
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.run.tree.workspace import put
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.words import counted, first_of, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.checkout.surroundings import Surroundings
    from ultra_runtime.run.life.asked import StartRequest
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.progress import Progress

MOST_LINES = 6
MOST_NAMED = 10
ACCEPT = "--accept-settings-change"


def resume_or_refuse(live: Live, asked: StartRequest, data: bytes, notes: list[str]) -> bool:
    """Load the existing progress or create a new one; return whether the run continues an earlier one."""
    place = live.place
    progress, result = read_progress(place.progress)
    there = not is_missing(result)
    refs = live.git.refs(place.slug)
    begun = "start" in refs
    unknown = not begun and progress is not None and has_begun(progress)
    if unknown:
        notes.append(
            f"{place.show(place.progress)} is ignored: git has no record of the run that it describes"
        )
    if unknown or asked.restart or _is_another_plan(progress, refs, asked, data):
        accepted = _pin_again(live, asked, refs, progress) if asked.restart and begun else []
        _forget(live, progress, notes, accepted)
        progress, there, begun, refs = None, False, False, {}
    if progress is None and there and not (begun and asked.rebuild):
        issue = result.errors[0]
        hint = _how_to_rebuild(place.call) if begun else issue.remedy
        raise RefusedError(f"{place.show(place.progress)}: {issue.code}: {issue.message}", hint)
    if begun and asked.mode != RESUME and asked.step is None:
        _refuse_fresh(live, progress)
    if not begun:
        if asked.mode == RESUME:
            notes.append("there is no progress to resume: the run starts at its first step")
        plan = live.assignment.plan
        live.progress = new_progress(
            place, live.assignment, sha256(data), asked.written, live.git.head(), plan.legacy
        )
        return False
    _pin(live, asked, data, refs, progress)
    _pin_whole(live, asked)
    _pin_around(live, asked, refs)
    reconcile(live)
    _name_moved(live)
    _reopen(live, asked)
    return True


def _is_another_plan(
    progress: Progress | None, refs: dict[str, str], asked: StartRequest, data: bytes
) -> bool:
    """Return whether the completed run was of another plan: a plan made after a review starts a new run."""
    if progress is None or asked.mode == RESUME or asked.step is not None or "end" not in refs:
        return False
    return progress.status == COMPLETED and progress.values.get(fields.PLAN_DIGEST) != sha256(data)


def _how_to_rebuild(call: str) -> str:
    rebuild = f"rebuild it from git with `{call} --mode resume --rebuild`, which keeps the file beside it"
    return f"undo the edit by hand, {rebuild}, or start over with --restart"


def _refuse_fresh(live: Live, progress: Progress | None) -> None:
    shown, call = live.place.show(live.place.progress), live.place.call
    if progress is None:
        error = f"{shown} is missing or cannot be read, but git has the record of a run of this plan"
        raise RefusedError(
            error, f"rebuild it from git with `{call} --mode resume`, or start over with --restart"
        )
    status = progress.status
    if status == PENDING:
        return
    if status == COMPLETED:
        error = f"this plan is completed ({shown})"
        raise RefusedError(error, f"review the work, or run it again: `{call} --restart`")
    hint = f"continue with `{call} --mode resume`, or start over with --restart"
    raise RefusedError(f"a run of this plan is unfinished: {shown} says {status}", hint)


def _pin(
    live: Live, asked: StartRequest, data: bytes, refs: dict[str, str], progress: Progress | None
) -> None:
    """Compare the plan with the pinned one; a change needs --accept-plan-change."""
    pinned = live.git.blob(refs["plan"]) if "plan" in refs else None
    digest = (
        sha256(pinned)
        if pinned is not None
        else str((progress and progress.values.get(fields.PLAN_DIGEST)) or "")
    )
    if not digest or digest == sha256(data):
        return
    if not asked.accept_plan_change:
        error = f"{live.place.shown} was edited since the run started"
        hint = "ask the user; undo the edit, or add --accept-plan-change if only steps that have not ended were changed"
        raise RefusedError(error, hint)
    if pinned is None:
        raise RefusedError(
            "the plan as it was before the edit is not available here",
            "undo the edit, or start over with --restart",
        )
    over = {
        number for number in live.assignment.numbers if f"step-{number}" in refs or f"skip-{number}" in refs
    }
    accept.refuse_more_than_later_steps(pinned, data, over)
    live.notes.append("the plan was changed in steps that were not completed; the change was accepted")
    _report_change(live, accept.difference(pinned, data))


def _pin_whole(live: Live, asked: StartRequest) -> None:
    """Compare the Verification of the whole plan, which the last session runs, with the pinned one."""
    edited = edited_whole(live.git, live.place)
    if edited is None:
        return
    if not asked.accept_plan_change:
        error = f"the Verification of {PLAN_FILE} was edited since the run started"
        raise RefusedError(error, "ask the user; undo the edit, or add --accept-plan-change if it is wanted")
    _report_change(live, accept.difference(*edited))


def _pin_around(live: Live, asked: StartRequest, refs: dict[str, str]) -> None:
    """Continue with the surroundings of the start; changed ones need --accept-settings-change."""
    was, now = read_around(live.git, refs), live.around
    if now is None:
        return
    if was is None:
        if now.given and not asked.accept_settings_change:
            error = f"git has no record of {settings_file()} as it was when the run started"
            raise RefusedError(error, f"ask the user; add {ACCEPT} if the run may continue with it as it is")
        return
    names = changed_names(was, now)
    if names:  # among new folders a search may not find what the start has found
        now = live.around = look_around(live.git, now.given, settings_of(now.settings), was.carried)
        names = changed_names(was, now)
    changed = f"changed since the run started: {list_paths(names, MOST_NAMED)}"
    if asked.accept_settings_change:
        if names:
            live.lock.setdefault("findings", []).append(f"accepted, {changed}")
        return
    if was.given != now.given or was.include != now.include:
        edited = settings_file() if was.given != now.given else INCLUDE
        error = f"{edited} was edited since the run started (changed: {list_paths(names)})"
        raise RefusedError(error, f"ask the user; undo the edit, or add {ACCEPT} if it is wanted")
    live.around = None
    live.lock[SETTINGS] = was.settings
    if names:
        live.notes.append(
            f"{changed}; with that the run cannot be completed unless the user accepts it: {ACCEPT}"
        )


def _pin_again(live: Live, asked: StartRequest, refs: dict[str, str], progress: Progress | None) -> list[str]:
    """Let a run that starts over before it was completed have the surroundings of its first start; return what was accepted.

    Otherwise a run could start over after an edit of what it is compared with.
    """
    if progress and progress.status == COMPLETED and "end" in refs:
        return []
    try:
        was = read_around(live.git, refs)
    except RefusedError:  # git has lost it, and this is the way out
        return []
    if was and live.around and _differs(live, was, live.around, refs["start"]):
        _pin_around(live, asked, refs)
        live.around = live.around or was
    accepted: list[str] = live.lock.pop("findings", [])
    return accepted


def _differs(live: Live, was: Surroundings, now: Surroundings, start: str) -> bool:
    """Tell whether anything has changed that the earlier run had no reason to change."""
    from ultra_runtime.proof.brought import judge_changed

    head = live.git.head()
    if was.given != now.given or was.include != now.include or not live.git.has_commits(start, head):
        return True
    found = differences(live.git, was, settings_of(was.settings))
    return bool(judge_changed(live.git, start, head, found)[0])


def _report_change(live: Live, diff: list[str]) -> None:
    """Keep the accepted difference of the plan: all of it in a log, its lines in the report."""
    path = free_path(open_logs(live.place, PLAN_CHANGE))
    put(path, "\n".join([*diff, ""]).encode())
    lines = [line for line in diff[2:] if line[:1] in "+-" and line[1:].strip()]
    shown = first_of((one_line(line, 160) for line in lines), MOST_LINES, " / ")
    words = f"accepted change of the plan ({live.place.show(path)}): {shown}"
    live.lock.setdefault("findings", []).append(words)


def _name_moved(live: Live) -> None:
    """Note commits that were made outside the run, or refuse if HEAD has lost those of the run."""
    record, head = live.records.read(), live.git.head()
    stood = record.start if record else read_known(live).head
    paths = committed_since(live, stood, head)
    if head != stood:
        changed = f" change {list_paths(paths)}" if paths else " change no file"
        if paths and live.turn() is None:
            changed += f"; if they are the user's: ask, then `{verb('run finish')} --mine`"
        live.notes.append(f"commits outside the run ({stood[:10]} to {head[:10]}){changed}")


def _reopen(live: Live, asked: StartRequest) -> None:
    """Reopen a run that had ended."""
    progress = live.progress
    if progress.status == COMPLETED:
        hint = "review the work, or start over with --restart"
        code = load_contract(fields.KIND).code("ALREADY_DONE")
        raise RefusedError(f"{code.name}: the run is completed; there is nothing to resume", hint)
    if asked.step is not None and progress.state(asked.step) in OVER:
        error = f"step {asked.step} is {progress.state(asked.step)} already"
        raise RefusedError(error, "run another step, or start over with --restart")
    known = set(live.assignment.recorded())
    for number in live.assignment.numbers:
        if progress.state(number) in (FAILED, BLOCKED):
            _remember(live, number)
            progress.change_step(number, {fields.STEPS_STATUS: PENDING, fields.STEPS_ATTEMPTS: 0})
            record = live.records.read()
            if record and record.number == number:
                record.attempts, record.verified = 0, ""
                live.records.write(record)
    for number in [int(key) for key in progress.steps if key.isdigit() and int(key) not in known]:
        del progress.steps[str(number)]
    for number in known:
        progress.step(number)
    total = sum(number > 0 for number in known)
    progress.change(
        {
            fields.MODE: asked.written,
            fields.STATUS: IN_PROGRESS,
            fields.TOTAL_STEPS: total,
            fields.PLAN_DIGEST: live.lock["digest"],
            fields.CURRENT_STEP: min(int(progress.values.get(fields.CURRENT_STEP) or 0), total),
        }
    )
    for name in (fields.COMPLETED_AT, fields.SESSION_END_SHA, fields.MANIFEST_AUDIT, fields.SUMMARY):
        progress.values.pop(name, None)


def _remember(live: Live, number: int) -> None:
    """Add why a step failed to the findings before its attempts are reset."""
    step = live.progress.step(number)
    if not step.get(fields.STEPS_ERROR):
        return
    used = counted(live.progress.attempts(number), "attempt")
    words = f"step {number} {FAILED_BEFORE} {used}: {one_line(str(step[fields.STEPS_ERROR]), 300)} (logs in {live.place.show(live.place.logs)})"
    findings = live.lock.setdefault("findings", [])
    # The earlier report says how to get the undone edits back; repeated here, that would overwrite new work.
    findings[:] = [one for one in findings if not one.startswith(f"step {number} was undone: ")]
    if words not in findings:
        findings.append(words)
    live.notes.append(words)


def _forget(live: Live, progress: Progress | None, notes: list[str], accepted: list[str]) -> None:
    """Drop the facts of the earlier run; its commits and files stay, and changes that no step owned still have no owner."""
    # a run that starts afresh does without
    from ultra_runtime.proof.background import background_of
    from ultra_runtime.run.life.recorded import read_facts, stray_commits

    record = live.records.read()
    if record is not None and live.git.head() == record.start:
        notes.append(
            f"the edits of step {record.number} so far stay in the tree; `{verb('step begin')}` asks whose they are"
        )
    facts = read_facts(live.git, live.place)
    refs = live.git.known[live.place.slug].refs
    strays: list[str] = []
    if facts and not (progress and progress.status == COMPLETED and facts.has_ended):
        live.earlier = read_known(live)
        made = stray_commits(live.git, facts)
        strays = [f"{one} since the previous start; this run starts after it" for one in made]
    pinned = live.git.blob(refs["plan"]) if "plan" in refs else None
    folder = put_aside(live, pinned)
    if folder:
        notes.append(f"the previous run is kept in {folder}")
    drop_findings(live)
    live.lock["findings"] = [*accepted, *strays]
    notes += strays
    live.git.set_refs(live.place.slug, dict.fromkeys(refs))
    live.records.clear()
    background_of(live.workspace, live.place.slug).stop()
    if live.earlier is None:
        live.snapshots.forget()
