"""Gather the runs of a project: their progress files, and who holds the tree."""

from __future__ import annotations

from ultra_runtime.contract.forms import is_number
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.stages import file_of, find_files
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.proof.drift import CLEAN, NO_PROOF, NOT_MADE
from ultra_runtime.run.life.holder import GONE, find_lock, held_next, holder_of
from ultra_runtime.run.state.standing import read_standing
from ultra_runtime.run.state.statuses import DEFERRED, OVER, PENDING, SKIPPED
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.text.timestamp import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.contract.stages import Next
    from ultra_runtime.files.project import Project


class StepFacts:
    """One step of a run; `seconds` is the time since the end of the step before it, or since the start."""

    __slots__ = ("attempts", "commit", "completed_at", "error", "note", "number", "seconds", "state", "title")

    def __init__(self, number: int, title: str, values: Mapping[str, Any]) -> None:
        self.number = number
        self.title = title
        self.state = str(values.get(fields.STEPS_STATUS) or PENDING)
        attempts = values.get(fields.STEPS_ATTEMPTS)
        self.attempts = attempts if isinstance(attempts, int) else 0
        self.commit = str(values.get(fields.STEPS_COMMIT) or "")
        self.completed_at = str(values.get(fields.STEPS_COMPLETED_AT) or "")
        self.error = str(values.get(fields.STEPS_ERROR) or "")
        self.note = str(values.get(fields.STEPS_NOTE) or "")
        self.seconds: int | None = None


class RunFacts:
    """One run of a plan or of one of its sessions."""

    def __init__(self, shown: str, session: int | None) -> None:
        self.shown = shown
        self.session = session
        self.problem = ""
        self.status = ""
        self.started_at = ""
        self.updated_at = ""
        self.mode = ""
        self.plan = ""
        """The plan or session spec that was run, as seen from the root, and its digest."""
        self.digest = ""
        self.steps: list[StepFacts] = []
        self.audit = ""
        """pass, drift or empty; `audit_source` says whether it is new or from `run finish`."""
        self.audit_source = ""
        self.drifts: list[dict[str, Any]] = []
        self.proof = ""
        """Why a finished run has no proof; empty when it has one."""
        self.findings: list[str] = []
        self.holder = ""
        """Who holds the tree for this run: this session, another one, one that is gone, or nobody."""
        self.coming: Next | None = None
        """What comes next while somebody does."""

    @property
    def instant(self) -> int:
        """When the progress file was last written."""
        return instant(self.updated_at) or 0

    @property
    def held(self) -> str:
        """Who holds the tree, in words; a run whose session is gone was interrupted."""
        return "interrupted" if self.holder == GONE else self.holder

    def name_steps(self, titles: Mapping[int, str]) -> None:
        """Give each step its title in the plan of this run."""
        for step in self.steps:
            step.title = titles.get(step.number, "")

    @property
    def over(self) -> int:
        """How many steps are completed or skipped."""
        return sum(step.state in OVER for step in self.counted)

    @property
    def skipped(self) -> int:
        """How many steps were left out as the plan says."""
        return sum(step.state == SKIPPED for step in self.counted)

    @property
    def own(self) -> list[StepFacts]:
        """The steps of this run, without those of other sessions."""
        return [step for step in self.steps if step.state != DEFERRED]

    @property
    def counted(self) -> list[StepFacts]:
        """Its steps that count: the pre-flight of a session, step 0, is no work."""
        return [step for step in self.own if step.number]

    @property
    def current(self) -> StepFacts | None:
        """The first step that is not over."""
        return next((step for step in self.own if step.state not in OVER), None)


def gather_runs(project: Project, session: str = "") -> list[RunFacts]:
    """Return the runs of a project, the whole plan's first; `session` is the calling session, if known."""
    runs = []
    whole = file_of(fields.KIND)
    for name in find_files(project.folder, fields.KIND):
        digits = name.rpartition(".")[0].rpartition("-")[2]
        if name == whole or (digits.isascii() and digits.isdigit()):
            run = RunFacts(project.show(name), None if name == whole else int(digits[:6]))
            _read_progress(run, project.path(name))
            runs.append(run)
    _add_lock(project, runs, session)
    return sorted(runs, key=lambda run: run.session or 0)


def _read_progress(run: RunFacts, path: str) -> None:
    result = validate_file(load_contract(fields.KIND), path)
    if result.errors:
        issue = result.errors[0]
        run.problem = f"{issue.code}: {issue.sentence}"
    values: Mapping[str, Any] = result.parsed or {}
    run.status, run.started_at, run.updated_at, run.mode, run.plan, run.digest = (
        str(values.get(name) or "")
        for name in (
            fields.STATUS,
            fields.STARTED_AT,
            fields.UPDATED_AT,
            fields.MODE,
            fields.PLAN,
            fields.PLAN_DIGEST,
        )
    )
    given = values.get(fields.STEPS)
    steps: dict[str, Any] = given if isinstance(given, dict) else {}
    for number in sorted(int(one) for one in steps if is_number(one)):
        step = steps.get(str(number))
        run.steps.append(StepFacts(number, "", step if isinstance(step, dict) else {}))
    _add_times(run)
    summary = values.get(fields.SUMMARY)
    proof = str(summary.get(NO_PROOF) or "") if isinstance(summary, dict) else ""
    run.proof = "" if proof in (CLEAN, NOT_MADE) else proof
    audit = values.get(fields.MANIFEST_AUDIT)
    if isinstance(audit, dict):
        run.audit, run.audit_source = (
            str(audit.get(fields.MANIFEST_AUDIT_STATUS) or ""),
            "from the end of the run",
        )
        details = audit.get(fields.MANIFEST_AUDIT_DRIFT_DETAILS)
        run.drifts = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []


def _add_times(run: RunFacts) -> None:
    """Set how long each step took: from the end of the step before it to its own end."""
    before = instant(run.started_at)
    ends = [(instant(step.completed_at), step) for step in run.steps]
    for end, step in sorted(((end, step) for end, step in ends if end), key=lambda pair: pair[0]):
        if before and end >= before:
            step.seconds = (end - before) // 1_000_000_000
        before = end


def _add_lock(project: Project, runs: list[RunFacts], session: str) -> None:
    """Set who holds the tree, for the run that the lock names."""
    found = find_lock(project.root)
    if found is None:
        return
    root, git_dir, lock = found
    shown = str(lock.get("progress"))
    if lock.get("project") == project.shown and all(run.shown != shown for run in runs):
        number = lock.get("session")
        runs.append(RunFacts(shown, number if isinstance(number, int) else None))
        runs[-1].problem = "the progress file of the run is missing; a resume rebuilds it from git"
    for run in runs:
        if run.shown == shown:
            run.holder = holder_of(lock, session)
            run.coming = held_next(run.holder, read_standing(root, git_dir, lock))
            findings = lock.get("findings")
            run.findings = [str(one) for one in findings] if isinstance(findings, list) else []
