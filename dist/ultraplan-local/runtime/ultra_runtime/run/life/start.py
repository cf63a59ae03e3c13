"""Start a run or resume an interrupted one; everything is checked before the first byte is written."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.checkout.settings import read_settings
from ultra_runtime.checkout.surroundings import look_around
from ultra_runtime.files.atomic import WriteError
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.project_writes import ignore_own_files
from ultra_runtime.files.run_files import REFS
from ultra_runtime.files.run_refs import AROUND, WHOLE
from ultra_runtime.files.seal import is_sealed
from ultra_runtime.guard.policy import BLOCK, WARN
from ultra_runtime.plan.commands import options_when_blocked, scan
from ultra_runtime.plan.values import OTHER_ENTRY
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.asked import RESUME
from ultra_runtime.run.life.choice import SINGLE, choose_strategy, strategy_note, strategy_of, waves_of_plan
from ultra_runtime.run.life.ending import write_session_state
from ultra_runtime.run.life.entry import entry_problem
from ultra_runtime.run.life.readiness import readiness
from ultra_runtime.run.life.resume import resume_or_refuse
from ultra_runtime.run.life.sessions import (
    begun_with,
    place_to_resume,
    refuse_done_by_sessions,
    refuse_stale,
    whole_plan,
)
from ultra_runtime.run.state.around import keep_around
from ultra_runtime.run.state.assignment import (
    NONE,
    Assignment,
    read_plan_bytes,
    read_valid_plan,
    refuse_paths,
)
from ultra_runtime.run.state.environment import (
    LOST,
    dropped_note,
    is_lost,
    other_variables,
    refuse_other_environment,
    write_pinned,
)
from ultra_runtime.run.state.judging import judge_of
from ultra_runtime.run.state.known import account_from
from ultra_runtime.run.state.live import BRANCH, SETTINGS, Live
from ultra_runtime.run.state.lock import Busy, read_lock
from ultra_runtime.run.state.owner import Owner, this_owner
from ultra_runtime.run.state.past import kept_findings
from ultra_runtime.run.state.run_place import find_run_place
from ultra_runtime.run.state.statuses import IN_PROGRESS, STOPPED
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.words import first_of, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.result import Result
    from ultra_runtime.files.git import Git
    from ultra_runtime.guard.judge import Judge
    from ultra_runtime.plan.values import Plan
    from ultra_runtime.run.life.asked import StartRequest
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.tree.workspace import Workspace


class Started(Struct):
    """The result of `run start`."""

    live: Live
    resumed: bool
    notes: list[str]
    tree: str
    """The working tree, if the start has recorded it."""


class InWaves(Struct):
    """A plan that is run in waves of sessions: nothing was started."""

    plan: Plan
    strategy: str


def start(asked: StartRequest) -> Started | InWaves:
    """Start or resume; a refusal changes at most the session state and the progress file."""
    workspace = find_workspace()
    _refuse_unready(workspace)
    place = _place(workspace, find_run_place(workspace, asked.path, asked.project, asked.session), asked)
    plan, result, data = _read(workspace.git, place)
    if asked.mode == RESUME and place.session is None:
        place = _place(workspace, place_to_resume(place, plan), asked)
        plan, result, data = _read(workspace.git, place)
    refuse_stale(place, plan)
    waves = waves_of_plan(workspace, place)
    strategy = strategy_of(workspace, place, plan, asked, waves)
    if strategy == SINGLE or not waves.unfinished:
        refuse_done_by_sessions(workspace.git, place, plan, asked)
    if strategy != SINGLE:
        return InWaves(plan, strategy)
    assignment = Assignment(plan, place.session)
    if asked.step is not None:
        assignment.step(asked.step)
    judge = judge_of(place)
    refuse_paths(judge, assignment, _submodules(workspace))
    notes = [f"line {one.line or 1}: {one.code}: {one.message}" for one in result.warnings[:5]]
    notes += _scan(plan, judge, place)
    given = read_settings(workspace.root)
    settings, unready = readiness(workspace.git, given, asked.mode != RESUME)
    notes += unready
    with Busy(workspace, "run start"):
        notes += _take_over(workspace, place)
        notes += [one for one in (dropped_note(),) if one]
        live = Live(workspace, place, _lock(workspace, place, asked, data))
        live.assignment = assignment
        live.around = look_around(workspace.git, given.given, settings)
        resumed = resume_or_refuse(live, asked, data, notes)
        if resumed:
            _say_changed(live)
        problem = entry_problem(live, asked.accept_entry)
        if problem:
            _stop_at_entry(live, problem)
        tree = _write_down(live, data)
    strategy = choose_strategy(plan, asked.alone)
    notes += [one for one in (strategy_note(strategy, plan), _detached(live)) if one]
    return Started(live, resumed, [*live.notes, *notes], tree)


def _place(workspace: Workspace, place: RunPlace, asked: StartRequest) -> RunPlace:
    return begun_with(workspace.git, place, asked.mode == RESUME, asked.restart)


def _read(git: Git, place: RunPlace) -> tuple[Plan, Result, bytes]:
    try:
        data = read_plan_bytes(place.plan)
    except RefusedError as problem:
        if os.path.lexists(place.plan) or "plan" not in git.refs(place.slug):
            raise
        folder, path = (shell_word(one) for one in (os.path.dirname(place.shown), place.shown))
        back = f"mkdir -p {folder} && git show {REFS}/{place.slug}/plan > {path}"
        raise RefusedError(
            str(problem), f"ask the user; `{back}` brings back the plan of its last run"
        ) from None
    return (*read_valid_plan(data, place.shown), data)


def _refuse_unready(workspace: Workspace) -> None:
    git = workspace.git
    if not git.head():
        if git.line("for-each-ref", "--count=1", "refs/heads"):
            hint = "ask the user to switch to a branch that has one"
            raise RefusedError(f"the branch {one_line(git.branch())} has no commit yet", hint)
        hint = 'make one, for example `git commit --allow-empty -m "start"`'
        raise RefusedError("this repository has no commit yet", hint)
    under_way = git.under_way()
    if under_way:
        raise RefusedError(
            f"{under_way} is in progress in this repository", "finish or abort it, then start the run"
        )
    problem = git.identity_problem()
    if problem:
        hint = "set user.name and user.email with `git config`, then start again"
        raise RefusedError(f"git cannot commit here: {one_line(problem, 200)}", hint)


def _submodules(workspace: Workspace) -> list[str]:
    if not os.path.exists(os.path.join(workspace.root, ".gitmodules")):
        return []
    said = workspace.git.done("config", "-f", ".gitmodules", "-z", "--get-regexp", r"\.path$").out
    return [os.fsdecode(row.partition(b"\n")[2]) for row in said.split(b"\0")[:-1]]


def _scan(plan: Plan, judge: Judge, place: RunPlace) -> list[str]:
    """Refuse a plan with a blocked command, and return the warnings of the policy."""
    scanned = scan(plan, judge)
    blocked = [str(one) for one in scanned if one.verdict == BLOCK]
    if blocked:
        error = f"the command policy blocks {first_of(blocked, 3, '; ')}"
        raise RefusedError(error, f"no command was run; {options_when_blocked(place.shown)}")
    return [str(one) for one in scanned if one.verdict == WARN]


def _take_over(workspace: Workspace, place: RunPlace) -> list[str]:
    """Refuse when another run is live here; return a note when the lock of a dead run is taken over."""
    lock = read_lock(workspace)
    if lock is None:
        return []
    owner, other = Owner.of(lock.get("owner")), lock.get("plan")
    same_run = other == place.shown and lock.get("session") == place.session
    caller = this_owner()
    if owner.is_same(caller):
        if same_run:
            if owner.has_process_of(caller):  # the client started again has variables of its own
                refuse_other_environment(workspace, place)
            return []
        hint = f"end it first: `{verb('run finish')}`, or `{verb('run abort')}`"
        raise RefusedError(f"the run of {one_line(str(other))} is still in progress in this tree", hint)
    if owner.lives():
        error = f"the run of {one_line(str(other))} is in progress in this tree ({owner}); this is {caller}"
        hint = "wait until it ends, or use another working tree: each has one run at a time"
        raise RefusedError(error, hint + owner.how_to_share())
    return [f"took over the lock of a run of {one_line(str(other))} whose session is gone ({owner})"]


def _lock(workspace: Workspace, place: RunPlace, asked: StartRequest, data: bytes) -> dict[str, object]:
    lock: dict[str, object] = {
        "root": workspace.root,
        "plan": place.shown,
        "project": place.project.shown if place.project else None,
        "session": place.session,
        "slug": place.slug,
        "progress": place.show(place.progress),
        "mode": asked.written,
        "step": asked.step,
        BRANCH: workspace.git.branch(),
        "digest": sha256(data),
        "owner": this_owner().as_data(),
    }
    old = read_lock(workspace)
    if old and old.get("slug") == place.slug and is_sealed(workspace.git.common, old):
        findings = old.get("findings")
    else:
        findings = kept_findings(workspace, place.slug)
    if findings:
        lock["findings"] = findings
    return lock


def _say_changed(live: Live) -> None:
    """Report the variables that a resumed run has other than before."""
    names = other_variables(live.workspace, live.place)
    changed = f"the run continues with other variables than before: {names}" if names else ""
    if is_lost(live.workspace, live.place):
        changed = f"{LOST}; it continues with the current ones"
    if changed:
        live.lock.setdefault("findings", []).append(changed)
        live.notes.append(changed)


def _stop_at_entry(live: Live, problem: str) -> None:
    """Record that the run stopped before its first step."""
    live.progress.change({fields.STATUS: STOPPED, fields.ENTRY_CONDITION_CHECKED: False})
    live.progress.save()
    write_session_state(live.git, live.place, STOPPED)
    accept = " --accept-entry" if live.assignment.entry.kind == OTHER_ENTRY else ""
    hint = f"tell the user; when the condition is met: `{live.place.call} --mode resume{accept}`"
    raise RefusedError(f"the entry condition is not met: {problem}", hint)


def _write_down(live: Live, data: bytes) -> str:
    """Record the run: the facts in git, the progress file, the lock and the session state; return the tree that git has."""
    place, git = live.place, live.git
    if place.project:
        try:
            ignore_own_files(place.project)
        except WriteError as problem:
            raise RefusedError(f"{place.project.shown}: {problem}", "fix this and retry") from None
    plans = {"plan": data, WHOLE: whole_plan(place)}
    refs: dict[str, str | None] = {
        name: git.ask("hash-object", "-w", "--stdin", given=text).decode().strip()
        for name, text in plans.items()
        if text is not None
    }
    known = git.known[place.slug].refs
    tree = ""
    if "start" not in known:
        accounted = account_from(live, live.earlier)
        refs["start"], tree = accounted.head, "" if live.earlier else accounted.tree
    if "end" in known:
        refs["end"] = None
    if live.around:
        refs[AROUND] = keep_around(git, live.around)
        live.lock[SETTINGS] = live.around.settings
    git.set_refs(place.slug, refs)
    met = live.assignment.entry is not NONE
    live.progress.change({fields.STATUS: IN_PROGRESS, fields.ENTRY_CONDITION_CHECKED: met})
    live.progress.change({fields.SESSION_START_SHA: refs.get("start") or known["start"]})
    live.progress.save()
    write_pinned(live.workspace, place)
    live.save_lock()
    write_session_state(git, place, IN_PROGRESS)
    return tree


def _detached(live: Live) -> str:
    return "HEAD is detached: create a branch afterwards to keep the commits" if not live.git.branch() else ""
