"""The assignment of a run: the steps of a plan, of one session or of a session spec, with their conditions."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.result import Report
from ultra_runtime.contract.stages import placed_kinds
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.plan.again import plan_again
from ultra_runtime.plan.check import note_problems
from ultra_runtime.plan.covering import plain
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import NO_ENTRY, PLAN, SESSIONS_ENTRY, EntryCondition
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.judging import path_problem
from ultra_runtime.words import first_of, listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.result import Result
    from ultra_runtime.guard.judge import Judge
    from ultra_runtime.plan.inline import InlineCommand
    from ultra_runtime.plan.values import Manifest, Plan, Step

FIX = (
    f"fix the plan (`{verb('validate')} plan PATH` lists every problem) and start again; nothing was changed"
)
WHOLE = "it is the whole tree; name files or folders of it"
NONE = EntryCondition(NO_ENTRY, "", 0)


class Assignment:
    """The part of a plan that is run."""

    def __init__(self, plan: Plan, session: int | None = None) -> None:
        self.plan = plan
        self.steps = plan.steps
        self.fence = plan.fence
        self.entry = plan.entry_condition or NONE
        self.exits: list[InlineCommand] = [*plan.exit_conditions, *plan.verification]
        self.title = ""
        if session is not None and plan.kind == PLAN:
            self._take_session(session)

    def _take_session(self, number: int) -> None:
        found = next((one for one in self.plan.sessions if one.number == number), None)
        if found is None:
            known = [str(one.number) for one in self.plan.sessions]
            error = f"the plan has no session {number}: " + (
                f"it has {listed(known)}" if known else "it has none"
            )
            raise RefusedError(error, "choose one of its sessions, or run the whole plan")
        self.steps = [step for step in self.plan.steps if step.number in found.steps]
        self.fence = found.fence
        self.title = found.title
        self.exits = []
        if found.depends_on:
            text = ", ".join(f"session {one}" for one in found.depends_on)
            self.entry = EntryCondition(SESSIONS_ENTRY, text, found.line, sessions=found.depends_on)

    @property
    def numbers(self) -> list[int]:
        """The numbers of its steps."""
        return [step.number for step in self.steps]

    @property
    def counted(self) -> list[int]:
        """The numbers of its steps without the pre-flight."""
        return [number for number in self.numbers if number]

    def recorded(self) -> list[int]:
        """Return the step numbers in the progress file; steps of other sessions are included."""
        last = max([0, *(step.number for step in self.plan.steps)])
        return [*([0] if 0 in self.numbers else []), *range(1, last + 1)]

    def step(self, number: int) -> Step:
        """Return a step, or refuse."""
        for step in self.steps:
            if step.number == number:
                return step
        error = f"this run has no step {number}"
        raise RefusedError(error, f"its steps are {', '.join(map(str, self.numbers))}")


def manifest_of(step: Step) -> Manifest:
    """Return the manifest that every step of a valid plan has."""
    if step.manifest is None:
        raise RefusedError(f"step {step.number} has no manifest", FIX)
    return step.manifest


def allowed_paths(step: Step) -> list[str]:
    """Return the paths that a step may change."""
    return [*step.files, *manifest_of(step).expected_paths]


def read_plan_bytes(path: str) -> bytes:
    """Return the bytes of a plan, or refuse."""
    try:
        return read_regular(path)
    except UnreadableError as problem:
        hint = "name an existing plan or session spec"
        if problem.missing and os.path.basename(path) == PLAN_FILE and PLAN in placed_kinds():
            folder = os.path.dirname(path)
            hint = f"make it with `{plan_again(folder, folder)}`, or {hint}"
        raise RefusedError(f"{one_line(path)}: {problem}", hint) from None


def check_plan(data: bytes, path: str) -> tuple[Plan, Result]:
    """Read a plan or session spec and check it against its contract."""
    plan = read(data)
    report = Report(load_contract(plan.kind), path)
    note_problems(report, plan)
    if not plan.steps and not report.errors:
        report.add("NO_STEPS|MISSING_SECTION", "it has no step")
    return plan, report.result()


def read_valid_plan(data: bytes, path: str) -> tuple[Plan, Result]:
    """Read a plan that must be valid, or refuse with its first errors."""
    plan, result = check_plan(data, path)
    if result.errors:
        errors = [f"line {one.line or 1}: {one.code}: {one.message}" for one in result.errors]
        raise RefusedError(f"the plan is not valid: {first_of(errors, 3, '; ')}", FIX)
    return plan, result


def refuse_paths(judge: Judge, assignment: Assignment, submodules: list[str]) -> None:
    """Refuse a plan with a step that names a path which no run may change."""
    for step in assignment.steps:
        for path in allowed_paths(step):
            problem = path_problem(judge, path) or ("" if plain(path) else WHOLE)
            inside = next((one for one in submodules if path == one or path.startswith(one + "/")), "")
            if inside and not problem:
                problem = f"it is in the submodule {one_line(inside)}, which has its own commits"
            if problem:
                raise RefusedError(f"step {step.number} must not change {one_line(path)}: {problem}", FIX)
