"""The policy in front of everything that a plan makes the runtime do: its commands and its paths."""

from __future__ import annotations

import os

from ultra_runtime.guard.policy import Policy
from ultra_runtime.plan.covering import covers, plain
from ultra_runtime.plan.inline import spans
from ultra_runtime.rendered import table
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ultra_runtime.guard.policy import Verdict
    from ultra_runtime.plan.values import Plan, Step

BLOCK, WARN = "block", "warn"
CHECKPOINT = "Checkpoint"


class Judged(Struct):
    """A command of a plan that the policy does not simply allow."""

    where: str
    command: str
    verdict: Verdict

    def as_data(self) -> dict[str, Any]:
        return {"where": self.where, "command": one_line(self.command, 200), "rule": self.verdict.rule}

    def __str__(self) -> str:
        return f"{self.where}: `{one_line(self.command, 200)}`: {self.verdict.reason}"


def load_policy() -> Policy:
    """Return the policy of this bundle."""
    return Policy.of(table("policy"))


def judge(command: str) -> Verdict:
    """Return what the policy says of one command."""
    from ultra_runtime.guard.verdict import verdict_for  # the reader of shell text, which few verbs need

    return verdict_for(command, load_policy())


def scan(plan: Plan) -> list[Judged]:
    """Return every command of a plan that the policy blocks or warns of."""
    from ultra_runtime.guard.verdict import verdict_for

    policy = load_policy()
    judged = [Judged(where, command, verdict_for(command, policy)) for where, command in commands(plan)]
    return [one for one in judged if one.verdict.verdict in (BLOCK, WARN)]


def commands_to_run(plan: Plan) -> list[tuple[str, str]]:
    """Return what a run would execute; of a Checkpoint it takes the message alone."""
    return [(where, command) for where, command in commands(plan) if not where.endswith(CHECKPOINT)]


def commands(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield every command that a run of the plan could execute, with where it stands."""
    entry = plan.entry_condition
    if entry and entry.command:
        yield "Entry condition", entry.command
    for step in plan.steps:
        for name, found in (("Test first", step.test_first), ("Verify", step.verify)):
            if found and found.command:
                yield f"Step {step.number}, {name}", found.command
        checkpoint = _checkpoint(step)
        if checkpoint:
            yield f"Step {step.number}, {CHECKPOINT}", checkpoint
    for name, conditions in (("Exit condition", plan.exit_conditions), ("Verification", plan.verification)):
        for one in conditions:
            if one.command:
                yield name, one.command


def _checkpoint(step: Step) -> str:
    """Return the command of the Checkpoint as the plan has it; only its message is ever used."""
    item = step.section.field("Checkpoint")
    if item is None:
        return ""
    found = spans(item.value)
    command = (found[0].text if found else item.value).strip()
    return command if command.startswith("git") or found else ""


def path_problem(root: str, path: str) -> str:
    """Return why a run must not write a path, seen from the root; nothing when it may."""
    spelled = plain(path)
    if (
        not path
        or "\0" in path
        or os.path.isabs(path)
        or path.startswith("~")
        or spelled.split("/")[0] == ".."
    ):
        return "it is outside the repository"
    real = os.path.realpath(os.path.join(root, spelled))
    if real != root and not real.startswith(os.path.join(root, "")):
        return "it leads out of the repository"
    return protected(os.path.relpath(real, root)) or protected(spelled)


def protected(path: str) -> str:
    """Return the title of the rule that keeps a path of the repository from being written; or nothing."""
    folded = path.casefold()
    parts = folded.split("/")
    if parts[0] == ".git":
        return "it is in the git dir"
    policy = load_policy()
    rules: dict[str, Any] = policy.paths
    for rule, (patterns, unless) in rules.items():
        if covers(unless, parts[-1], anywhere=True):
            continue
        for pattern in patterns:
            if pattern[0] not in "~/" and covers([f"**/{pattern.casefold()}"], folded):
                return f"it is {policy.rules[rule][1]}"
    return ""
