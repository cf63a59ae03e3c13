"""Audit a run: read what it claims, prove it, and say what differs; what the run recorded about itself is no evidence."""

from __future__ import annotations

from ultra_runtime.files.digest import sha256
from ultra_runtime.files.patterns import PatternError
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.files.run_refs import AROUND
from ultra_runtime.proof.checks import StepCommits
from ultra_runtime.proof.conditions import conditions_of
from ultra_runtime.proof.content import has_subject
from ultra_runtime.proof.drift import Drift
from ultra_runtime.proof.objects import Lineage, is_ancestor
from ultra_runtime.proof.prove import prove
from ultra_runtime.run.life.exits import exit_conditions
from ultra_runtime.run.life.recorded import read_facts, stray_commits
from ultra_runtime.run.life.sessions import edited_whole
from ultra_runtime.run.state.around import read_around
from ultra_runtime.run.state.assignment import Assignment, check_plan, manifest_of
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields, progress_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ultra_runtime.checkout.surroundings import Surroundings
    from ultra_runtime.files.git import Git
    from ultra_runtime.plan.inline import InlineCommand
    from ultra_runtime.plan.values import Step
    from ultra_runtime.proof.conditions import Condition, Tried
    from ultra_runtime.run.life.recorded import Facts
    from ultra_runtime.run.state.run_place import RunPlace

PASS: str = progress_fields.MANIFEST_AUDIT_STATUS_PASS
DRIFT: str = progress_fields.MANIFEST_AUDIT_STATUS_DRIFT
NOT_AUDITED = "n/a"
UNFINISHED, NOTHING = "unfinished", "nothing done"


class Case(Struct):
    """A run to audit: the plan that it was pinned to, its commits, and what it says is completed."""

    git: Git
    place: RunPlace
    facts: Facts
    assignment: Assignment
    completed: list[Step]
    missing: list[int]
    """Steps that are neither completed nor skipped as the plan allows."""
    edited: list[Drift]

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do, so that the commands of the plan can decide."""
        return not self.missing and bool(self.completed) and self.has_commits

    @property
    def skipped(self) -> list[int]:
        """The steps that were left out as the plan allows."""
        done = [*self.missing, *(step.number for step in self.completed)]
        return [step.number for step in self.assignment.steps if step.number not in done]

    @property
    def has_commits(self) -> bool:
        """Whether the start and the end of the run are in this repository."""
        return self.git.has_commits(self.facts.start, self.facts.end)

    def around(self) -> Surroundings | None:
        """Return what the run was pinned to beside its plan."""
        return read_around(self.git, self.git.known[self.place.slug].refs)

    def exits(self) -> list[InlineCommand]:
        """Return the exit conditions of the run."""
        return exit_conditions(self.git, self.place, self.assignment, self.facts.end)

    def conditions(self) -> list[Condition]:
        """Return the commands that must pass at the end of the run."""
        return conditions_of(self.completed, self.exits(), StepCommits(self.git, self.facts.ranges))


class Audit(Struct):
    """The verdict and its reasons; `source` says where the commits of the run were found."""

    source: str
    drifts: list[Drift]
    completed: Sequence[int] = ()
    missing: Sequence[int] = ()
    notes: Sequence[str] = ()
    has_ended: bool = True

    @property
    def status(self) -> str:
        """Return what the record of a run says: whether anything differs, n/a when no step was there to audit."""
        if self.drifts:
            return DRIFT
        return PASS if self.completed else NOT_AUDITED

    @property
    def verdict(self) -> str:
        """Return the result for people: only a run that has ended and shows no differences passes."""
        if self.drifts:
            return DRIFT
        if not self.completed:
            return NOTHING
        return PASS if self.has_ended and not self.missing else UNFINISHED

    def details(self) -> list[dict[str, Any]]:
        """Return the reasons as data for an answer."""
        return [drift.as_data() for drift in self.drifts]


def open_case(git: Git, place: RunPlace, data: bytes, end: str = "") -> Case | None:
    """Return the run of a plan, None when there is no record of one; `end` when it ends now, whatever is on record."""
    facts = read_facts(git, place)
    if facts is None:
        return None
    facts.end = end or facts.end
    edited = []
    if facts.plan:
        git.read_ahead(facts.plan, git.known[place.slug].refs.get(AROUND, ""))
        pinned = git.blob(facts.plan)
        if sha256(pinned) != sha256(data):
            edited = [
                Drift("plan", f"the pinned plan {sha256(pinned)[:12]}", f"an edited plan {sha256(data)[:12]}")
            ]
            data = pinned
    assignment = Assignment(check_plan(data, place.shown)[0], place.session)
    completed = [step for step in assignment.steps if step.number in facts.ranges]
    missing = [step.number for step in assignment.steps if not _is_over(step, facts)]
    return Case(git, place, facts, assignment, completed, missing, edited)


def _is_over(step: Step, facts: Facts) -> bool:
    may_be_skipped = step.on_failure == plan_fields.STEPS_ON_FAILURE_SKIP
    return step.number in facts.ranges or (may_be_skipped and step.number in facts.skipped)


def audit(case: Case | None, tried: Tried | None = None, known: Sequence[Drift] = ()) -> Audit:
    """Prove a run; `tried` is how its commands ended now, `known` what they showed when they were last run."""
    if case is None:
        missing = Drift("run", "a run of this plan on record", "no git refs of one")
        return Audit("none", [missing])
    git, facts = case.git, case.facts
    source = facts.source
    numbers = [step.number for step in case.completed]
    lineage = Lineage(git, facts.start, facts.end)
    if not lineage.is_there and not case.has_commits:
        words = f"the start {facts.start[:12]} and the end {facts.end[:12]}"
        lost = Drift("history", words, "no such commit in this repository")
        return Audit(source, [*case.edited, lost], numbers, case.missing, has_ended=facts.has_ended)
    conditions = case.conditions() if tried else ()
    fence = case.assignment.fence
    proof = prove(
        git, case.completed, fence, facts.start, facts.end, facts.ranges, conditions, tried, facts.claims
    )
    drifts = [
        *case.edited,
        *_edited_whole(case),
        *_history(case, lineage),
        *proof.drifts,
        *_messages(case, lineage),
        *known,
    ]
    notes = [*facts.problems, *proof.notes, *stray_commits(git, facts, lineage)]
    return Audit(source, drifts, numbers, case.missing, notes, facts.has_ended)


def _edited_whole(case: Case) -> list[Drift]:
    """Return the edit of the plan of a session whose Verification counts for it."""
    counts = len(case.exits()) > len(case.assignment.exits)
    edited = edited_whole(case.git, case.place) if counts else None
    return [Drift("plan", f"the Verification of the pinned {PLAN_FILE}", "an edited one")] if edited else []


def _history(case: Case, lineage: Lineage) -> list[Drift]:
    """Check that the end descends from the start, and that HEAD still contains it."""
    git, start, end = case.git, case.facts.start, case.facts.end
    drifts = []
    if not lineage.has(start):
        drifts.append(Drift("history", f"the start {start[:12]} below the end", "history was rewritten"))
    if not is_ancestor(git, end, git.head()):
        words = "HEAD does not contain it: another branch is checked out, or history was rewritten"
        drifts.append(Drift("history", f"the end {end[:12]} in HEAD", words))
    return drifts


def _messages(case: Case, lineage: Lineage) -> list[Drift]:
    """Check the messages of the commits that the steps made."""
    drifts = []
    for step in case.completed:
        begin, commit = case.facts.ranges[step.number]
        pattern = manifest_of(step).commit_message_pattern
        if not pattern or begin == commit or not lineage.has(commit):
            continue
        subject = lineage.subject(commit)
        try:
            if has_subject(step, pattern, subject):
                continue
            actual = one_line(subject, 120)
        except PatternError as problem:
            actual = f"the pattern cannot be searched: {problem}"
        expected = one_line(pattern, 120)
        drifts.append(Drift(plan_fields.MANIFEST_COMMIT_MESSAGE_PATTERN, expected, actual, step.number))
    return drifts
