"""Audit a run from the plan, git and the files alone; what the executor recorded about itself does not count."""

from __future__ import annotations

import os

from ultra_runtime.files.digest import sha256
from ultra_runtime.files.git import GitError
from ultra_runtime.files.patterns import PatternError, search
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.run.life.recorded import read_facts
from ultra_runtime.run.state.assignment import Assignment, check_plan, manifest_of
from ultra_runtime.run.step.expected import SHELL_FILE, check_scope, exists, syntax_problem
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields, progress_fields
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.files.git import Git
    from ultra_runtime.plan.values import Step
    from ultra_runtime.run.life.recorded import Facts
    from ultra_runtime.run.state.run_place import RunPlace

PASS: str = progress_fields.MANIFEST_AUDIT_STATUS_PASS
DRIFT: str = progress_fields.MANIFEST_AUDIT_STATUS_DRIFT
MOST_STRAYS = 20


class Drift(Struct):
    """One difference between what the plan says and what is there."""

    check: str
    expected: str
    actual: str
    step: int | None = None

    def as_data(self) -> dict[str, Any]:
        return {"check": self.check, "expected": self.expected, "actual": self.actual, "step": self.step}

    def __str__(self) -> str:
        where = f"step {self.step}: " if self.step is not None else ""
        return f"{where}{self.check}: expected {self.expected}; found {self.actual}"


class Audit(Struct):
    """The verdict and its reasons; `source` says where the commits of the run were found."""

    source: str
    drifts: list[Drift]
    completed: list[int]

    @property
    def status(self) -> str:
        return DRIFT if self.drifts else PASS

    def details(self) -> list[dict[str, Any]]:
        """Return the reasons as data for an answer."""
        return [drift.as_data() for drift in self.drifts]


def audit(git: Git, place: RunPlace, data: bytes) -> Audit:
    """Audit the run of a plan, at any time."""
    facts = read_facts(git, place)
    if facts is None:
        missing = Drift("run", "a run of this plan on record", "no git refs of one")
        return Audit("none", [missing], [])
    drifts = []
    if facts.plan:
        pinned = git.ask("cat-file", "blob", facts.plan)
        if sha256(pinned) != sha256(data):
            drifts.append(
                Drift("plan", f"the pinned plan {sha256(pinned)[:12]}", f"an edited plan {sha256(data)[:12]}")
            )
            data = pinned
    assignment = Assignment(check_plan(data, place.shown)[0], place.session)
    if not git.has_commit(facts.start):
        drifts.append(Drift("history", f"the start {facts.start[:12]}", "no such commit in this repository"))
        return Audit(facts.source, drifts, [])
    if not git.is_ancestor(facts.start, facts.end):
        drifts.append(
            Drift("history", f"the start {facts.start[:12]} below the end", "history was rewritten")
        )
    done = [step for step in assignment.steps if step.number in facts.ranges]
    for step in done:
        drifts += _step_drifts(git, place.root, assignment, step, facts)
    drifts += _strays(git, facts)
    return Audit(facts.source, drifts, [step.number for step in done])


def _step_drifts(git: Git, root: str, assignment: Assignment, step: Step, facts: Facts) -> list[Drift]:
    number, manifest = step.number, manifest_of(step)
    begin, commit = facts.ranges[number]
    drifts = [
        Drift(plan_fields.MANIFEST_EXPECTED_PATHS, one_line(path), "it does not exist", number)
        for path in manifest.expected_paths
        if not exists(root, path)
    ]
    if not git.has_commit(commit) or not git.is_ancestor(commit, facts.end):
        words = f"{commit[:12]} is no longer part of the history"
        return [*drifts, Drift("commit", f"the commit of step {number}", words, number)]
    if begin == commit:
        return drifts + _uncommitted(git, root, step, facts)
    changed = _changed(git, begin, commit)
    for fault in check_scope(step, list(changed), assignment.fence):
        drifts.append(Drift(fault.check, "only what the step may change", fault.words, number))
    drifts += _message(git, step, commit)
    scripts = [path for path in changed if changed[path] and path.endswith(SHELL_FILE)]
    for path in dict.fromkeys([*map(plain, manifest.bash_syntax_check), *scripts]):
        problem = _script_problem(git, commit, path)
        if problem:
            expected = f"bash -n passes for {one_line(path)}"
            drifts.append(Drift(plan_fields.MANIFEST_BASH_SYNTAX_CHECK, expected, problem, number))
    return drifts


def _uncommitted(git: Git, root: str, step: Step, facts: Facts) -> list[Drift]:
    """Return the files of a step without a commit that exist and that no commit has."""
    missing = []
    for path in manifest_of(step).expected_paths:
        spelled = plain(path)
        if os.path.isfile(os.path.join(root, spelled)) and not covers(
            _tracked(git, facts.end, spelled), spelled
        ):
            missing.append(spelled)
    return [
        Drift("commit", f"a commit with {one_line(path)}", "no commit of the run contains it", step.number)
        for path in missing
    ]


def _tracked(git: Git, commit: str, path: str) -> list[str]:
    said = git.done("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", path).out
    return [os.fsdecode(name) for name in said.split(b"\0")[:-1]]


def _changed(git: Git, begin: str, commit: str) -> dict[str, bool]:
    """Return each path that a range of commits touches -> whether it exists afterwards."""
    own = (
        "--first-parent",
        "--no-merges",
        "--no-show-signature",
        "--format=",
        "--name-status",
        "--no-renames",
        "-z",
    )
    said = git.ask("log", *own, f"{begin}..{commit}")
    fields = [os.fsdecode(field).lstrip("\n") for field in said.split(b"\0")[:-1]]
    fields = [field for field in fields if field]
    paths = dict.fromkeys(fields[1::2], True)
    gone = git.ask("diff", "--name-only", "--diff-filter=D", "--no-renames", "-z", begin, commit)
    paths.update(dict.fromkeys((os.fsdecode(path) for path in gone.split(b"\0")[:-1]), False))
    return paths


def _message(git: Git, step: Step, commit: str) -> list[Drift]:
    pattern = manifest_of(step).commit_message_pattern
    subject = git.subject(commit)
    try:
        if not pattern or search(pattern, subject):
            return []
        actual = one_line(subject, 120)
    except PatternError as problem:
        actual = f"the pattern cannot be searched: {problem}"
    return [Drift(plan_fields.MANIFEST_COMMIT_MESSAGE_PATTERN, one_line(pattern, 120), actual, step.number)]


def _script_problem(git: Git, commit: str, path: str) -> str:
    """Return what bash reports about a script as it was committed."""
    try:
        data = git.ask("cat-file", "blob", f"{commit}:{path}")
    except GitError:
        return "it is not in the commit"
    return syntax_problem(["bash", "-n"], data)


def _strays(git: Git, facts: Facts) -> list[Drift]:
    """Return the commits between start and end that belong to no step."""
    said = git.line("rev-list", "--first-parent", "--no-merges", "--reverse", f"{facts.start}..{facts.end}")
    known = {commit for _, commit in facts.ranges.values()} | facts.own
    strays = [commit for commit in said.split() if commit not in known]
    drifts = [
        Drift(
            "stray_commit",
            "commits of steps only",
            f"{commit[:12]} {git.subject(commit)[:80]}",
        )
        for commit in strays[:MOST_STRAYS]
    ]
    if len(strays) > MOST_STRAYS:
        drifts.append(Drift("stray_commit", "commits of steps only", f"{len(strays) - MOST_STRAYS} more"))
    return drifts
