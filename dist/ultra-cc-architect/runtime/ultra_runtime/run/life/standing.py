"""The state of the execution of a plan, and the command that continues it."""

from __future__ import annotations

import os

from ultra_runtime.contract.stage_part import BAD, DONE, MISSING, NOW, THERE, WAIT, WARN, StagePart
from ultra_runtime.contract.stages import Next, file_of
from ultra_runtime.errors import UltraError
from ultra_runtime.guard.site import FOLDER, WAVES, run_file, shared_git_dir
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.session_state import read_state
from ultra_runtime.run.state.statuses import (
    BLOCKED,
    COMPLETED,
    FAILED,
    IN_PROGRESS,
    PARTIAL,
    PENDING,
    STOPPED,
    sentence,
)
from ultra_runtime.tables.fields import plan_fields, progress_fields
from ultra_runtime.words import counted, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ultra_runtime.files.git import Git
    from ultra_runtime.files.project import Project
    from ultra_runtime.plan.standing import PlanPart
    from ultra_runtime.run.life.run_facts import RunFacts
    from ultra_runtime.run.life.wave_part import WavesSeen
    from ultra_runtime.run.state.run_place import RunPlace

    Audit = Callable[[Project, str, RunFacts], None]

PLAN: str = plan_fields.KIND
MARKS = {COMPLETED: DONE, IN_PROGRESS: NOW, PARTIAL: WARN, STOPPED: WARN, FAILED: BAD, BLOCKED: BAD}


class RunPart(StagePart):
    """The runs of the plan: of the whole plan, or per session."""

    def _state(self) -> str:
        return THERE if self.files else MISSING

    def read(self) -> None:
        """Read the runs."""
        self.runs: list[RunFacts] = []
        if self.files or run_file(self.project.root):
            from ultra_runtime.run.life.run_facts import gather_runs  # many projects have no run

            self.runs = gather_runs(self.project, self.session)
        refused = [run for run in self.runs if self._was_never_begun(run)]
        self.runs = [run for run in self.runs if run not in refused]
        self.run = max(self.runs, key=lambda run: run.instant, default=None)
        """The newest run."""
        self.left = None if self.runs or refused else read_state(self.project.root, self.project.folder)
        """The session state, when nothing else is left of a run."""
        self.issues += [f"{run.shown}: {run.problem}" for run in self.runs if run.problem]
        self.waves = self._waves()

    def _was_never_begun(self, run: RunFacts) -> bool:
        """Return whether the entry condition refused the start: the progress file is stopped, and git knows no run."""
        if run.status != STOPPED or run.holder or any(step.state != PENDING for step in run.own):
            return False
        try:
            git, place = self._place(run)
            return "start" not in git.refs(place.slug)
        except UltraError:
            return False

    def _place(self, run: RunFacts) -> tuple[Git, RunPlace]:
        """Return where a run has its records; only what files do not say is asked of git."""
        from ultra_runtime.files.git import find_git
        from ultra_runtime.run.state.run_place import RunPlace

        plan = os.path.join(self.project.root, run.plan) if run.session is not None else ""
        if not os.path.isfile(plan):
            plan = self.project.path(file_of(PLAN))
        return find_git(self.project.root), RunPlace(self.project.root, plan, self.project, run.session)

    def _waves(self) -> WavesSeen | None:
        """Return the waves of the project; the module is loaded only where some were asked for."""
        common = shared_git_dir(self.project.root)
        if not os.path.isdir(os.path.join(common, FOLDER, WAVES)):
            return None
        from ultra_runtime.run.life.wave_part import waves_of

        return waves_of(self.project, common)

    @property
    def plan(self) -> PlanPart | None:
        """The plan, if the plugin has such a stage; most answers need none."""
        from ultra_runtime.plan.standing import PlanPart

        plan = self.other(PLAN)
        return plan if isinstance(plan, PlanPart) else None

    def audit(self, audit: Audit) -> None:
        """Audit each run; its steps get the titles of the plan that was run."""
        for run in self.runs:
            audit(self.project, file_of(PLAN), run)
            if self.plan:
                run.name_steps(dict(self.plan.steps) if self.is_of_plan(run) else self._pinned_titles(run))

    def _pinned_titles(self, run: RunFacts) -> dict[int, str]:
        from ultra_runtime.plan.reading import read

        try:
            git, place = self._place(run)
            pinned = git.refs(place.slug).get("plan")
            return {step.number: step.title for step in read(git.blob(pinned)).steps} if pinned else {}
        except UltraError:
            return {}

    def is_of_plan(self, run: RunFacts) -> bool:
        """Return whether a run is of the current plan, not of one that it replaced."""
        from ultra_runtime.files.digest import sha256

        raw = self.plan.raw() if self.plan else None
        if self.plan is None or raw is None or run.digest in ("", sha256(raw)):
            return True
        session = next((one for one in self.plan.sessions if one.number == run.session), None)
        name, spec = self.plan.spec(run.session) if run.session is not None else ("", None)
        if session is None or spec is None or run.plan != self.project.show(name):
            return False
        return run.digest == sha256(spec) and not self.plan.has_stale_spec(session)

    def what_is_left(self) -> Next | None:
        """Return the run to start, continue or resume; None when the plan was run completely."""
        held = next((run.coming for run in self.runs if run.coming), None)
        if held:
            return held
        if self.waves and self.waves.state.unfinished:
            words = f"waves: {self.waves.words}"
            if not self._is_amended(self.waves):
                return self.next(words, "--resume")
            return self._start(
                f"{words}, and the plan was changed since they started, so they must start over"
            )
        if self.waves and self._was_refused(self.waves):
            return self._start(f"waves: {self.waves.words}")
        if self.run is None:
            return self.left.coming() if self.left else self._start("the plan has not been executed")
        if self.run.status != COMPLETED:
            return self._resume(self.run)
        if not self.is_of_plan(self.run):
            return self._start("the plan was replaced after it was run")
        return self._next_session()

    def _is_amended(self, waves: WavesSeen) -> bool:
        """Return whether the plan was changed after its waves began, and they have ended."""
        from ultra_runtime.files.digest import sha256

        raw = self.plan.raw() if self.plan else None
        return raw is not None and not waves.lives and sha256(raw) != waves.state.begin["digest"]

    def _was_refused(self, waves: WavesSeen) -> bool:
        """Return whether the pre-flight of waves stopped the plan and no part of it has run since."""
        return not waves.state.begun and all(run.status == STOPPED and not run.over for run in self.runs)

    def _resume(self, run: RunFacts) -> Next:
        part = f" --session {run.session}" if run.session is not None else ""
        at = f" at step {run.current.number} of {len(run.counted)}" if run.current else ""
        words = sentence(run.status, at)
        if self.is_of_plan(run):
            return self.next(words, f"--resume{part}")
        words += ", and the plan was changed since it started"
        problem = self._change_problem(run)
        if problem:
            return self.next(
                f"{words}: {problem}, so the run must start over; its commits stay", f"--restart{part}"
            )
        return self._start(words, f"--resume{part} --accept-plan-change")

    def _change_problem(self, run: RunFacts) -> str:
        """Return why the run cannot continue with the plan as it is now."""
        from ultra_runtime.run.life.accept import change_problem
        from ultra_runtime.run.state.assignment import read_plan_bytes

        try:
            git, place = self._place(run)
            return change_problem(git, place.slug, read_plan_bytes(place.plan))
        except UltraError:
            return ""

    def _next_session(self) -> Next | None:
        """Return the first session without a completed run, when the plan is run by sessions."""
        done = {run.session for run in self.runs if run.status == COMPLETED and self.is_of_plan(run)}
        order = [number for wave in self.plan.waves for number in wave] if self.plan else []
        left = [number for number in order if number not in done]
        if None in done or not left:
            return None
        return self._start(f"session {left[0]} comes next", f"--session {left[0]}")

    def _start(self, reason: str, flags: str = "") -> Next:
        """Return how to start; outdated session specs are written again first."""
        stale = [one for one in self.plan.sessions if self.plan.has_stale_spec(one)] if self.plan else []
        if not stale:
            return self.next(reason, flags)
        project, plan = shell_word(self.project.shown), shell_word(self.project.show(file_of(PLAN)))
        said = f"the spec of session {stale[0].number} is older than the plan"
        return Next(self.stage, said, f"{verb('sessions write')} {plan} --project {project}")

    @property
    def has_begun(self) -> bool:
        """Whether a run has started, or a session state says so."""
        return bool(self.runs or self.left or self.waves)

    @property
    def in_waves(self) -> bool:
        """Whether the plan is run in waves that are not completed."""
        return self.waves is not None and self.waves.state.unfinished

    @property
    def mark(self) -> str:
        """Return the status of the newest run as a colour."""
        if self.waves and self.in_waves:
            return MARKS.get(self.waves.status, WAIT)
        if self.run is None:
            return WAIT
        is_drift = (
            self.run.status == COMPLETED and self.run.audit == progress_fields.MANIFEST_AUDIT_STATUS_DRIFT
        )
        return WARN if is_drift else MARKS.get(self.run.status, BAD)

    @property
    def caption(self) -> str:
        """Return how many steps are over, and the status of the run."""
        run = self.run
        if self.waves and self.in_waves:
            return f"{len(self.waves.merged)} of {len(self.waves.has)} sessions, {self.waves.status.replace('_', ' ')}"
        if run is None:
            return self.waves.words.partition(":")[0] if self.waves else "not started"
        how = f"audit {run.audit}" if run.status == COMPLETED and run.audit else run.status or "unreadable"
        return f"{run.over} of {len(run.counted)} steps, {how.replace('_', ' ')}"

    def rows(self) -> list[tuple[str, str]]:
        """Return the state of each run, and what the audit says about the last one."""
        shown = [run for run in self.runs if self.waves is None or run.session not in self.waves.has]
        rows = [(f"Run {run.session}" if run.session is not None else "Run", run_words(run)) for run in shown]
        waves = [("Waves", self.waves.words)] if self.waves else []
        return [*waves, *rows, *([] if self.in_waves else [("Audit", audit_words(self.run))])]

    def data(self) -> dict[str, Any]:
        """Return the newest run as data."""
        run = self.run
        waves = {"waves": self.waves.words} if self.waves else {}
        if run is None:
            return {**waves, "run": None}
        from ultra_runtime.proof.drift import NO_PROOF

        at = run.current
        proof = {NO_PROOF: run.proof} if run.proof else {}
        return {
            **waves,
            "run": {
                "status": run.status, "over": run.over, "of": len(run.counted), "step": at.number if at else None,
                "state": at.state if at else None, "attempts": at.attempts if at else None,
                "held_by": run.holder or None, "audit": run.audit or None, progress_fields.MANIFEST_AUDIT_DRIFT_DETAILS: run.drifts,
                **proof,
            }
        }  # fmt: skip


def run_words(run: RunFacts) -> str:
    """Return the status of a run with its current step."""
    if not run.status:
        return "its progress file cannot be read"
    status = run.status.replace("_", " ")
    held = f" ({run.held})" if run.holder else ""
    at = run.current
    if at is None:
        steps = "the only step is" if len(run.counted) == 1 else f"all {len(run.counted)} steps are"
        return f"{status}{held}, {steps} over{_skipped(run)}"
    tried = f" after {at.attempts} attempts" if at.attempts > 1 else ""
    title = f' "{one_line(at.title, 60)}"' if at.title else ""
    state = at.state.replace("_", " ")
    return f"{status}{held}, step {at.number} of {len(run.counted)}{title} is {state}{tried}; {_over(run)}"


def _over(run: RunFacts) -> str:
    return f"{run.over or 'none'} {'is' if run.over == 1 else 'are'} over{_skipped(run)}"


def _skipped(run: RunFacts) -> str:
    return f" ({run.skipped} skipped)" if run.skipped else ""


def audit_words(run: RunFacts | None) -> str:
    """Return the result of the audit."""
    if run is None:
        return ""
    if not run.audit:
        return f"not yet: `{verb('run finish')}` runs it"
    count = f", {counted(len(run.drifts), 'difference')}" if run.drifts else ""
    proof = f"; proof: {one_line(run.proof, 200)}" if run.proof else ""
    return f"{run.audit}{count} ({run.audit_source}){proof}"
