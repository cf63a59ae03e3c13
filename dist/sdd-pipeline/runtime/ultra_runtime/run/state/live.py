"""Open the live run of a working tree for a verb: locked, pinned and checked against git."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.stages import command_for
from ultra_runtime.files.digest import sha256
from ultra_runtime.files.git import REFS
from ultra_runtime.files.project import Project
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.guard.site import LOCK
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.assignment import Assignment, read_plan_bytes, read_valid_plan
from ultra_runtime.run.state.environment import refuse_other_environment
from ultra_runtime.run.state.lock import Busy, read_lock, refuse_foreign_lock
from ultra_runtime.run.state.owner import Owner, this_owner
from ultra_runtime.run.state.progress import KIND
from ultra_runtime.run.state.record import Records
from ultra_runtime.run.state.repair import reconcile
from ultra_runtime.run.state.run_place import RunPlace, find_run_place
from ultra_runtime.run.state.statuses import ENDED, OVER
from ultra_runtime.run.tree.ignored import Ignored
from ultra_runtime.run.tree.snapshot import Snapshots
from ultra_runtime.run.tree.workspace import find_workspace, make_folder, put
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.tables.limits import ATTEMPTS, COMMAND_SECONDS
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.checkout.surroundings import Surroundings
    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.state.known import Known
    from ultra_runtime.run.state.progress import Progress
    from ultra_runtime.run.tree.workspace import Workspace


GO_ON = "--go-on"
SETTINGS, BRANCH = "settings", "branch"
"""The member of the lock with the project's settings as they were at the start."""


class Live:
    """A run in progress and its parts."""

    def __init__(self, workspace: Workspace, place: RunPlace, lock: dict[str, Any]) -> None:
        self.workspace = workspace
        self.git = workspace.git
        self.place = place
        self.lock = lock
        self.records = Records(workspace, place.slug)
        self.snapshots = Snapshots(workspace, place)
        self.ignored = Ignored(workspace, place, self.snapshots)
        self.assignment: Assignment
        self.progress: Progress
        self.notes: list[str] = []
        self.is_recorded = False
        """Whether the lock of the run is on disk: a run that is being started has none yet."""
        self.goes_on = False
        """Whether a call that ends a step begins the next one."""
        self.around: Surroundings | None = None
        """What the run is pinned to from now on; none when nothing is pinned anew."""
        self.earlier: Known | None = None
        """What was accounted for in the unfinished run that this one replaces."""

    @property
    def target(self) -> int | None:
        """The one step of a run with --step."""
        target = self.lock.get("step")
        return target if isinstance(target, int) else None

    def limit(self, name: str, default: int) -> int:
        """Return a limit as the project had set it at the start of the run, or that of the plugin."""
        settings = self.lock.get(SETTINGS) or {}
        limits = settings.get(fields.LIMITS) or {}
        return limits.get(name) or default

    def most_attempts(self) -> int:
        """Return how often a step may be verified."""
        return self.limit(fields.LIMITS_ATTEMPTS, ATTEMPTS)

    def attempts_left(self, step: Step, used: int) -> int:
        """Return how many attempts a step still has: one if its first failure is final."""
        left = max(self.most_attempts() - used, 0)
        return min(left, 1) if step.is_tried_once else left

    def attempts_of(self, step: Step, used: int) -> int:
        """Return how many attempts a step has in all, after it has used some."""
        return used if step.is_tried_once else self.most_attempts()

    def command_seconds(self) -> int:
        """Return how long a command of the plan may run."""
        return self.limit(fields.LIMITS_COMMAND_SECONDS, COMMAND_SECONDS)

    def turn(self) -> int | None:
        """Return the current step; None when all are over."""
        for number in [self.target] if self.target is not None else self.assignment.numbers:
            if self.progress.state(number) not in OVER:
                return number
        return None

    def all_over(self) -> bool:
        """Return whether every step of the assignment is completed or skipped."""
        return all(self.progress.state(number) in OVER for number in self.assignment.numbers)

    def next_call(self) -> str:
        """Return the verb to call next."""
        turn = self.turn()
        return verb("run finish") if turn is None or self.ended else f"{verb('step begin')} {turn}"

    def verify_call(self, number: int) -> str:
        """Return the call that verifies a step."""
        return f"{verb('step verify')} {number}" + (f" {GO_ON}" if self.goes_on else "")

    @property
    def ended(self) -> bool:
        """Whether a step has ended the run, so that only its finish is left."""
        return self.progress.status in ENDED

    def found(self, finding: str) -> None:
        """Add a finding to the report."""
        findings = self.lock.setdefault("findings", [])
        if finding not in findings:
            findings.append(finding)
            if self.is_recorded:
                self.save_lock()
        self.notes.append(finding)

    def save_lock(self) -> None:
        """Write the owner of the run and its findings."""
        self.workspace.write_sealed(self.lock, LOCK)

    def command(self, flags: str) -> str:
        """Return the command of the client that starts this run with these flags."""
        name = command_for(KIND) or verb("run start")
        where = (
            f"--project {shell_word(self.place.name)}" if self.place.project else shell_word(self.place.shown)
        )
        session = f" --session {self.place.session}" if self.place.session is not None else ""
        return f"{name} {where} {flags}{session}"


def open_live(called: str, plan: str | None, project: str | None) -> tuple[Busy, Live]:
    """Return the live run that a call names, locked against other calls; or refuse with what to do."""
    workspace = find_workspace()
    lock = read_lock(workspace)
    if lock is None:
        hint = f"start one: `{verb('run start')} PATH`, with --mode resume if it was started before"
        raise RefusedError("no run is in progress in this working tree", hint)
    place = place_of(workspace, lock)
    refuse_other(workspace, place, plan, project)
    _refuse_stranger(lock, place)
    refuse_foreign_lock(workspace, lock)
    refuse_other_environment(workspace, place)
    busy = Busy(workspace, called)
    try:
        live = Live(workspace, place, lock)
        live.is_recorded = True
        _put_plan_back(live)
        data = read_plan_bytes(place.plan)
        refuse_changed(live, data)
        live.assignment = Assignment(read_valid_plan(data, place.shown)[0], place.session)
        reconcile(live)
    except BaseException:
        busy.__exit__()
        raise
    return busy, live


def _put_plan_back(live: Live) -> None:
    """Write a plan that is gone as git has it: a step that cleans up the tree must not leave a run that nobody can end."""
    blob = live.git.refs(live.place.slug).get("plan")
    if os.path.lexists(live.place.plan) or not blob:
        return
    data = live.git.blob(blob)
    if sha256(data) == live.lock.get("digest"):
        make_folder(os.path.dirname(live.place.plan))
        put(live.place.plan, data)
        live.found(f"{one_line(live.place.shown)} was removed during the run; it was put back as git has it")


def place_of(workspace: Workspace, lock: dict[str, Any]) -> RunPlace:
    """Return the place that a lock names."""
    name = lock.get("project")
    project = Project(workspace.root, os.path.basename(name)) if name else None
    return RunPlace(workspace.root, os.path.join(workspace.root, lock["plan"]), project, lock.get("session"))


def refuse_other(workspace: Workspace, place: RunPlace, plan: str | None, project: str | None) -> None:
    """Refuse a call that names a run other than the one in progress."""
    if plan is None and project is None:
        return
    asked = find_run_place(workspace, plan or project or "", project, None)
    same = asked.plan == place.plan or (
        place.session is not None and os.path.basename(asked.plan) == PLAN_FILE
    )
    if (plan and not same) or asked.folder != place.folder:
        hint = f"omit --plan and --project to act on that run, or end it with `{verb('run abort')}`"
        raise RefusedError(f"the run in progress here is of {one_line(place.shown)}", hint)


def _refuse_stranger(lock: dict[str, Any], place: RunPlace) -> None:
    """Refuse a call of another session; a dead session's run is taken over only by a resume."""
    owner, caller = Owner.of(lock.get("owner")), this_owner()
    if owner.is_same(caller):
        return
    if owner.lives():
        error = f"the run of {one_line(place.shown)} belongs to {owner.seen_by(caller)} ({owner}); this is {caller}"
        raise RefusedError(error, f"wait until it ends, or use another working tree{owner.how_to_share()}")
    hint = f"take it over: `{place.call} --mode resume`"
    raise RefusedError(
        f"the run of {one_line(place.shown)} was left by a session that is gone ({owner})", hint
    )


def refuse_changed(live: Live, data: bytes) -> None:
    """Refuse to continue with a plan other than the pinned one."""
    if sha256(data) == live.lock.get("digest"):
        return
    error = f"{one_line(live.place.shown)} was edited during the run; the run is pinned to the plan as it was at the start"
    kept = f"git show {REFS}/{live.place.slug}/plan"
    hint = (
        f"ask the user: undo the edit (`{kept}` has the pinned text), or `{verb('run abort')}`, then "
        f"`{live.place.call} --mode resume --accept-plan-change`"
    )
    raise RefusedError(error, hint)
