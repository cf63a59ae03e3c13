"""The sessions of a plan: the file each runs from, its status, and how much of the plan is done."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.files.run_refs import WHOLE
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.standing import is_stale, same_step
from ultra_runtime.plan.values import PLAN, SESSION_SPEC
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.progress import read_progress
from ultra_runtime.run.state.statuses import COMPLETED, DEFERRED, PENDING
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.words import listed, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.plan.values import Plan, Session
    from ultra_runtime.run.life.asked import StartRequest
    from ultra_runtime.run.state.progress import Progress
    from ultra_runtime.run.state.run_place import RunPlace

START_OVER = "--restart starts over at step 1"


def begun_with(git: Git, place: RunPlace, resuming: bool, restart: bool = False) -> RunPlace:
    """Return the place of a session with the file it started from, else with its spec if there is one."""
    if place.session is None or not place.project:
        return place
    known = [one for one in (place.spec(), os.path.join(place.folder, PLAN_FILE)) if os.path.isfile(one)]
    progress, _ = read_progress(place.progress)
    if progress is not None and not restart and ("start" in git.refs(place.slug) or has_begun(progress)):
        named = os.path.join(place.root, str(progress.values.get(fields.PLAN)))
        if named in known and (resuming or not _is_replaced(progress, named)):
            return place.with_plan(named)
    return place.with_plan(known[0]) if place.plan in known else place


def has_begun(progress: Progress) -> bool:
    """Return whether a step was ever begun; a run that its entry condition stopped can simply start."""
    return any(step.get(fields.STEPS_STATUS) not in (PENDING, DEFERRED) for step in progress.steps.values())


def _is_replaced(progress: Progress, path: str) -> bool:
    """Return whether the completed plan was replaced by another."""
    return progress.status == COMPLETED and progress.values.get(fields.PLAN_DIGEST) != sha256(
        read_regular(path)
    )


def place_to_resume(place: RunPlace, plan: Plan) -> RunPlace:
    """Return the place of the unfinished session, when the plan is run by sessions and none is named."""
    if place.session is not None or os.path.exists(place.progress):
        return place
    left = [one for one in map(place.of_session, _numbers(plan)) if _is_left(one)]
    if len(left) > 1:
        error = f"sessions {listed(str(one.session) for one in left)} of this plan are unfinished"
        raise RefusedError(error, "choose one with --session N")
    return left[0] if left else place


def _is_left(place: RunPlace) -> bool:
    progress, _ = read_progress(place.progress)
    return progress is not None and progress.status != COMPLETED


def _numbers(plan: Plan) -> list[int]:
    return [session.number for _, sessions in plan.waves for session in sessions]


def refuse_done_by_sessions(git: Git, place: RunPlace, plan: Plan, asked: StartRequest) -> None:
    """Refuse to run a whole plan when sessions of it have started: no step may run twice by accident."""
    if place.session is not None or asked.restart or plan.kind != PLAN or not plan.sessions:
        return
    if "start" in git.refs(place.slug):
        return
    standing = {number: session_status(git, place, plan, number) for number in _numbers(plan)}
    begun = {number: status for number, status in standing.items() if status}
    if asked.step is not None:
        own = next((one.number for one in plan.sessions if asked.step in one.steps), None)
        begun = {number: status for number, status in begun.items() if number == own and status == COMPLETED}
    if not begun:
        return
    begun_words = listed(f"session {number} is {status}" for number, status in begun.items())
    error = f"this plan is being run by sessions: {begun_words}"
    number = next((one for one, status in standing.items() if status != COMPLETED), None)
    if number is None:
        raise RefusedError(error, f"review the work; {START_OVER}")
    mode = " --mode resume" if standing[number] else ""
    call = f"{place.of_session(number).call}{mode}"
    raise RefusedError(error, f"tell the user; `{call}` continues with session {number}; {START_OVER}")


def refuse_stale(place: RunPlace, spec: Plan) -> None:
    """Refuse a spec with a step that is not that of the plan; the plan was changed after the spec was written."""
    plan = master_plan(place) if spec.kind == SESSION_SPEC and not spec.recovery else None
    session = _session(plan, place.session) if plan and place.session else None
    shown = place.show(os.path.join(place.folder, PLAN_FILE))
    if plan is None or session is None or not is_stale(plan, spec, session, shown):
        return
    where = shell_word(shown)
    project = f" --project {shell_word(place.project.shown)}" if place.project else ""
    error = f"{one_line(place.shown)} is older than the plan: it does not say what {PLAN_FILE} says"
    raise RefusedError(error, f"write the specs again: `{verb('sessions write')} {where}{project}`")


def session_status(git: Git, place: RunPlace, plan: Plan, number: int) -> str:
    """Return the status of a session of this plan; empty when it has not started."""
    one = place.of_session(number)
    progress, _ = read_progress(one.progress)
    return progress.status if progress is not None and _is_of(git, one, plan, number) else ""


def _is_of(git: Git, place: RunPlace, plan: Plan, number: int) -> bool:
    """Return whether the steps that a session was pinned to are those of this plan, not of an earlier one."""
    pinned = git.refs(place.slug).get("plan", "")
    session = _session(plan, number)
    if not pinned or session is None:
        return False
    old = read(git.blob(pinned))
    return all(same_step(plan, old, step) for step in session.steps)


def _session(plan: Plan, number: int) -> Session | None:
    return next((one for one in plan.sessions if one.number == number), None)


def master_plan(place: RunPlace) -> Plan | None:
    """Return the plan that this session belongs to, if it is in its usual place."""
    if place.session is None:
        return None
    path = os.path.join(place.folder, PLAN_FILE) if place.project else place.plan
    try:
        plan = read(read_regular(path), PLAN)
    except UnreadableError:
        return None
    return plan if _session(plan, place.session) else None


def whole_plan(place: RunPlace) -> bytes | None:
    """Return the plan of a session that runs from a spec; its Verification counts for the last session."""
    path = os.path.join(place.folder, PLAN_FILE)
    if place.session is None or not place.project or place.plan == path:
        return None
    try:
        return read_regular(path)
    except UnreadableError:
        return None


def edited_whole(git: Git, place: RunPlace) -> tuple[bytes, bytes] | None:
    """Return the plan that a session was pinned to and the current one, if their Verification differs."""
    name, now = git.refs(place.slug).get(WHOLE), whole_plan(place)
    if not name or now is None:
        return None
    pinned = git.blob(name)
    return None if _verification(pinned) == _verification(now) else (pinned, now)


def _verification(plan: bytes) -> list[str]:
    return [one.text for one in read(plan, PLAN).verification]


def _pinned_whole(git: Git, place: RunPlace) -> Plan | None:
    name = git.refs(place.slug).get(WHOLE)
    return read(git.blob(name), PLAN) if name else None


def session_after(git: Git, place: RunPlace) -> Session | None:
    """Return the next session that is not completed, in the order of waves; after the last, the first one left."""
    plan = master_plan(place)
    if plan is None:
        return None
    numbers = _numbers(plan)
    at = numbers.index(place.session) if place.session in numbers else 0
    for number in [*numbers[at + 1 :], *numbers[:at]]:
        if session_status(git, place, plan, number) != COMPLETED:
            return _session(plan, number)
    return None


def plan_done_with(git: Git, place: RunPlace, end: str) -> Plan | None:
    """Return the plan when all its other sessions are completed and contained in the end of this one."""
    plan = _pinned_whole(git, place) or master_plan(place)
    if plan is None:
        return None
    for session in plan.sessions:
        if session.number == place.session:
            continue
        if session_status(git, place, plan, session.number) != COMPLETED:
            return None
        refs = git.refs(place.slug_of(session.number))
        for step in session.steps:
            done = refs.get(f"step-{step}") or refs.get(f"skip-{step}")
            if not done or not git.is_ancestor(done, end):
                return None
    return plan
