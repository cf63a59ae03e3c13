"""Decide what comes next in a work: which agents to spawn, whether to ask the user, or to finish."""

from __future__ import annotations

from ultra_runtime.contract.dependencies import READY, states
from ultra_runtime.rendered import BUNDLE, names, verb
from ultra_runtime.run.state.live import Live, open_live
from ultra_runtime.run.state.lock import Busy, read_lock
from ultra_runtime.run.state.owner import Owner, this_owner
from ultra_runtime.run.step.begin import begin
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import requirement_fields, task_fields, work_plan_fields
from ultra_runtime.tables.limits import ATTEMPTS
from ultra_runtime.words import counted
from ultra_runtime.works.answers import OPEN, absorb
from ultra_runtime.works.handoffs import BUILDER, SCHEDULER, SPECIFIER, VERIFIER
from ultra_runtime.works.messages import PASS, dispatch_text
from ultra_runtime.works.side_by_side import batch, give_back
from ultra_runtime.works.task_standing import done_tasks, pinned_plan, write_standing
from ultra_runtime.works.work_documents import read_work
from ultra_runtime.works.work_place import WORK, WorkOrder
from ultra_runtime.works.written import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ultra_runtime.works.work_documents import WorkPlan

SPAWN, ASK, START, FINISH, TELL = "spawn", "ask", "start", "finish", "tell"
REFERENCES = "references"


class Turn(Struct):
    """What comes next: a word, the dispatches to spawn, and what to say."""

    word: str
    dispatches: list[dict[str, Any]]
    show: Sequence[str] = ()
    why: Sequence[str] = ()


def next_turn(work: WorkOrder, mine: Sequence[str] = ()) -> Turn:
    """Return what comes next, and make the dispatches that it needs; the same call again gives the same answer."""
    if not _is_under_way(work):
        with Busy(work.workspace, "work next"):
            state = work.read_state()
            if state.get("started"):
                return Turn(START, [], why=["the work is not in progress in a session that lives"])
            return _waiting(work, state, None) or _before_the_run(work, state)
    busy, live = open_live("work next", None, None)
    with busy:
        state = work.read_state()
        return _waiting(work, state, live) or _in_the_run(work, state, live, mine)


def _is_under_way(work: WorkOrder) -> bool:
    """Tell whether the run of the work is in progress: in this session, or in another one that lives."""
    lock = read_lock(work.workspace) or {}
    owner = Owner.of(lock.get("owner"))
    return lock.get(WORK) == work.name and (owner.lives() or owner.is_same(this_owner()))


def _waiting(work: WorkOrder, state: dict[str, Any], live: Live | None) -> Turn | None:
    """Take the answers that have come; return the dispatches without one, which are still to be spawned."""
    absorb(work, state, live)
    open_ones = [one for one in state["dispatches"] if one["state"] == OPEN]
    return Turn(SPAWN, open_ones) if open_ones else None


def _before_the_run(work: WorkOrder, state: dict[str, Any]) -> Turn:
    """Specify and plan until the files are valid, then ask for the approval."""
    made = [one for one in state["dispatches"] if one["agent"] == SPECIFIER]
    plan, problems = read_work(work) if made else (None, [])
    if plan and made[-1]["state"] == PASS:
        tasks = [work.show(task_fields.KIND, task.name) for task in plan.tasks]
        show = [work.show(requirement_fields.KIND), work.show(work_plan_fields.KIND), *tasks]
        return Turn(START if state["auto"] else ASK, [], show)
    if len(made) >= ATTEMPTS:
        return Turn(
            TELL, [], why=[f"{work.name} is not specified after {counted(ATTEMPTS, 'attempt')}", *problems]
        )
    again = [f"Fix this first: {one}" for one in problems]
    return Turn(SPAWN, [_dispatch(work, state, None, SPECIFIER, "", [state["request"], *again])])


def _in_the_run(work: WorkOrder, state: dict[str, Any], live: Live, mine: Sequence[str]) -> Turn:
    plan = pinned_plan(work)
    done = done_tasks(live, plan)
    write_standing(work, live, plan)
    if live.ended or live.turn() is None:
        return Turn(FINISH, [])
    if plan.mode == work_plan_fields.EXECUTION_MODE_FULL and not _last(state, SCHEDULER):
        graph = [f"{name}: {word}" for name, word in states(plan.graph, done).items()]
        return Turn(SPAWN, [_dispatch(work, state, plan, SCHEDULER, "", graph)])
    task = plan.tasks[(live.turn() or 1) - 1]
    give_back(live, state, task.files.keys())
    begun = begin(live, live.turn() or 1, mine)
    last = _last_of(state, task.name)
    if last and last["agent"] == BUILDER and last["state"] == PASS:
        turn = [_dispatch(work, state, plan, VERIFIER, task.name, (), begun.record.attempts)]
        return Turn(SPAWN, turn)
    ready = [
        one
        for one in plan.tasks
        if states(plan.graph, done)[one.name] == READY and (one is task or not _last_of(state, one.name))
    ]
    notes = [f"Attempt {begun.record.attempts + 1} of {live.most_attempts()}."] if last else []
    notes += [f"Why the last one failed: {last['why']}"] if last and last.get("why") else []
    return Turn(
        SPAWN,
        [
            _dispatch(
                work, state, plan, BUILDER, one.name, notes if one is task else (), begun.record.attempts
            )
            for one in batch(ready)
        ],
    )


def _dispatch(
    work: WorkOrder,
    state: dict[str, Any],
    plan: WorkPlan | None,
    agent: str,
    task: str,
    extra: Sequence[str] = (),
    attempts: int = 0,
) -> dict[str, Any]:
    """Make a dispatch, keep its text, and remember it as open."""
    state[REFERENCES] = f"{BUNDLE}/{REFERENCES}"
    number = len(state["dispatches"]) + 1
    work.keep_message(number, dispatch_text(work, state, plan, agent, task, extra))
    call = f"{verb('work dispatch')} {number}"
    made = {
        "number": number,
        "agent": agent,
        "task": task,
        "state": OPEN,
        "attempts": attempts,
        "call": call,
    }
    state["dispatches"].append(made)
    work.write_state(state)
    log(work, agent, f"dispatch {number} {task}".strip())
    return made


def as_spawn(work: WorkOrder, one: dict[str, Any]) -> dict[str, str]:
    """Return how the conversation spawns an agent for a dispatch."""
    call = f"{one['call']} --work {work.name}"
    prompt = f"REFERENCES_DIR={BUNDLE}/{REFERENCES}\nRun `{call}` first: it prints your dispatch. Follow it."
    return {
        "subagent_type": f"{names().plugin}:{one['agent']}",
        "description": f"{work.name} {one['task'] or one['agent']}",
        "prompt": prompt,
    }


def _last(state: dict[str, Any], agent: str) -> dict[str, Any] | None:
    return next((one for one in reversed(state["dispatches"]) if one["agent"] == agent), None)


def _last_of(state: dict[str, Any], task: str) -> dict[str, Any] | None:
    return next((one for one in reversed(state["dispatches"]) if one["task"] == task), None)
