"""The context that one agent hands to the next: all of the step before, a summary of the one before that, then nothing."""

from __future__ import annotations

from ultra_runtime.contract.dependencies import distances
from ultra_runtime.text.xmltext import element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.works.work_documents import WorkPlan

WHAT, WHY, CAUTION, INCOMPLETE = "what", "why", "caution", "incomplete"
FOUR = (WHAT, WHY, CAUTION, INCOMPLETE)
FULL, SUMMARY = "FULL", "SUMMARY"
LEVELS = {1: FULL, 2: SUMMARY}
"""Steps back -> how much is handed over; everything further back is dropped."""
MOST_LINES = 3
SPECIFIER, SCHEDULER, BUILDER, VERIFIER = "specifier", "scheduler", "builder", "verifier"
CHAIN = (SPECIFIER, SCHEDULER, BUILDER, VERIFIER)
"""The agents that are spawned, in the order of their work; planner and committer are second roles of two of them."""


def previous_results(state: Mapping[str, Any], plan: WorkPlan | None, agent: str, task: str) -> list[str]:
    """Return the handoffs that an agent gets: along the agents, and for a builder along the tasks as well."""
    kept: Mapping[str, Mapping[str, str]] = state["handoffs"]
    before = [one for one in reversed(CHAIN[: CHAIN.index(agent)]) if _key(one, task) in kept]
    rows = [
        _handoff(one, task if one in (BUILDER, VERIFIER) else "", LEVELS[steps], kept[_key(one, task)])
        for steps, one in enumerate(before, 1)
        if steps in LEVELS
    ]
    if agent == BUILDER and plan:
        rows += [
            _handoff(VERIFIER, other, LEVELS[steps], kept[_key(VERIFIER, other)])
            for other, steps in distances(plan.graph, task).items()
            if steps in LEVELS and _key(VERIFIER, other) in kept
        ]
    return rows


def keep_handoff(state: dict[str, Any], agent: str, task: str, handoff: Mapping[str, str]) -> None:
    """Remember what an agent hands over."""
    state["handoffs"][_key(agent, task)] = dict(handoff)


def _key(agent: str, task: str) -> str:
    return f"{task}/{agent}" if agent in (BUILDER, VERIFIER) else agent


def _handoff(agent: str, task: str, level: str, fields: Mapping[str, str]) -> str:
    shown = fields if level == FULL else {WHAT: _summary(fields.get(WHAT, ""))}
    named = {"from": agent, **({"task": task} if task else {}), "detail-level": level}
    return element("context-handoff", named, [element(name, {}, shown.get(name, "")) for name in shown])


def _summary(text: str) -> str:
    return "\n".join([line for line in text.split("\n") if line.strip()][:MOST_LINES])


def sections(fields: Mapping[str, str]) -> Sequence[str]:
    """Return a handoff as list items."""
    return [f"- {name}: {' '.join(fields.get(name, '').split()) or 'none'}" for name in FOUR]
