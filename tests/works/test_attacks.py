"""What agents, sessions and accidents do to a work, and what the runtime makes of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import pytest

from tests.kit.quick import SOAK
from tests.kit.repository import git
from tests.works.conftest import Office, agents, until
from tests.works.crew import DIRECT, Job, Order, number_of, task_of

TWO = Order({"TASK-01": Job("one.txt"), "TASK-02": Job("two.txt")})
WORKS = "works/WORK-01"


def test_commands_of_a_verify_do_not_change_the_folder_of_the_next(office: Office) -> None:
    # As list items, they are two commands; the first one ends in a folder where the second would fail.
    order = Order({"TASK-00": Job("sub/hello.txt", verify="cd sub`\n- `test -f sub/hello.txt")}, "direct")
    (office.repo / "sub").mkdir()
    office.new("auto: greet")
    assert office.finish(order)["result"] == "completed"


@pytest.mark.soak
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


@pytest.mark.soak
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


@pytest.mark.soak
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


@pytest.mark.soak
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


MOMENTS = (0.0, 0.1, 0.2, 0.35, 0.5)


@pytest.mark.parametrize("moments", [MOMENTS, *([one] for one in MOMENTS if SOAK)])
def test_a_kill_in_the_middle_of_a_call_loses_nothing(office: Office, moments: Sequence[float]) -> None:
    """Each call is killed at the next of these moments; in `make soak` also all calls at one of them."""
    office.new("auto: greet")
    turns = cycle(moments)
    for agent in ("specifier", "builder", "verifier"):
        asked = until(office, TWO, agent)
        for row in asked["agents"]:
            task = task_of(office.dispatch(row["prompt"]))
            kill_after(office, next(turns), "work", "next")
            if agent == "verifier":
                kill_after(office, next(turns), "task", "verify", task)
            answer = office.act(TWO, agent, task)
            kill_after(office, next(turns), "work", "result", given=answer)
            asked = office.next()
            waiting = asked.get("agents", ()) if asked["do"] == "wait" else ()
            if f"dispatch {number_of(row['prompt'])}," in " ".join(waiting):
                office("work", "result", given=answer)
            kill_after(office, next(turns), "work", "next")
    ended = office.finish(TWO)
    assert ended["result"] == "completed", ended
    assert int(git(office.repo, "rev-list", "--count", "HEAD")) == 3


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
