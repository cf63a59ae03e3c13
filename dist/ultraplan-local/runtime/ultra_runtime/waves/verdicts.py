"""The verdict on an attempt: passed, failed, or recovered within bounds; and the session's progress in the project."""

from __future__ import annotations

from ultra_runtime.files.digest import sha256
from ultra_runtime.run.life.wave_lines import progress_in_tree
from ultra_runtime.run.state.repair import new_progress
from ultra_runtime.run.state.statuses import COMPLETED, ENDED, IN_PROGRESS, SKIPPED
from ultra_runtime.run.state.statuses import FAILED as RUN_FAILED
from ultra_runtime.run.state.statuses import PARTIAL as RUN_PARTIAL
from ultra_runtime.run.state.wave_state import FAILED, LACKING, PASSED, WAITING
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.tables.limits import RECOVERY_DEPTH
from ultra_runtime.text.timestamp import now
from ultra_runtime.waves.attempts import DONE
from ultra_runtime.waves.branch_audit import audit_branch, proof_of
from ultra_runtime.waves.leasing import facts_of
from ultra_runtime.words import counted, listed, one_line, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.assignment import Assignment
    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.branch_audit import BranchAudit
    from ultra_runtime.waves.wave_run import WaveRun

MOST_TOLD = 5
STATUSES = {PASSED: COMPLETED, FAILED: RUN_FAILED, LACKING: RUN_PARTIAL, WAITING: IN_PROGRESS}


def judge_attempt(run: WaveRun, one: SessionStand) -> None:
    """Write down the verdict on an attempt that has ended; while its commands run, there is none yet."""
    why = "" if one.number in run.facts else _why_failed(run, one)
    if why:
        _verdict(run, one, FAILED, why)
        return
    found = audit_branch(run, one)
    if found is None:
        return
    proof_of(run, f"session-{one.number}").stop()
    if not found.drifts:
        _join_recoveries(run, one, found.tip)
        _verdict(run, one, PASSED, "", found)
    elif found.missing and one.depth < RECOVERY_DEPTH:
        _verdict(run, one, WAITING, _told(found), found)
    elif found.missing:
        words = f"it still lacks {_steps(found.missing)} after {counted(one.depth, 'recovery').replace('ys', 'ies')}: {_told(found)}"
        _verdict(run, one, LACKING, words, found)
    else:
        _verdict(run, one, FAILED, _told(found), found)


def _join_recoveries(run: WaveRun, one: SessionStand, tip: str) -> None:
    """Add the steps of recoveries to the facts of the session, from which later sessions and audits read them."""
    own, *recoveries = run.slugs_of(one)
    if not recoveries:
        return
    known = run.git.refs(own)
    facts: dict[str, str | None] = {}
    for slug in recoveries:
        facts.update(facts_of(run.git.refs(slug)))
    facts["plan"] = known.get("plan", run.state.begin["blob"])
    facts["start"] = known.get("start", run.state.waves[one.wave].base)
    run.git.set_refs(own, {**facts, "end": tip})


def _why_failed(run: WaveRun, one: SessionStand) -> str:
    """Return why an attempt has failed before any audit; nothing if the audit decides."""
    end = one.end
    if end["how"] != DONE:
        return f"{end['how']}: {end['why']}"
    if end.get("status") and "start" not in run.git.refs(run.slugs_of(one)[-1]):
        return f"the client ended with status {end['status']}: {end['why']}"
    progress = progress_in_tree(run.state, one, one.depth)
    if progress is None or progress.status not in ENDED:
        return ""
    errors = [
        f"step {number}: {one_line(str(step[fields.STEPS_ERROR]), 300)}"
        for number, step in progress.steps.items()
        if step.get(fields.STEPS_ERROR) and step.get(fields.STEPS_STATUS) != COMPLETED
    ]
    return f"its run is {progress.status}" + (f"; {errors[0]}" if errors else "")


def _told(found: BranchAudit) -> str:
    return "; ".join(shortened((one_line(str(drift), 300) for drift in found.drifts), MOST_TOLD))


def _steps(numbers: list[int]) -> str:
    return f"step{'s' if len(numbers) > 1 else ''} {listed(map(str, numbers))}"


def _verdict(run: WaveRun, one: SessionStand, state: str, why: str, found: BranchAudit | None = None) -> None:
    recover = state == WAITING
    record(run, one, STATUSES[state], found)
    run.note(
        "audit", session=one.number, attempt=one.attempt, state=state, why=why,
        tip=found.tip if found else "", missing=found.missing if found else [], depth=one.depth + recover,
    )  # fmt: skip


def record(run: WaveRun, one: SessionStand, status: str, found: BranchAudit | None = None) -> None:
    """Write the progress of a session into the project, where everybody looks for it."""
    place, assignment = run.place.of_session(one.number), run.assignment(one.number)
    base = run.state.waves[one.wave].base
    progress = new_progress(place, assignment, sha256(run.data), fields.MODE_SESSION, base, run.plan.legacy)
    for depth in range(one.depth + 1):
        made = progress_in_tree(run.state, one, depth)
        steps = made.steps if made else {}
        progress.steps.update(
            {name: steps[name] for name in steps if name in progress.steps and _is_own(name, assignment)}
        )
    if status == COMPLETED:
        for number in assignment.numbers:
            progress.step(number).setdefault(fields.STEPS_START_COMMIT, base)
            if progress.state(number) != SKIPPED:
                progress.change_step(number, {fields.STEPS_STATUS: COMPLETED, fields.STEPS_ERROR: None})
        progress.change({fields.COMPLETED_AT: now(), fields.SESSION_END_SHA: found.tip if found else base})
    progress.change({fields.STATUS: status})
    if one.depth:
        progress.change({fields.RECOVERY_DISPATCHED: True, fields.RECOVERY_DEPTH: one.depth})
    progress.save()


def _is_own(name: str, assignment: Assignment) -> bool:
    return name.isdigit() and int(name) in assignment.numbers
