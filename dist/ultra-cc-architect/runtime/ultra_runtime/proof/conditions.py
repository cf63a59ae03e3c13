"""The commands that must pass at the end of a run, and what follows from how they ended."""

from __future__ import annotations

from ultra_runtime.proof.checks import last_to_touch
from ultra_runtime.proof.drift import CLEAN, EXIT_FAILS, NO_PROOF, VERIFY_FAILS, Drift
from ultra_runtime.run.state.assignment import allowed_paths, manifest_of
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.plan.inline import InlineCommand
    from ultra_runtime.plan.values import Step
    from ultra_runtime.proof.checks import StepCommits

NOT_COMMITTED = (
    "it passes in the working tree, so what it needs is not committed: "
    "commit it, or name it in `.worktreeinclude`, or give a setup command"
)


class Condition(Struct):
    """A command that must pass; `step` when it is the Verify of a step, `later` when another step decides about it."""

    command: str
    expected: str = ""
    """The text that it must print; empty if any will do."""
    step: int | None = None
    later: int | None = None
    commit: str = ""
    """The commit of the step, in which the command must have passed if another step decides about it now."""


class Tried(Struct):
    """How the commands ended: command -> its row; `proof` says where they ran, or why there is no proof."""

    proof: str
    rows: Mapping[str, Mapping[str, Any]]
    required: bool = False
    """Whether the run must not be completed without the proof that there is not."""
    notes: Sequence[str] = ()
    changed: Sequence[Sequence[str]] = ()
    """What the checkout got otherwise than at the start of the run: kind and name."""

    def problem(self, one: Condition) -> str:
        """Return how a command failed; empty if it passed, or need not be run without a clean checkout."""
        row = self.rows.get(one.command)
        if row is None:
            needed = not self.required and (one.step is None or self.proof == CLEAN)
            return "was not run" if needed else ""
        problem = str(row["problem"])
        if not problem and one.expected in row["lacks"]:
            problem = f"did not print {one_line(one.expected, 120)}, see {row['log']}"
        return f"{problem}; {NOT_COMMITTED}" if problem and row["passes_here"] else problem


def conditions_of(
    steps: Sequence[Step], exits: Sequence[InlineCommand], commits: StepCommits | None = None
) -> list[Condition]:
    """Return what must pass: Verify of the completed steps, then the exit conditions; prose decides nothing.

    With the commits of the steps, one that only may change a file decides nothing about it.
    """
    found = []
    for at, step in enumerate(steps):
        # The pre-flight is about the sandbox of a session, not about what it commits.
        if step.verify and step.verify.command and not manifest_of(step).sandbox_preflight:
            later = last_to_touch(steps[at + 1 :], allowed_paths(step), commits)
            own = commits.own(step.number) if commits and later is not None else ""
            found.append(_condition(step.verify, step.number, later, own))
    return found + [_condition(one, None, None) for one in exits if one.command]


def _condition(one: InlineCommand, step: int | None, later: int | None, commit: str = "") -> Condition:
    return Condition(one.command or "", one.expected if one.literal else "", step, later, commit)


def judge(conditions: Sequence[Condition], tried: Tried) -> tuple[list[Drift], list[str]]:
    """Return the conditions that do not hold, and notes about those that a later step made untrue."""
    drifts, notes = [], list(tried.notes)
    if tried.required:
        drifts.append(Drift(NO_PROOF, CLEAN, tried.proof))
    for one in conditions:
        problem = tried.problem(one)
        lacking = tried.rows.get(one.command, {}).get("held", {}).get(one.commit, [one.expected])
        held = not one.commit or one.expected not in lacking
        if problem and one.later is not None and held:
            notes.append(
                f"Verify of step {one.step} {problem}; step {one.later} changed its files afterwards"
            )
        elif problem:
            expected, actual = f"`{one_line(one.command)}` passes", f"it {problem}"
            is_exit = one.step is None
            drifts.append(
                Drift(EXIT_FAILS, expected, actual)
                if is_exit
                else Drift(VERIFY_FAILS, expected, actual, one.step)
            )
    return drifts, notes
