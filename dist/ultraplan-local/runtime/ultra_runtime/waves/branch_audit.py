"""Audit the branch of a session: its commits and a clean checkout decide, never what the child printed."""

from __future__ import annotations

import os

from ultra_runtime.files.run_refs import BEGIN, DONE, SKIP
from ultra_runtime.plan.covering import covers
from ultra_runtime.proof.background import AUDITING, Background, make_job
from ultra_runtime.proof.checks import StepCommits
from ultra_runtime.proof.conditions import conditions_of
from ultra_runtime.proof.drift import Drift
from ultra_runtime.proof.objects import Between
from ultra_runtime.proof.prove import prove
from ultra_runtime.run.state.assignment import allowed_paths
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.plan.values import Step
    from ultra_runtime.proof.conditions import Condition, Tried
    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_run import WaveRun

PROOFS = "proofs"
TOUCH, DELETED = "touch", "deleted"


class BranchAudit(Struct):
    """What speaks against the branch of a session."""

    tip: str
    drifts: list[Drift]
    missing: list[int]
    """Steps that a recovery can do."""


class BranchFacts(Struct):
    """What git says about a branch, before any command runs."""

    tip: str
    ranges: dict[int, tuple[str, str]]
    completed: list[Step]
    missing: list[int]
    drifts: list[Drift]
    conditions: list[Condition]
    job: dict[str, Any]
    """What the process has to do that runs its commands."""


def audit_branch(run: WaveRun, one: SessionStand) -> BranchAudit | None:
    """Return what the branch of a session lacks; None while its commands still run: ask again."""
    facts = run.facts.get(one.number)
    if facts is None:
        facts = run.facts[one.number] = _gather(run, one)
    tried = None
    if facts.completed and not facts.drifts:
        tried = proof_of(run, f"session-{one.number}").run(facts.job, 0)
        if tried is None:
            return None
    del run.facts[one.number]
    drifts, missing = list(facts.drifts), list(facts.missing)
    if facts.completed:
        base, fence = run.state.waves[one.wave].base, run.assignment(one.number).fence
        conditions = facts.conditions if tried else ()
        found = prove(
            run.git, facts.completed, fence, base, facts.tip, facts.ranges, conditions, tried
        ).drifts
        drifts += found
        missing += [drift.step for drift in found if drift.step is not None]
    fixable = all(drift.step is not None for drift in drifts)
    return BranchAudit(facts.tip, drifts, sorted(set(missing)) if fixable else [])


def _gather(run: WaveRun, one: SessionStand) -> BranchFacts:
    """Return which steps a branch has, and what it changed outside its limits."""
    base = run.state.waves[one.wave].base
    tip = run.tip_of(one.number) or base  # without commits it does not stay
    steps = run.assignment(one.number).steps
    done, skipped = _recorded(run, one, tip)
    completed = [step for step in steps if step.number in done]
    over = {*done} | {step.number for step in steps if step.number in skipped and may_skip(step)}
    missing = [step.number for step in steps if step.number not in over]
    drifts = [
        Drift("step", f"step {number} completed", "git has no record of it", number) for number in missing
    ]
    drifts += outside(run, one.number, base, tip)
    conditions = conditions_of(completed, (), StepCommits(run.git, done))
    return BranchFacts(
        tip, done, completed, missing, drifts, conditions, proof_job(run, one.number, tip, conditions)
    )


def _recorded(run: WaveRun, one: SessionStand, tip: str) -> tuple[dict[int, tuple[str, str]], set[int]]:
    """Return the steps that the runs of a session completed below a commit, with their commits; and those skipped."""
    done: dict[int, tuple[str, str]] = {}
    skipped: set[int] = set()
    for slug in run.slugs_of(one):
        refs = run.git.refs(slug)
        for name, commit in refs.items():
            for start in (DONE, SKIP):
                number = name[len(start) :]
                if not (name.startswith(start) and number.isdigit() and run.git.is_ancestor(commit, tip)):
                    continue
                if start == SKIP:
                    skipped.add(int(number))
                else:
                    done[int(number)] = (refs.get(f"{BEGIN}{number}", commit), commit)
    return done, skipped


def may_skip(step: Step) -> bool:
    """Tell whether the plan lets a step be left out when it fails."""
    return bool(step.on_failure == plan_fields.STEPS_ON_FAILURE_SKIP)


def outside(run: WaveRun, session: int, old: str, new: str) -> list[Drift]:
    """Return what changed between two commits outside Touch of a session, and what it deleted outside Files."""
    assignment = run.assignment(session)
    changes = Between(run.git, old, new).changes
    touch = assignment.fence.touch or [path for step in assignment.steps for path in allowed_paths(step)]
    files = [path for step in assignment.steps for path in step.files]
    strayed = [change.path for change in changes if not covers(touch, change.path)]
    deleted = [change.path for change in changes if change.new is None and not covers(files, change.path)]
    found = ((TOUCH, "changes only within Touch", strayed), (DELETED, "deletions only within Files", deleted))
    return [
        Drift(check, expected, f"changed: {list_paths(paths)}") for check, expected, paths in found if paths
    ]


def proof_job(
    run: WaveRun, session: int | None, commit: str, conditions: Sequence[Condition]
) -> dict[str, Any]:
    """Return what the process has to do that runs commands in a clean checkout of a commit."""
    place = run.place if session is None else run.place.of_session(session)
    return make_job(place, commit, conditions, run.settings, run.around, AUDITING)


def proof_of(run: WaveRun, name: str) -> Background:
    """Return the process that runs commands under a name."""
    return Background(run.git, os.path.join(run.journal.folder, PROOFS, name))


def red_rows(conditions: Sequence[Condition], tried: Tried) -> Mapping[str, str]:
    """Return command -> why it is red; what a later step decides is left out."""
    if tried.required:
        return {"a clean checkout": tried.proof}
    found = {one.command: tried.problem(one) for one in conditions if one.later is None}
    return {command: problem for command, problem in found.items() if problem}
