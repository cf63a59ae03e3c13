"""What agents, sessions and accidents do to a work, and what the runtime makes of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.kit.repository import git
from tests.works.conftest import Answers, Office
from tests.works.crew import DIRECT, NAME, Job, Order, number_of, task_of

TWO = Order({"TASK-01": Job("one.txt"), "TASK-02": Job("two.txt")})
WORKS = "works/WORK-01"


def agents(answer: dict[str, object]) -> list[str]:
    rows = answer["agents"]
    assert isinstance(rows, list)
    return [str(row["subagent_type"]).partition(":")[2] for row in rows]


def until(office: Office, order: Order, agent: str) -> Answers:
    """Go on until an agent of that name is due; return the answer that asks for it."""
    for _ in range(20):
        asked = office.due()
        if agent in [row["subagent_type"].partition(":")[2] for row in asked.get("agents", ())]:
            return asked
        office.turn(order)
    raise AssertionError(f"{agent} never comes")


def test_commands_of_a_verify_do_not_change_the_folder_of_the_next(office: Office) -> None:
    # As list items, they are two commands; the first one ends in a folder where the second would fail.
    order = Order({"TASK-00": Job("sub/hello.txt", verify="cd sub`\n- `test -f sub/hello.txt")}, "direct")
    (office.repo / "sub").mkdir()
    office.new("auto: greet")
    assert office.finish(order)["result"] == "completed"


def test_a_halted_work_goes_on_although_another_task_was_built_meanwhile(office: Office) -> None:
    verify = "test -f one.txt && test -f allowed"
    order = Order({"TASK-01": Job("one.txt", verify=verify), "TASK-02": Job("two.txt")})
    office.new("auto: greet")
    assert office.finish(order)["result"] == "failed"
    assert (office.repo / "two.txt").exists()  # the other builder was not at fault
    git(office.repo, "commit", "--quiet", "--allow-empty", "--message", "Between")
    task = office.repo / WORKS / "TASK-01.md"
    task.write_text(task.read_text().replace(verify, "test -f one.txt"))
    refused = office("work", "start", "WORK-01", status=1)
    assert refused["error"] == f"{WORKS}/TASK-01.md was edited after the approval"
    office("work", "start", "WORK-01", "--accept-plan-change")
    ended = office.finish(Order({"TASK-01": Job("one.txt"), "TASK-02": Job("two.txt")}))
    assert ended["result"] == "completed", ended
    files = git(office.repo, "log", "--reverse", "--format=", "--name-only").split()
    assert files == ["README.md", "one.txt", "two.txt"]


def test_an_action_that_does_not_fit_what_is_there_goes_back_before_the_approval(office: Office) -> None:
    wrong = Order(
        {
            "TASK-01": Job("README.md"),
            "TASK-02": Job("new.txt", action="MODIFY"),
            "TASK-03": Job("README.md", "TASK-01", action="DELETE", verify="true"),
            "TASK-04": Job("README.md", "TASK-03", action="MODIFY"),
        }
    )
    office.new("greet")
    office.turn(wrong)
    text = office.dispatch(office.next()["agents"][0]["prompt"])
    found = [
        line.partition(": ")[2].partition("<")[0]
        for line in text.split("\n")
        if line.startswith("Fix this first")
    ]
    assert found == [
        "TASK-01: README.md is CREATE, but it exists then",
        "TASK-02: new.txt is MODIFY, but it does not exist then",
        "TASK-04: README.md is MODIFY, but it does not exist then",
    ]


def test_a_builder_puts_back_what_it_changed_elsewhere(office: Office) -> None:
    office.new("auto: greet")
    changed = iter([True])

    def acts(agent: str, task: str) -> str | None:
        if agent == "builder" and next(changed, False):
            (office.repo / "stray.txt").write_text("stray\n")
            (office.repo / "README.md").write_text("changed\n")
        elif agent == "builder":
            said = office("task", "restore", task, "stray.txt", "README.md")["restored"]
            assert said == "README.md, stray.txt; to get this back: `sdd task rescue 1`"
        return None

    assert office.finish(DIRECT, acts)["result"] == "completed"
    log = (office.repo / f"{WORKS}/work_WORK-01.log").read_text()
    assert "does not list README.md, stray.txt, which changed" in log
    assert git(office.repo, "status", "--short") == ""


def test_what_a_builder_changed_elsewhere_is_put_back_before_its_task_begins(office: Office) -> None:
    office.new("auto: greet")
    until(office, TWO, "builder")
    office.turn(TWO)
    until(office, TWO, "verifier")
    (office.repo / "README.md").write_text("changed by the builder of TASK-02\n")
    for call in (
        ["task", "restore", "TASK-01", "README.md"],
        ["task", "verify", "TASK-01"],
        ["task", "commit", "TASK-01"],
    ):
        office(*call)
    office("work", "result", given=TWO.answer("verifier+committer", "TASK-01"))
    (office.repo / "README.md").write_text("changed by the builder of TASK-02\n")
    refused = office("work", "next", status=1)
    assert refused["error"] == "changed outside any step: README.md"
    (back,) = re.findall(r"`sdd (task restore [^`]*)`", refused["next"])
    assert office(*back.split())["restored"].startswith("README.md; to get this back: ")
    assert (office.repo / "two.txt").read_text() == "TASK-02\n"
    assert office.finish(TWO)["result"] == "completed"


def test_a_builder_that_fails_learns_where_the_output_is(office: Office) -> None:
    order = Order({"TASK-00": Job("one.txt", verify="echo here && false")}, "direct")
    office.new("auto: greet")
    until(office, order, "verifier")
    office.turn(order)
    (again,) = office.next()["agents"]
    text = office.dispatch(again["prompt"])
    assert "Attempt 2 of 3." in text
    (line,) = [one for one in text.splitlines() if one.startswith("What Verify printed: ")]
    log = line.partition(": ")[2].partition("<")[0]
    assert "here" in (office.repo / log).read_text()


def test_a_file_that_was_edited_after_it_was_shown_is_not_approved(office: Office) -> None:
    office.new("greet")
    office.turn(DIRECT)
    assert office.next()["do"] == "ask"
    task = office.repo / WORKS / "TASK-00.md"
    shown = task.read_text()
    task.write_text(shown.replace("test -f hello.txt", "true"))
    refused = office("work", "start", "WORK-01", status=1)
    assert refused["error"] == f"{WORKS}/TASK-00.md was edited after the approval"
    task.write_text(shown)
    office("work", "start", "WORK-01")
    assert agents(office.next()) == ["builder"]
    for name in ("TASK-00.md", "PLAN.md", "Requirement.md"):
        file = office.repo / WORKS / name
        old = file.read_text()
        file.write_text(old + "\nmore\n")
        assert f"{WORKS}/{name} was edited" in office("task", "verify", "TASK-00", status=1)["error"]
        file.write_text(old)
    assert office.next()["agents"] == ["builder TASK-00, dispatch 2, not begun"]


def test_edited_records_decide_nothing_and_are_written_again(office: Office) -> None:
    office.new("auto: greet")
    until(office, TWO, "builder")
    progress, works = office.repo / WORKS / "PROGRESS.md", office.repo / "works/WORK-LIST.md"
    progress.write_text(progress.read_text().replace("READY", "DONE"))
    works.write_text("# Works\n\n## Works\n\n| WORK-01 | x | COMPLETED | 2026-01-01 | 2026-01-01 |\n")
    assert office("work", "status")["works"][0]["status"] == "IN_PROGRESS"
    assert office.next()["do"] == "wait"
    works.unlink()
    office.new("another")
    assert [row["work"] for row in office("work", "status")["works"]] == ["WORK-01", "WORK-02"]
    assert "| WORK-01 | Greet by name | IN_PROGRESS |" in works.read_text()
    ended = office.finish(TWO)
    assert ended["result"] == "completed"
    assert progress.read_text().count("| DONE | 1 |") == 2


def test_the_number_of_a_deleted_work_is_not_given_again(office: Office) -> None:
    office.new("auto: greet")
    until(office, DIRECT, "builder")
    office("work", "abort")
    subprocess.run(["rm", "-r", office.repo / WORKS], check=True)
    assert office.new("again")["work"] == "WORK-02"


def test_a_completed_work_has_nothing_next(office: Office) -> None:
    office.new("auto: greet")
    office.finish(DIRECT)
    told = office("work", "next", "WORK-01")
    assert (told["do"], told["why"]) == ("tell", ["WORK-01 is completed; a change is a new request"])
    for call in (["task", "verify", "TASK-00"], ["work", "finish"], ["work", "abort"]):
        assert office(*call, status=1)["error"] == "no work is in progress in this working tree"


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


def test_links_lead_nowhere(office: Office, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (office.repo / "works").symlink_to(outside)
    for call in (["work", "init"], ["work", "next"], ["work", "status"]):
        assert office(*call, status=1)["error"] == "works is a symbolic link"
    assert office("work", "new", given="x", status=1)["error"] == "works is a symbolic link"
    (office.repo / "works").unlink()
    (office.repo / "works").mkdir()
    (office.repo / WORKS).symlink_to(outside)
    assert office.new()["work"] == "WORK-02"
    log = office.repo / "works/WORK-02/work_WORK-02.log"
    log.unlink()
    log.symlink_to(outside / "log")
    assert "work_WORK-02.log cannot be written" in office("work", "next", "WORK-02", status=1)["error"]
    log.unlink()
    office("work", "next", "WORK-02")
    order = Order(DIRECT.jobs, "direct", work="WORK-02")
    office("work", "result", "WORK-02", given=office.act(order, "specifier", ""))
    office("work", "next", "WORK-02")
    (office.repo / "works/WORK-02/run").symlink_to(outside)
    assert office("work", "start", "WORK-02", status=1)["error"] == "works/WORK-02/run is a symbolic link"
    assert [*outside.iterdir()] == []


def test_two_sessions_make_two_works_and_only_one_runs_one(office: Office) -> None:
    calls = [
        subprocess.Popen(
            [office.ultra.bundle / "bin/sdd", "work", "new", "--json"],
            cwd=office.repo, env=os.environ | office.ultra.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for _ in range(4)
    ]  # fmt: skip
    said = [json.loads(call.communicate(b"auto: greet", timeout=60)[0]) for call in calls]
    made = [one["work"] for one in said if one["ok"]]
    assert made
    assert len({*made}) == len(made)
    refused = [one["error"] for one in said if not one["ok"]]
    assert {*refused} <= {"`sdd work new` is running in this tree"}
    assert [row["work"] for row in office("work", "status")["works"]] == sorted(made)
    order = Order(DIRECT.jobs, "direct", work="WORK-01")
    office("work", "next", "WORK-01")
    office("work", "result", "WORK-01", given=office.act(order, "specifier", ""))
    office("work", "next", "WORK-01")
    office("work", "start", "WORK-01")
    office.in_session("two", os.getppid())
    for call in (["work", "next", "WORK-01"], ["work", "start", "WORK-01"], ["work", "finish"]):
        assert "session one" in office(*call, status=1)["error"]


def test_a_second_work_is_specified_meanwhile_and_started_after_the_first(office: Office) -> None:
    office.new("auto: greet")
    until(office, DIRECT, "builder")
    other = Order({"TASK-00": Job("other.txt")}, "direct", work="WORK-02")
    assert office.new("auto: greet others")["work"] == "WORK-02"
    office("work", "next", "WORK-02")
    office("work", "result", "WORK-02", given=office.act(other, "specifier", ""))
    assert office("work", "next", "WORK-02")["do"] == "start"
    refused = office("work", "start", "WORK-02", status=1)
    assert "works/WORK-01/run/plan.md" in refused["error"]
    answer = other.answer("builder", "TASK-00")
    assert office("work", "result", given=answer, status=1)["error"].endswith(
        "work must be WORK-01, not WORK-02"
    )
    assert (
        office("work", "result", "WORK-02", given=answer, status=1)["error"]
        == "no dispatch to builder TASK-00 is open"
    )
    office.spawning = {}
    assert office.finish(DIRECT)["result"] == "completed"
    office("work", "start", "WORK-02")
    assert office.finish(other)["result"] == "completed"
    assert [row["status"] for row in office("work", "status")["works"]] == ["COMPLETED", "COMPLETED"]


@pytest.mark.parametrize("moment", [0.0, 0.1, 0.2, 0.35, 0.5])
def test_a_kill_in_the_middle_of_a_call_loses_nothing(office: Office, moment: float) -> None:
    office.new("auto: greet")
    for agent in ("specifier", "builder", "verifier"):
        asked = until(office, TWO, agent)
        for row in asked["agents"]:
            task = task_of(office.dispatch(row["prompt"]))
            kill_after(office, moment, "work", "next")
            if agent == "verifier":
                kill_after(office, moment, "task", "verify", task)
            answer = office.act(TWO, agent, task)
            kill_after(office, moment, "work", "result", given=answer)
            asked = office.next()
            waiting = asked.get("agents", ()) if asked["do"] == "wait" else ()
            if f"dispatch {number_of(row['prompt'])}," in " ".join(waiting):
                office("work", "result", given=answer)
            kill_after(office, moment, "work", "next")
    ended = office.finish(TWO)
    assert ended["result"] == "completed", ended
    assert int(git(office.repo, "rev-list", "--count", "HEAD")) == 3


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


def kill_after(office: Office, seconds: float, *words: str, given: str = "") -> None:
    """Start a call and kill it with everything that it has started."""
    call = subprocess.Popen(
        [office.ultra.bundle / "bin/sdd", *words, "--json"],
        cwd=office.repo, env=os.environ | office.ultra.env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert call.stdin
    call.stdin.write(given.encode())
    call.stdin.close()
    time.sleep(seconds)
    with suppress(ProcessLookupError):
        os.killpg(call.pid, signal.SIGKILL)
    call.wait(timeout=30)
    office.spawning = {}


def test_the_title_of_a_task_is_its_message_letter_for_letter(office: Office) -> None:
    title = "Say `hi` for $5, \"quoted\" and 'so' \\ done ``twice`` $(id)"
    text = DIRECT.task("TASK-00", DIRECT.jobs["TASK-00"]).replace("Make hello.txt", title)
    office.new("auto: greet")
    office.finish(Order(DIRECT.jobs, "direct", extra={"TASK-00.md": text}))
    assert git(office.repo, "log", "-1", "--format=%s") == f"{title} (WORK-01 TASK-00)"
