"""Record the answer of an agent: its form is checked, and it counts only as far as git and the run agree."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.run.state.statuses import COMPLETED
from ultra_runtime.run.step.failing import after_failure
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.tables.limits import ATTEMPTS
from ultra_runtime.words import counted, one_line
from ultra_runtime.works.messages import (
    FAIL,
    PASS,
    SPECIFIER,
    VERIFIER,
    TaskResult,
    keep_handoff,
    read_result,
)
from ultra_runtime.works.specified import read_specified
from ultra_runtime.works.task_standing import pinned_plan, write_standing
from ultra_runtime.works.written import IN_PROGRESS, list_work, log, write_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.run.state.live import Live
    from ultra_runtime.works.work_documents import WorkPlan
    from ultra_runtime.works.work_place import WorkOrder

OPEN, ANSWER, TAKEN, ENDED = "open", "answer", "taken", "ended"
"""The state of a dispatch without an answer, and what is kept of one beside its text: its answer, and how many times it
had been handed out when an agent began with it, and when an agent ended without an answer."""


def store_answer(work: WorkOrder, text: str, speaker: str = "", number: int = 0) -> dict[str, Any]:
    """Check the form of an answer and keep it for the next turn; return the dispatch that it closes.

    `speaker` and `number` are the agent that gave it and its dispatch, if they are known: it answers for itself only.
    The first answer counts.
    """
    result = read_result(text, work.name)
    if speaker and result.agent != speaker:
        raise RefusedError(f"agent must be {speaker}, not {result.agent}", "answer for yourself only")
    who = f"{result.agent} {result.task}".strip()
    for one in work.read_state()["dispatches"]:
        if number == one["number"] and name_of(one) != who:
            raise RefusedError(
                f"this is the answer of {who}, not of {name_of(one)}", "answer your own dispatch"
            )
        if (name_of(one), one["state"]) == (who, OPEN):
            if work.read_message(one["number"], ANSWER) not in ("", text):
                raise work.refusal(f"another answer of {who} is recorded already")
            work.keep_message(one["number"], text, ANSWER)
            return dict(one)
    raise work.refusal(f"no dispatch to {who} is open")


def name_of(dispatch: dict[str, Any]) -> str:
    """Return the agent of a dispatch with its task, if it has one."""
    return f"{dispatch['agent']} {dispatch['task']}".strip()


def waiting_for(work: WorkOrder, one: dict[str, Any]) -> str:
    """Say which agent has a dispatch, and whether it has begun."""
    begun = "at work" if work.read_message(one["number"], TAKEN) == str(one.get("times")) else "not begun"
    return f"{name_of(one)}, dispatch {one['number']}, {begun}"


def absorb(work: WorkOrder, state: dict[str, Any], live: Live | None, lost: str = "") -> None:
    """Close every open dispatch whose answer has come, or whose agents have ended too often without one.

    `lost` is the number of one whose agent has ended, as the conversation says.
    """
    waiting = [one for one in state["dispatches"] if one["state"] == OPEN]
    if lost and lost not in [str(one["number"]) for one in waiting]:
        raise work.refusal(f"no dispatch {one_line(lost, 40)} is open")
    for one in waiting:
        text = work.read_message(one["number"], ANSWER)
        if text:
            _absorb(work, state, live, one, read_result(text, work.name))
        elif one.get("times", 0) >= ATTEMPTS and (str(one["number"]) == lost or is_ended(work, one)):
            why = f"{counted(ATTEMPTS, 'agent')} ended without an answer"
            _absorb(work, state, live, one, TaskResult(one["agent"], one["task"], FAIL, why, [], why, {}))
        else:
            continue
        work.write_state(state)


def note_end(work: WorkOrder, number: int) -> None:
    """Note that the agent with that dispatch has ended without an answer, unless it has one."""
    one = work.read_state()["dispatches"][number - 1]
    if one["state"] == OPEN and not work.read_message(number, ANSWER):
        work.keep_message(number, str(one.get("times")), ENDED)


def is_ended(work: WorkOrder, one: dict[str, Any]) -> bool:
    """Tell whether the last agent that got a dispatch has ended without an answer."""
    return work.read_message(one["number"], ENDED) == str(one.get("times"))


def _absorb(
    work: WorkOrder, state: dict[str, Any], live: Live | None, dispatch: dict[str, Any], result: TaskResult
) -> None:
    status, why = result.status, result.notes if result.status == FAIL else ""
    if live is not None and result.task:
        status, why = _judged(work, live, dispatch, result, why)
    elif result.agent == SPECIFIER:
        status, why = _specified(work, state, status, why)
    dispatch.update(state=status, why=one_line(why, 600))
    if result.handoff:
        keep_handoff(state, result.agent, result.task, result.handoff)
    log(work, result.agent, f"{status} {result.task} {why or result.summary}".strip())


def _specified(work: WorkOrder, state: dict[str, Any], status: str, why: str) -> tuple[str, str]:
    """Check what the specifier wrote; its word alone is not enough."""
    plan, problems = read_specified(work)
    if plan is None:
        return FAIL, why or "; ".join(problems)
    state.update(title=plan.title, language=plan.language)
    list_work(work, state, plan.title, IN_PROGRESS)
    return status, why


def _judged(
    work: WorkOrder, live: Live, dispatch: dict[str, Any], result: TaskResult, why: str
) -> tuple[str, str]:
    """Compare an answer about a task with the run: only a commit is a pass, and a failure is an attempt."""
    plan = pinned_plan(work)
    number = plan.number(result.task)
    status = result.status
    committed = live.progress.state(number) == COMPLETED
    if result.agent == VERIFIER:
        if status == PASS and not committed:
            status, why = FAIL, f"{result.task} is not committed, whatever the answer says"
        elif committed:
            status = PASS
            _write_result(work, live, plan, result)
    if status == FAIL and not committed:
        why = count_failure(live, number, dispatch["attempts"], why or result.summary)
    write_standing(work, live, plan)
    return status, why


def count_failure(live: Live, number: int, attempts: int, why: str) -> str:
    """Count a failure, unless a verification has counted it since the dispatch; return the reason of the one counted.

    The last one halts the work.
    """
    if live.progress.attempts(number) > attempts:
        return str(live.progress.step(number).get(progress_fields.STEPS_ERROR) or why)
    record = live.records.read()
    if not live.ended and record is not None and record.number == number:
        record.attempts += 1
        record.verified = ""
        after_failure(live, live.assignment.step(number), record, one_line(why, 600))
    return why


def _write_result(work: WorkOrder, live: Live, plan: WorkPlan, result: TaskResult) -> None:
    step = live.progress.step(plan.number(result.task))
    commit = str(step.get(progress_fields.STEPS_COMMIT) or "")
    said = (
        live.git.line("diff-tree", "-r", "--root", "--name-only", "--no-commit-id", commit) if commit else ""
    )
    result.status = PASS
    used = step.get(progress_fields.STEPS_ATTEMPTS) or 0
    issues = [f"verified {used} times"] if isinstance(used, int) and used > 1 else []
    write_result(work, plan, result, commit[:10], said.split("\n") if said else [], issues)
