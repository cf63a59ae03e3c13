"""List every command of a plan or session spec, in the order of a run, with its verdict."""

from __future__ import annotations

from ultra_runtime.guard.policy import ALLOW, ALLOWED, Verdict
from ultra_runtime.rendered import verb
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields, session_spec_fields
from ultra_runtime.typed import Any, Iterator, Sequence
from ultra_runtime.words import one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.guard.judge import Judge
    from ultra_runtime.plan.inline import InlineCommand
    from ultra_runtime.plan.values import EntryCondition, Plan

CHECKPOINT = plan_fields.STEPS_CHECKPOINT


class PlanCommand(Struct):
    """A command of a plan: its field, its step if it has one, and its line."""

    field: str
    step: int | None
    line: int
    command: str

    @property
    def where(self) -> str:
        """Its place in words."""
        return self.field if self.step is None else f"Step {self.step}, {self.field}"


class Scanned(Struct):
    """A command of a plan with its verdict, and with those of the other rules that it matches."""

    found: PlanCommand
    ruled: Verdict
    others: Sequence[Verdict] = ()

    @property
    def verdict(self) -> str:
        """The verdict: block, warn or allow."""
        return self.ruled.verdict

    def as_data(self) -> dict[str, Any]:
        """Return it as data for an answer."""
        found = self.found
        data: dict[str, Any] = {"field": found.field, "line": found.line, "command": found.command}
        if found.step is not None:
            data["step"] = found.step
        also = {"also": [one.as_data() for one in self.others]} if self.others else {}
        return {**data, **self.ruled.as_data(), **also}

    def row(self) -> str:
        """Return it as a row of a report, with its line and what to do instead."""
        found, ruled = self.found, self.ruled
        row = f"{self.verdict:5}  line {found.line}, {found.where}: {one_line(found.command)}"
        if self.verdict == ALLOWED:
            return row
        rows = [
            f"\n       {one.rule}: {one.reason}\n       Instead: {one.instead}"
            for one in (ruled, *self.others)
        ]
        return row + "".join(rows)

    def __str__(self) -> str:
        return f"{self.found.where}: `{one_line(self.found.command)}`: {self.ruled.reason}"


def scan(plan: Plan, judge: Judge) -> list[Scanned]:
    """Return every command of a plan with its verdict."""
    scanned = []
    for found in plan_commands(plan):
        matches = judge.matches(found.command) or [ALLOW]
        scanned.append(Scanned(found, matches[0], matches[1:]))
    return scanned


def options_when_blocked(path: str) -> str:
    """Return what a person can do about a plan with a blocked command."""
    dry_run = f"{verb('run dry-run')} {shell_word(path)}"
    return (
        f"tell the user the options: fix the commands in {one_line(path)} as `instead` says; list every command without"
        f" running any: `{dry_run}`; or take the command out of the plan and run it by hand (no mode of a run executes it)"
    )


def commands_to_run(plan: Plan) -> list[PlanCommand]:
    """Return the commands that a run executes; of a Checkpoint it uses only the message."""
    return [found for found in plan_commands(plan) if found.field != CHECKPOINT]


def plan_commands(plan: Plan) -> Iterator[PlanCommand]:
    """Yield every command of a plan, in the order of a run."""
    for field, step, found in _fields(plan):
        if found and found.command:
            yield PlanCommand(field, step, found.line, found.command)


def _fields(plan: Plan) -> Iterator[tuple[str, int | None, EntryCondition | InlineCommand | None]]:
    yield session_spec_fields.DEPENDENCIES_ENTRY_CONDITION, None, plan.entry_condition
    for step in plan.steps:
        yield plan_fields.STEPS_TEST_FIRST, step.number, step.test_first
        yield plan_fields.STEPS_VERIFY, step.number, step.verify
        yield CHECKPOINT, step.number, step.commit
    for condition in plan.exit_conditions:
        yield "Exit condition", None, condition
    for condition in plan.verification:
        yield plan_fields.SECTION_VERIFICATION, None, condition
