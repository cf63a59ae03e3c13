"""Decide what comes next in a work: which agents to spawn, whether to ask the user, or to finish."""

from __future__ import annotations

import os

from ultra_runtime.contract.dependencies import READY, states
from ultra_runtime.rendered import BUNDLE, names, verb
from ultra_runtime.run.life.finish import abort
from ultra_runtime.run.state.live import Live, open_live
from ultra_runtime.run.state.lock import Busy, read_lock
from ultra_runtime.run.state.owner import Owner, this_owner
from ultra_runtime.run.state.shell_call import newest_log
from ultra_runtime.run.step.begin import begin
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import requirement_fields, task_fields, work_plan_fields
from ultra_runtime.tables.limits import ATTEMPTS
from ultra_runtime.words import counted
from ultra_runtime.works.answers import OPEN, absorb, is_ended
from ultra_runtime.works.messages import BUILDER, PASS, SCHEDULER, SPECIFIER, VERIFIER, dispatch_text
from ultra_runtime.works.side_by_side import account_for, batch, give_back
from ultra_runtime.works.specified import read_specified, shown_rules
from ultra_runtime.works.task_standing import (
    APPROVED,
    RESUMED,
    done_tasks,
    others_files,
    pinned_plan,
    write_standing,
)
from ultra_runtime.works.work_documents import digests
from ultra_runtime.works.work_place import WORK, WorkOrder
from ultra_runtime.works.written import is_completed, log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ultra_runtime.works.work_documents import WorkPlan

SPAWN, WAIT, ASK, START, FINISH, TELL = "spawn", "wait", "ask", "start", "finish", "tell"
REFERENCES = "references"


class Turn(Struct):
    """What comes next: a word, the dispatches to spawn, and what to say."""

    word: str
    dispatches: list[dict[str, Any]]
    show: Sequence[str] = ()
    why: Sequence[str] = ()


def next_turn(work: WorkOrder, mine: Sequence[str] = (), lost: str = "") -> Turn:
    """Return what comes next, and make the dispatches that it needs.

    A dispatch that an agent has is not handed out a second time; `lost` is the number of one whose agent has ended.
    """
    if not _is_under_way(work):
        with Busy(work.workspace, "work next"):
            state = work.read_state()
            if is_completed(state):
                return Turn(TELL, [], why=[f"{work.name} is completed; a change is a new request"])
            if state.get("started"):
                return Turn(START, [], why=["no live session is running this work"])
            absorb(work, state, None, lost)
            return _hand_out(work, state, _open(state) or _before_the_run(work, state), lost)
    busy, live = open_live("work next", None, None)
    with busy:
        state = work.read_state()
        absorb(work, state, live, lost)
        due = None if live.ended else _routed(work, state, live) or _open(state)
        turn = due or _in_the_run(work, state, live, mine)
        return _hand_out(work, state, turn, lost)


def _is_under_way(work: WorkOrder) -> bool:
    """Tell whether the run of the work is in progress: in this session, or in another live one."""
    lock = read_lock(work.workspace) or {}
    owner = Owner.of(lock.get("owner"))
    return lock.get(WORK) == work.name and (owner.lives() or owner.is_same(this_owner()))


def _open(state: dict[str, Any]) -> Turn | None:
    """Return the dispatches without an answer."""
    open_ones = [one for one in state["dispatches"] if one["state"] == OPEN]
    return Turn(SPAWN, open_ones) if open_ones else None


def _hand_out(work: WorkOrder, state: dict[str, Any], turn: Turn, lost: str) -> Turn:
    """Hand out the dispatches of a turn that no agent has; if agents have all of them, the turn is to wait."""
    due = [one for one in turn.dispatches if str(one["number"]) == lost or not _is_out(work, one)]
    if not due:
        return Turn(WAIT, turn.dispatches) if turn.dispatches else turn
    for one in due:
        one.update(owner=this_owner().as_data(), times=one.get("times", 0) + 1)
    work.write_state(state)
    return Turn(turn.word, due)


def _is_out(work: WorkOrder, one: dict[str, Any]) -> bool:
    """Tell whether an agent of a live session may be at work on a dispatch."""
    owner = Owner.of(one.get("owner"))
    return not is_ended(work, one) and (owner.lives() or owner.is_same(this_owner()))


def _routed(work: WorkOrder, state: dict[str, Any], live: Live) -> Turn | None:
    """In full mode a work begins with the scheduler, also after an interruption; its FAIL ends the run."""
    plan = pinned_plan(work)
    if plan.mode != work_plan_fields.EXECUTION_MODE_FULL or live.turn() is None:
        return None
    last, resumed = _last(state, SCHEDULER), state.pop(RESUMED, False)
    if last is None or (resumed and last["state"] != OPEN):
        graph = [f"{name}: {word}" for name, word in states(plan.graph, done_tasks(live, plan)).items()]
        return Turn(SPAWN, [_dispatch(work, state, plan, SCHEDULER, "", graph)])
    if last["state"] == OPEN:
        work.write_state(state)
        return Turn(SPAWN, [last])
    if last["state"] == PASS:
        for one in state["dispatches"]:
            if one["state"] == OPEN and one["number"] < last["number"]:
                _keep_text(work, state, plan, one)
        return None
    abort(live)
    again = f"after a change of the plan: `{verb('work start')} {work.name} --accept-plan-change`"
    return Turn(TELL, [], why=[f"the scheduler says that the tasks cannot be built: {last['why']}", again])


def _before_the_run(work: WorkOrder, state: dict[str, Any]) -> Turn:
    """Specify and plan until the files are valid, then ask for the approval."""
    made = [one for one in state["dispatches"] if one["agent"] == SPECIFIER]
    plan, problems = read_specified(work) if made else (None, [])
    if plan and made[-1]["state"] == PASS:
        tasks = [work.show(task_fields.KIND, task.name) for task in plan.tasks]
        show = [work.show(requirement_fields.KIND), work.show(work_plan_fields.KIND), *tasks]
        state[APPROVED] = digests(work, plan)
        work.write_state(state)
        return Turn(START if state["auto"] else ASK, [], show)
    if len(made) >= ATTEMPTS:
        tried = f"{work.name} is not specified after {counted(ATTEMPTS, 'attempt')}"
        said = str(made[-1].get("why", ""))
        return Turn(TELL, [], why=[tried, *([said] if said not in "; ".join(problems) else []), *problems])
    asked = [state["request"], shown_rules(work.workspace.root)]
    asked += [f"Fix this first: {one}" for one in problems]
    return Turn(SPAWN, [_dispatch(work, state, None, SPECIFIER, "", asked)])


def _in_the_run(work: WorkOrder, state: dict[str, Any], live: Live, mine: Sequence[str]) -> Turn:
    plan = pinned_plan(work)
    done = done_tasks(live, plan)
    write_standing(work, live, plan)
    if live.ended or live.turn() is None:
        return Turn(FINISH, [])
    task = plan.tasks[(live.turn() or 1) - 1]
    account_for(live, state, others_files(state, plan, done, task.name))
    begun = begin(live, live.turn() or 1, mine)
    give_back(live, begun.record, state, task.files.keys())
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
    log_file = newest_log(live.place, f"step-{plan.number(task.name)}-verify-") if notes else ""
    notes += [f"What Verify printed: {os.path.relpath(log_file, live.place.root)}"] if log_file else []
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
    made = {
        "number": number,
        "agent": agent,
        "task": task,
        "state": OPEN,
        "attempts": attempts,
        "call": f"{verb('work dispatch')} {number}",
        "extra": [*extra],
    }
    _keep_text(work, state, plan, made)
    state["dispatches"].append(made)
    work.write_state(state)
    log(work, agent, f"dispatch {number} {task}".strip())
    return made


def _keep_text(work: WorkOrder, state: dict[str, Any], plan: WorkPlan | None, one: dict[str, Any]) -> None:
    text = dispatch_text(work, state, plan, one["agent"], one["task"], one.get("extra", ()))
    work.keep_message(one["number"], text)


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
