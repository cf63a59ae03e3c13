"""Who is asked, how often, and which answers count, also when agents end early or say no."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.kit.repository import git
from tests.works.conftest import Office, agents, until
from tests.works.crew import DIRECT, NAME, Job, Order, number_of

TWO = Order({"TASK-01": Job("one.txt"), "TASK-02": Job("two.txt")})
WORKS = "works/WORK-01"


@pytest.mark.soak
def test_after_an_interruption_a_full_work_goes_on_at_the_scheduler(office: Office) -> None:
    office.new("auto: greet")
    office.next()
    builders = until(office, TWO, "builder")
    office("work", "abort")
    assert office("work", "start", "WORK-01")["run"] == "resumed"
    asked = office.next()
    assert agents(asked) == ["scheduler"]
    assert office.next()["agents"] == ["scheduler, dispatch 5, not begun"]
    answer = TWO.answer("scheduler").replace("what of scheduler", "look again")
    office("work", "result", given=answer)
    again = office.next()
    assert again["agents"] == builders["agents"]
    assert "<what>look again</what>" in office.dispatch(again["agents"][0]["prompt"])
    ended = office.finish(TWO)
    assert (ended["result"], ended["spawns"], ended["planned"]) == ("completed", 7, 6)


@pytest.mark.soak
def test_a_scheduler_that_was_interrupted_is_asked_once(office: Office) -> None:
    office.new("auto: greet")
    until(office, TWO, "scheduler")
    office("work", "abort")
    office("work", "start", "WORK-01")
    assert agents(office.turn(TWO)) == ["scheduler"]
    ended = office.finish(TWO)
    assert (ended["result"], ended["spawns"]) == ("completed", 6)


def test_a_scheduler_that_says_no_ends_the_run(office: Office) -> None:
    office.new("auto: greet")
    until(office, TWO, "scheduler")
    office("work", "result", given=TWO.answer("scheduler", status="FAIL", notes="both need one.txt"))
    told = office.next()
    assert (told["do"], "both need one.txt" in told["why"][0]) == ("tell", True)
    assert office.next()["do"] == "start"
    office("work", "start", "WORK-01")
    assert agents(office.next()) == ["scheduler"]


def test_a_specifier_that_says_no_is_heard(office: Office) -> None:
    office.new("greet and do not greet")
    for _ in range(3):
        office.next()
        office(
            "work", "result", given=DIRECT.answer("specifier", status="FAIL", notes="it contradicts itself")
        )
    told = office.next()
    assert (told["do"], told["why"][1]) == ("tell", "it contradicts itself")


def test_an_answer_that_contradicts_itself_is_refused(office: Office) -> None:
    office.new("auto: greet")
    until(office, DIRECT, "builder")
    answer = DIRECT.answer("builder", "TASK-00").replace(
        'name="It is there" status="PASS"', 'name="It" status="FAIL"'
    )
    error = office("work", "result", given=answer, status=1)["error"]
    assert error == "the answer is not a task-result: status is PASS, but that of the check It is not"
    raw = DIRECT.answer("builder", "TASK-00", notes="a < b & c")
    refused = office("work", "result", given=raw, status=1)
    assert refused["error"] == "the answer is not a task-result: line 5: not well-formed (invalid token)"
    assert "& and < are escaped" in refused["next"]


def test_an_agent_answers_for_itself_only(office: Office) -> None:
    office.new("auto: greet")
    until(office, TWO, "builder")
    payload = {
        "agent_type": f"{NAME}:scheduler",
        "last_assistant_message": TWO.answer("builder", "TASK-01"),
    }
    told = json.loads(office.ultra.hook("agent_result", payload).out)
    assert "agent must be scheduler, not builder" in told["reason"]
    assert office.ultra.hook("agent_result", {**payload, "agent_type": f"{NAME}:builder"}).out == ""


def test_a_verifier_that_died_after_its_commit_is_asked_again_and_finds_it_done(office: Office) -> None:
    office.new("auto: greet")
    until(office, DIRECT, "verifier")
    office("task", "verify", "TASK-00")
    commit = office("task", "commit", "TASK-00")["commit"]
    assert office.next()["do"] == "wait"
    assert agents(office("work", "next", "--again", "3")) == ["verifier"]
    assert office("task", "verify", "TASK-00")["passed"] is True
    assert office("task", "commit", "TASK-00")["commit"] == commit
    assert office.finish(DIRECT)["result"] == "completed"
    assert int(git(office.repo, "rev-list", "--count", "HEAD")) == 2


@pytest.mark.soak
def test_an_agent_that_has_not_answered_is_waited_for_and_not_spawned_a_second_time(office: Office) -> None:
    office.new("auto: greet")
    first, second = until(office, TWO, "builder")["agents"]
    office.dispatch(first["prompt"])
    waiting = office("work", "next")
    assert (waiting["do"], waiting["agents"]) == (
        "wait",
        ["builder TASK-01, dispatch 3, at work", "builder TASK-02, dispatch 4, not begun"],
    )
    assert "work next WORK-01 --again NUMBER" in waiting["next"]
    assert office("work", "next", "--again", "9", status=1)["error"] == "no dispatch 9 is open"
    office("work", "result", given=office.act(TWO, "builder", "TASK-02"))
    assert office("work", "next")["agents"] == ["builder TASK-01, dispatch 3, at work"]
    # Only the one that is named comes again, and a new session has none of the agents of the one before.
    assert office("work", "next", "--again", "3")["agents"] == [first]
    assert office("work", "next")["agents"] == ["builder TASK-01, dispatch 3, not begun"]
    office("work", "abort")
    office.in_session("two")
    office("work", "start", "WORK-01")
    office("work", "next")
    office("work", "result", given=TWO.answer("scheduler"))
    assert office("work", "next")["agents"] == [first]
    answer = office.act(TWO, "builder", "TASK-01")
    for _ in range(2):  # the same answer once more changes nothing
        assert office("work", "result", given=answer)["dispatch"] == 3
    other = office("work", "result", given=answer.replace("PASS", "FAIL", 1), status=1)
    assert other["error"] == "another answer of builder TASK-01 is recorded already"
    ended = office.finish(TWO)
    assert (ended["result"], ended["spawns"], second["description"]) == ("completed", 7, "WORK-01 TASK-02")


def test_agents_that_end_without_an_answer_are_a_failed_attempt_in_the_end(office: Office) -> None:
    office.new("auto: greet")
    until(office, DIRECT, "builder")
    for _ in range(2):
        assert agents(office("work", "next", "--again", "2")) == ["builder"]
    again = office("work", "next", "--again", "2")
    assert [number_of(one["prompt"]) for one in again["agents"]] == ["3"]
    assert "Why the last one failed: 3 agents ended without an answer" in office.dispatch(
        again["agents"][0]["prompt"]
    )


def test_an_agent_answers_its_own_dispatch_and_its_end_without_an_answer_is_noticed(
    office: Office, tmp_path: Path
) -> None:
    office.new("auto: greet")
    first, second = until(office, TWO, "builder")["agents"]
    transcript = tmp_path / "agent.jsonl"
    transcript.write_text(json.dumps({"message": {"role": "user", "content": first["prompt"]}}) + "\n")
    payload = {
        "agent_type": f"{NAME}:builder",
        "agent_transcript_path": str(transcript),
        "last_assistant_message": TWO.answer("builder", "TASK-02"),
    }
    told = json.loads(office.ultra.hook("agent_result", payload).out)
    assert "this is the answer of builder TASK-02, not of builder TASK-01" in told["reason"]
    assert office("work", "next")["do"] == "wait"
    assert office.ultra.hook("agent_result", {**payload, "stop_hook_active": True}).out == ""
    assert office("work", "next")["agents"] == [first]
    assert office("work", "next")["do"] == "wait"
    for row in (first, second):
        transcript.write_text(json.dumps({"message": {"role": "user", "content": row["prompt"]}}) + "\n")
        answer = office.act(TWO, "builder", row["description"].partition(" ")[2])
        assert office.ultra.hook("agent_result", {**payload, "last_assistant_message": answer}).out == ""
    assert office.finish(TWO)["result"] == "completed"
