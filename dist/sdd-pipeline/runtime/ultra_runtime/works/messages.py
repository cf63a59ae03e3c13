"""The messages between the conversation and its agents, with the context that one agent hands to the next.

A dispatch is made, and an answer is checked, here alone.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.dependencies import distances
from ultra_runtime.contract.forms import is_number, is_work_id
from ultra_runtime.rendered import table, verb
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import requirement_fields, task_fields, work_plan_fields
from ultra_runtime.text.xmltext import Element, XmlError, element, read_xml, verbatim
from ultra_runtime.words import listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.works.work_documents import WorkPlan
    from ultra_runtime.works.work_place import WorkOrder

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


RESULT = "task-result"
LONGEST_PROMPT = 64 * 1024
PASS, FAIL = "PASS", "FAIL"
ROLES = {
    SPECIFIER: ("specifier+planner", "plan", work_plan_fields.KIND),
    SCHEDULER: ("scheduler", "route", work_plan_fields.KIND),
    BUILDER: ("builder", "implement", task_fields.KIND),
    VERIFIER: ("verifier+committer", "verify", task_fields.KIND),
}
"""Agent -> both of its roles, what it is to do, and the file that says what."""


class TaskResult(Struct):
    """The checked answer of an agent."""

    agent: str
    task: str
    status: str
    summary: str
    checks: list[tuple[str, bool]]
    notes: str
    handoff: dict[str, str]


def dispatch_text(
    work: WorkOrder,
    state: dict[str, Any],
    plan: WorkPlan | None,
    agent: str,
    task: str,
    extra: Sequence[str] = (),
) -> str:
    """Return the dispatch to an agent, with exactly the context and the references that it should have."""
    role, action, kind = ROLES[agent]
    mode = plan.mode if plan else ""
    title = plan.task(task).title if plan and task else state["title"]
    named = {"to": role, "work": work.name, "task": task, "execution-mode": mode}
    context = {
        "project": plan.project if plan else "",
        "language": plan.language if plan else state["language"],
        "plan-file": work.show(work_plan_fields.KIND),
        "requirement-file": work.show(requirement_fields.KIND),
        "references-dir": state["references"],
    }
    spec = {"file": work.show(kind, task), "title": title, "action": action}
    previous = previous_results(state, plan, agent, task)
    rows = [
        element("context", {}, [element(name, {}, text) for name, text in context.items()]),
        element("task-spec", spec, "\n".join(extra)),
        element("previous-results", {}, previous),
        verbatim("ref-cache", table("references").TEXTS.get(role, "")),
    ]
    return element("dispatch", {name: value for name, value in named.items() if value}, rows)


def read_result(text: str, work: str) -> TaskResult:
    """Return the answer of an agent, or refuse one that is not a task-result."""
    start, end = text.rfind(f"<{RESULT}"), text.rfind(f"</{RESULT}>")
    if start < 0 or end < start:
        raise _refusal(f"it has no <{RESULT}> element")
    try:
        found = read_xml(text[start : end + len(RESULT) + 3])
    except XmlError as problem:
        raise _refusal(str(problem)) from None
    faults = [*_faults(found, work)]
    if faults:
        raise _refusal("; ".join(faults))
    return TaskResult(
        _agent(found.attributes["agent"]),
        found.attributes.get("task", ""),
        found.attributes["status"],
        found.words("summary"),
        [
            (one.attributes.get("name", one.text.strip()), one.attributes.get("status") == PASS)
            for one in found.inside("verification")
        ],
        found.words("notes"),
        {one.name: one.text.strip() for one in reversed(found.inside("context-handoff")) if one.name in FOUR},
    )


def _faults(found: Element, work: str) -> list[str]:
    faults = []
    roles = [role for role, _, _ in ROLES.values()]
    given = {name: found.attributes.get(name, "missing") for name in ("work", "agent", "status")}
    for name, allowed in (("work", [work]), ("agent", [*roles, *ROLES]), ("status", [PASS, FAIL])):
        if given[name] not in allowed:
            shown = listed(roles if name == "agent" else allowed, "or")
            faults.append(f"{name} must be {shown}, not {one_line(given[name], 40)}")
    if not found.words("summary"):
        faults.append("it has no <summary>")
    failed = [one for one in found.inside("verification") if one.attributes.get("status") != PASS]
    if failed and given["status"] == PASS:
        name = one_line(failed[0].attributes.get("name", ""), 80)
        faults.append(f"status is {PASS}, but that of the check {name} is not")
    handoff = found.find("context-handoff")
    if handoff is None:
        return [*faults, "it has no <context-handoff>"]
    return faults + [f"<context-handoff> has no <{name}>" for name in FOUR if handoff.find(name) is None]


def _agent(name: str) -> str:
    return name.partition("+")[0]


def _refusal(fault: str) -> RefusedError:
    hint = "answer again with the whole element, in the form that your instructions end with; & and < are escaped"
    return RefusedError(f"the answer is not a {RESULT}: {fault}", hint)


def work_of(text: str) -> str:
    """Return the work that an answer names, without checking the rest of it."""
    start = text.rfind(f"<{RESULT}")
    head = text[start : text.find(">", start)] if start >= 0 else ""
    return head.partition('work="')[2].partition('"')[0]


def dispatch_of(transcript: object) -> tuple[int, str]:
    """Return the number of the dispatch that an agent was spawned for, and its work, as its prompt says; else nothing."""
    if not isinstance(transcript, str):
        return 0, ""
    try:
        with open(os.path.expanduser(transcript), encoding="utf-8", errors="replace") as file:
            said = file.read(LONGEST_PROMPT)
    except (OSError, ValueError):
        return 0, ""
    words = said.partition(f"{verb('work dispatch')} ")[2][:60].replace("`", " ").split()
    is_one = len(words) > 2 and is_number(words[0]) and words[1] == "--work" and is_work_id(words[2])
    return (int(words[0]), words[2]) if is_one else (0, "")
