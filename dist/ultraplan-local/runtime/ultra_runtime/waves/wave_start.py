"""Start or resume waves: pre-flight, the commit of the plan, the first line of the journal, and the supervisor."""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.doctor.client_version import find_client
from ultra_runtime.engines.choosing import LOCAL
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.git import GitError
from ultra_runtime.files.process import launch
from ultra_runtime.files.project_writes import ignore_own_files
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.ending import write_session_state
from ultra_runtime.run.life.sessions import session_status
from ultra_runtime.run.state.assignment import Assignment
from ultra_runtime.run.state.progress import read_progress
from ultra_runtime.run.state.repair import new_progress
from ultra_runtime.run.state.statuses import COMPLETED, IN_PROGRESS, STOPPED
from ultra_runtime.run.state.wave_journal import ASKED
from ultra_runtime.run.state.wave_state import MERGED, WAITING
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.waves.cleanup import clean_up
from ultra_runtime.waves.preflight import check_all
from ultra_runtime.waves.session_tree import drop_branch, keep
from ultra_runtime.waves.wave_around import pin_again, pin_around
from ultra_runtime.waves.wave_engine import engine_of
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.plan.values import Session
    from ultra_runtime.waves.wave_run import WaveRun

CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child_process.py")
START_SECONDS, NAP = 30.0, 0.02
CHORE = "chore: track the plan of {} for its sessions"


class WaveOptions(Struct):
    """How the sessions run."""

    jobs: int
    budget: float | None
    model: str
    mode: str
    minutes: float
    on: str = LOCAL
    data: str = ""
    """The folder of the statistics."""


class NotStartable(RefusedError):
    """What keeps waves from starting, a sentence each."""

    def __init__(self, run: WaveRun, reasons: list[str]) -> None:
        hint = f"fix this, then `{run.call('waves start')}`; or run everything in one session with --fg"
        super().__init__("; ".join(reasons), hint)
        self.reasons = reasons


def begin(run: WaveRun, options: WaveOptions, accepts_billing: bool, by_hand: bool = False) -> None:
    """Check everything, then record the start of the waves; a refusal is recorded too."""
    _refuse_begun(run)
    reasons = check_all(run, options.jobs, accepts_billing, on=options.on)
    if reasons and run.journal.lives():
        raise NotStartable(run, reasons)
    held = run.take_turn()
    try:
        _refuse_begun(run)  # another call may have begun them meanwhile
        if reasons:
            _write_stop(run, reasons)
            raise NotStartable(run, reasons)
        _write_begin(run, options, by_hand)
    finally:
        os.close(held)


def _refuse_begun(run: WaveRun) -> None:
    if run.state.unfinished and sha256(run.data) == run.state.begin["digest"]:
        if run.journal.lives():
            raise RefusedError(
                "the waves of this plan are in progress", f"`{verb('waves wait')}` shows their state"
            )
        error = f"the waves of this plan are unfinished ({run.state.result or 'interrupted'})"
        raise RefusedError(error, f"`{run.call('waves resume')}` continues where they stopped")


def _write_begin(run: WaveRun, options: WaveOptions, by_hand: bool) -> None:
    _settle_earlier(run)
    _commit_plan(run)
    blob = run.git.ask("hash-object", "-w", "--stdin", given=run.data).decode().strip()
    run.set_refs({run.ref("plan"): blob, run.ref("base"): run.git.head()})
    run.note(
        "begin", root=run.place.root, plan=run.place.shown, blob=blob, digest=sha256(run.data), by_hand=by_hand,
        project=run.place.project.shown if run.place.project else None, branch=run.git.branch(), start=run.git.head(),
        client=find_client(), parts=[_part(run, one) for one in run.plan.sessions], **vars(options),
        **pin_around(run),
    )  # fmt: skip
    write_session_state(run.git, run.place, IN_PROGRESS)


def _part(run: WaveRun, one: Session) -> dict[str, Any]:
    part = {"number": one.number, "title": one.title, "wave": one.wave, "steps": list(one.steps)}
    done = session_status(run.git, run.place, run.plan, one.number) == COMPLETED
    ends = run.git.refs(run.place.slug_of(one.number)).get("end", "")
    if done and ends and run.git.is_ancestor(ends, run.git.head()):
        return {**part, "done": ends}
    return part


def _write_stop(run: WaveRun, reasons: list[str]) -> None:
    """Write down that the pre-flight stopped the run: in the journal, the progress and the session state."""
    if run.state.begun:
        return
    run.journal.add("refused", why=reasons)
    if run.place.project:
        ignore_own_files(run.place.project)
    begun = "start" in run.git.refs(run.place.slug) or read_progress(run.place.progress)[0] is not None
    if not begun and run.git.head():
        assignment, digest = Assignment(run.plan), sha256(run.data)
        progress = new_progress(
            run.place, assignment, digest, fields.MODE_EXECUTE, run.git.head(), run.plan.legacy
        )
        progress.change({fields.STATUS: STOPPED})
        progress.save()
    write_session_state(run.git, run.place, STOPPED)


def _settle_earlier(run: WaveRun) -> None:
    """Save what an earlier run of this plan left behind, then put its journal aside."""
    _drop_stop(run)
    if run.state.begun:
        problems = clean_up(run, engine_of(run))
        if problems:
            raise RefusedError(problems[0], "fix this, then start again")
        for one in run.state.sessions.values():
            tip = run.tip_of(one.number)
            if tip and one.state != MERGED:
                keep(run, one.number, one.attempt, tip)
            if tip:
                drop_branch(run, one.number, tip)
            if one.state != MERGED:
                for slug in run.slugs_of(one):
                    run.git.set_refs(slug, dict.fromkeys(run.git.refs(slug)))
    if run.journal.exists():
        run.journal.put_aside()


def _drop_stop(run: WaveRun) -> None:
    """Remove the progress of a run that its pre-flight stopped before anything had begun."""
    progress, _ = read_progress(run.place.progress)
    if progress and progress.status == STOPPED and "start" not in run.git.refs(run.place.slug):
        os.unlink(run.place.progress)


def _commit_plan(run: WaveRun) -> None:
    """Commit the project, or the plan alone: sessions see only what is committed."""
    git, place = run.git, run.place
    if place.project:
        ignore_own_files(place.project)
    own = place.show(place.folder) if place.project else place.shown
    tracked = git.line("--literal-pathspecs", "ls-files", "--", place.shown) == place.shown
    if not tracked and git.done("check-ignore", "--quiet", "--", place.shown).status == 0:
        raise RefusedError(
            f"git ignores {place.shown}, so no session sees it", "`git add -f` it, and commit it"
        )
    try:
        git.ask("--literal-pathspecs", "add", "--", own)
        if git.done("--literal-pathspecs", "diff", "--cached", "--quiet", "--", own).status:
            message = CHORE.format(one_line(place.base))
            git.ask("--literal-pathspecs", "commit", "--quiet", "-m", message, "--", own)
    except GitError as problem:
        git.done("--literal-pathspecs", "reset", "--quiet", "--", own)
        error = f"the plan cannot be committed: {one_line(problem.said, 300)}"
        raise RefusedError(error, "commit it by hand, then start again") from None


def resume(run: WaveRun, options: dict[str, Any], accepts_settings: bool) -> None:
    """Record that waves continue, on top of the user's branch as it is now."""
    held = run.take_turn()
    try:
        _write_resume(run, options, accepts_settings)
    finally:
        os.close(held)


def _write_resume(run: WaveRun, options: dict[str, Any], accepts_settings: bool) -> None:
    if run.state.result == COMPLETED:
        raise RefusedError("the waves of this plan are completed", "review the work")
    engine_of(run)  # an engine that this machine lacks is refused here
    run.note("resume", options={**options, **pin_again(run, accepts_settings)})
    head, branch = run.git.head(), run.git.branch()
    for number, wave in run.state.waves.items():
        moved = head != wave.onto and not wave.to and branch == run.state.begin["branch"]
        if moved and not run.state.is_done(number) and run.git.is_ancestor(wave.onto, head):
            run.note("onto", wave=number, onto=head)
    write_session_state(run.git, run.place, IN_PROGRESS)


def launch_supervisor(run: WaveRun) -> None:
    """Start the supervisor in a process of its own, and return when it serves the plan."""
    asked = run.journal.place(ASKED)
    if os.path.exists(asked):
        os.unlink(asked)
    size = run.journal.size()
    begin = run.state.begin
    launch(CHILD, begin["root"], begin["plan"], begin["project"] or "")
    deadline = time.monotonic() + START_SECONDS
    while not run.journal.lives() and run.journal.size() == size:
        if time.monotonic() > deadline:
            raise RefusedError("the supervisor did not start", f"read `{verb('doctor')}`, then resume")
        time.sleep(NAP)


def waiting_sessions(run: WaveRun) -> list[int]:
    """Return the sessions that may start now: those of the first wave that is not done."""
    for wave, _ in run.plan.waves:
        own = run.state.of_wave(wave) if run.state.begun else []
        if not run.state.begun:
            return [one.number for one in run.plan.sessions if one.wave == wave]
        if not run.state.is_done(wave):
            return [one.number for one in own if one.state == WAITING]
    return []
