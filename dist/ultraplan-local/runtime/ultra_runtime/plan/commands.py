"""Every command that a plan or session spec can make us run, and what the policy says of each."""

from __future__ import annotations

from ultra_runtime.guard.verdict import verdict_for
from ultra_runtime.plan.inline import is_nothing, spans
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ultra_runtime.guard.policy import Policy, Verdict
    from ultra_runtime.plan.inline import InlineCommand
    from ultra_runtime.plan.values import Plan, Step

BLOCK, WARN, ALLOW = "block", "warn", "allow"
CHECKPOINT = "Checkpoint"


class PlanCommand(Struct):
    """A command of a plan: the field it stands in, its step if it has one, and its line."""

    field: str
    step: int | None
    line: int
    command: str

    @property
    def where(self) -> str:
        """Where it stands, in words."""
        return self.field if self.step is None else f"Step {self.step}, {self.field}"


class Scanned(Struct):
    """A command of a plan with the verdict of the policy."""

    found: PlanCommand
    verdict: Verdict

    def as_data(self) -> dict[str, Any]:
        """Return it as it stands in an answer."""
        found = self.found
        data: dict[str, Any] = {"field": found.field, "line": found.line, "command": found.command}
        if found.step is not None:
            data["step"] = found.step
        return {**data, **self.verdict.as_data()}

    def __str__(self) -> str:
        told = f"{self.verdict.verdict:5}  line {self.found.line}, {self.found.where}: {one_line(self.found.command, 120)}"
        if self.verdict.verdict == ALLOW:
            return told
        return f"{told}\n       {self.verdict.rule}: {self.verdict.reason}\n       Instead: {self.verdict.instead}"


def scan(plan: Plan, policy: Policy) -> list[Scanned]:
    """Return every command of a plan with its verdict, in the order of the plan."""
    return [Scanned(found, verdict_for(found.command, policy)) for found in plan_commands(plan)]


def plan_commands(plan: Plan) -> Iterator[PlanCommand]:
    """Yield every command that a run of the plan could execute."""
    entry = plan.entry_condition
    if entry and entry.command:
        yield PlanCommand("Entry condition", None, entry.line, entry.command)
    for step in plan.steps:
        yield from _of("Test first", step.number, [step.test_first])
        yield from _of("Verify", step.number, [step.verify])
        yield from _checkpoint(plan, step)
    yield from _of("Exit condition", None, plan.exit_conditions)
    yield from _of("Verification", None, plan.verification)


def _of(field: str, step: int | None, commands: Iterable[InlineCommand | None]) -> Iterator[PlanCommand]:
    for one in commands:
        if one and one.command:
            yield PlanCommand(field, step, one.line, one.command)


def _checkpoint(plan: Plan, step: Step) -> Iterator[PlanCommand]:
    """Yield the command of the Checkpoint as the plan has it, of which a run takes the message."""
    for section in (step.section, *plan.document.below(step.section)):
        for item in section.items:
            if " ".join((item.name or "").split()).casefold() != CHECKPOINT.casefold():
                continue
            found = spans(item.value)
            command = (found[0].text if found else item.value).strip()
            if command and not is_nothing(command) and (found or command.startswith("git")):
                yield PlanCommand(CHECKPOINT, step.number, item.line, command)
            return
