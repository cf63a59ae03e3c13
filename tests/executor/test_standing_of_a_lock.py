"""Where a run stands, as a function of its lock, its progress and its record, compared with a model of its own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.names import COMMANDS
from tests.kit.quick import examples
from ultra_runtime.run.state.standing import Standing, own_steps

STATES = ("pending", "in_progress", "completed", "skipped", "failed", "deferred")
OVER, ENDED = ("completed", "skipped"), ("failed", "stopped", "blocked")
STEPS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["0", "1", "2", "3", "10", "x", "²", "01", "1" * 30]),
    st.fixed_dictionaries(
        {"status": st.sampled_from(STATES), "attempts": st.integers(0, 2) | st.just("many")}
    )
    | st.just([]),
    max_size=5,
)
LOCKS = st.fixed_dictionaries(
    {
        "plan": st.just("docs/a plan.md"),
        "project": st.sampled_from([None, ".claude/projects/p"]),
        "session": st.sampled_from([None, 2]),
        "step": st.sampled_from([None, None, 1, 2]),
    }
)
RECORDS: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.fixed_dictionaries(
    {"number": st.integers(0, 3), "verified": st.sampled_from(["", "tree"])}
)


@pytest.mark.soak
@settings(max_examples=examples(2400))
@given(LOCKS, st.sampled_from(["in_progress", "pending", "completed", *ENDED]), STEPS, RECORDS)
def test_a_run_stands_where_its_files_say(
    lock: dict[str, Any], status: str, steps: Any, record: dict[str, Any]
) -> None:
    found = Standing(lock, {"status": status, "steps": steps}, record)
    own = {
        int(number): one
        for number, one in steps.items()
        if number in ("0", "1", "2", "3", "10") and one and one["status"] != "deferred"
    }
    work = [one for number, one in own.items() if number]
    total, done = len(work), sum(one["status"] in OVER for one in work)
    assert (found.total, found.done, found.status) == (total, done, status)
    wanted = [lock["step"]] if lock["step"] else sorted(own)
    turn = next((number for number in wanted if number not in own or own[number]["status"] not in OVER), None)
    turn = None if status in ENDED else turn
    assert found.step == turn
    lost = total == 0 and status not in ENDED
    where = f"--project {lock['project']}" if lock["project"] else "'docs/a plan.md'"
    resume = f"{COMMANDS['execute']} {where} --resume{' --session 2' if lock['session'] else ''}"
    assert (found.is_lost, found.resume) == (lost, resume)
    if lost:
        assert (found.next, found.words) == (resume, "its progress file is missing or cannot be read")
        return
    state = own[turn]["status"] if turn in own else ""
    attempts = own[turn]["attempts"] if turn in own and own[turn]["attempts"] != "many" else 0
    assert (found.state, found.attempts) == (state, attempts)
    act = "begin" if record.get("number") != turn else "commit" if record.get("verified") else "verify"
    assert found.next == ("ultra run finish" if turn is None else f"ultra step {act} {turn}")
    if status in ENDED:
        assert f"after {done} of {total} steps" in found.words
    elif turn is None:
        assert found.words == ("the only step is over" if total == 1 else f"all {total} steps are over")
    else:
        tried = ", verified 2 times" if attempts == 2 else ""
        begun = "in progress" if state == "in_progress" else "next"
        assert found.words == f"step {turn} of {total} is {begun}{tried}"


def test_what_is_no_table_of_steps_has_none() -> None:
    assert own_steps({}) == own_steps({"steps": []}) == own_steps({"steps": {"1": 1}}) == {}
