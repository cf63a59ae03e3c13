"""A work from the request to the proof, with every agent acted: order, window, gate, attempts, resume."""

from __future__ import annotations

import re

import pytest

from tests.kit.repository import git
from tests.works.conftest import Office
from tests.works.crew import DIRECT, HEADINGS, PIPELINE, WORDS, Job, Order


def subjects(office: Office) -> list[str]:
    return git(office.repo, "log", "--reverse", "--format=%s").split("\n")[1:]


def agents(answer: dict[str, object]) -> list[str]:
    rows = answer["agents"]
    assert isinstance(rows, list)
    return [
        f"{row['subagent_type'].partition(':')[2]} {row['description'].partition(' ')[2]}" for row in rows
    ]


CHAIN = Order(
    {
        "TASK-01": Job("one.txt"),
        "TASK-02": Job("two.txt", "TASK-01"),
        "TASK-03": Job("three.txt", "TASK-02"),
        "TASK-04": Job("four.txt", "TASK-03"),
        "TASK-05": Job("five.txt"),
    }
)


def test_tasks_are_built_in_their_order_some_side_by_side_and_know_what_came_before(office: Office) -> None:
    office.new()
    assert agents(office.turn(CHAIN)) == ["specifier specifier"]
    asked = office.turn(CHAIN)
    assert (asked["do"], asked["show"][:2]) == (
        "ask",
        ["works/WORK-01/Requirement.md", "works/WORK-01/PLAN.md"],
    )
    assert agents(office.turn(CHAIN)) == ["scheduler scheduler"]
    assert agents(office.turn(CHAIN)) == ["builder TASK-01", "builder TASK-05"]
    seen: list[str] = []

    def acts(agent: str, task: str) -> None:
        if (agent, task) == ("builder", "TASK-04"):
            number = office.next()["agents"][0].split()[3].strip(",")
            seen.append(office("work", "dispatch", number)["dispatch"].partition("<ref-cache>")[0])

    ended = office.finish(CHAIN, acts)
    assert (ended["result"], ended["spawns"], ended["planned"]) == ("completed", 12, 12)
    assert "findings" not in ended
    files = git(office.repo, "log", "--reverse", "--format=", "--name-only").split()
    assert files == ["README.md", "one.txt", "two.txt", "three.txt", "four.txt", "five.txt"]
    assert "| WORK-01 | Greet by name | COMPLETED |" in (office.repo / "works/WORK-LIST.md").read_text()
    (window,) = seen  # one step back is whole, two steps are a summary, three are nothing
    assert '<context-handoff from="verifier" task="TASK-03" detail-level="FULL">' in window
    assert '<context-handoff from="scheduler" detail-level="FULL">' in window
    assert '<context-handoff from="verifier" task="TASK-02" detail-level="SUMMARY">' in window
    assert (window.count("<why>"), "TASK-01" in window) == (2, False)


@pytest.mark.parametrize("order", [DIRECT, PIPELINE], ids=["direct", "pipeline"])
def test_one_task_needs_three_agents(office: Office, order: Order) -> None:
    office.new("[new-work] auto: greet")
    ended = office.finish(order)
    assert (ended["result"], ended["spawns"], ended["planned"]) == ("completed", 3, 3)
    (task,) = order.jobs
    assert subjects(office) == [f"Make hello.txt (WORK-01 {task})"]


def test_a_request_that_says_auto_is_not_asked_about_and_another_one_is(office: Office) -> None:
    assert office.new("[bugfix] auto: greet")["auto"] is True
    office.turn(DIRECT)
    assert office.next()["do"] == "start"
    assert office.new("[bugfix] automatic doors")["auto"] is False
    assert office("work", "next", "WORK-02")["do"] == "spawn"


@pytest.mark.parametrize("language", ["ko", "ja"])
def test_the_files_of_a_work_have_the_headings_of_its_language(office: Office, language: str) -> None:
    office.new("auto: greet")
    order = Order(DIRECT.jobs, "direct", language)
    other = Order(DIRECT.jobs, "direct", {"ko": "ja", "ja": "ko"}[language])
    task = "works/WORK-01/TASK-00.md"
    mixed = {"TASK-00.md": other.documents()[task]}
    office.turn(Order(DIRECT.jobs, "direct", language, extra=mixed))
    again = office.dispatch(office.next()["agents"][0]["prompt"])
    assert "TASK_MISSING_SECTION: there is no section ## Scope" in again
    office.finish(order)
    progress = (office.repo / "works/WORK-01/PROGRESS.md").read_text()
    assert f"\n## {WORDS[language]['Tasks']}\n" in progress
    result = "works/WORK-01/TASK-00_result.md"
    text = (office.repo / result).read_text()
    assert [name for name, heading in HEADINGS.items() if f"## {heading}\n" in text] == [language]
    assert office("validate", "task-result", result)["errors"] == []
    assert office("validate", "work-progress", "works/WORK-01/PROGRESS.md")["errors"] == []
    assert office("validate", "work-list", "works/WORK-LIST.md")["errors"] == []


def test_a_builder_that_lies_is_found_out_and_a_verifier_that_lies_commits_nothing(office: Office) -> None:
    office.new("auto: greet")
    lies = iter(["nothing", "more", "verifier"])
    lie = [""]

    def acts(agent: str, task: str) -> str | None:
        if agent == "builder":
            lie[0] = next(lies, "")
            if lie[0] in ("nothing", "more"):
                (office.repo / DIRECT.progress_file(task)).write_text(
                    DIRECT.progress(task, "hello.txt", "other.txt")
                )
                if lie[0] == "more":
                    (office.repo / "hello.txt").write_text("x\n")
                return DIRECT.answer("builder", task)
        if agent == "verifier" and lie[0] == "verifier":
            return DIRECT.answer("verifier+committer", task)
        return None

    ended = office.finish(DIRECT, acts)
    assert (ended["result"], subjects(office)) == ("failed", [])
    log = (office.repo / "works/WORK-01/work_WORK-01.log").read_text()
    assert "lists hello.txt, other.txt, which did not change" in log
    assert "lists other.txt, which did not change" in log
    assert "TASK-00 is not committed, whatever the answer says" in log


def test_a_verify_that_fails_three_times_halts_the_work_and_undoes_the_task(office: Office) -> None:
    order = Order({"TASK-01": Job("one.txt"), "TASK-02": Job("two.txt", "TASK-01", "false")})
    office.new("auto: greet")
    ended = office.finish(order)
    assert (ended["result"], len(subjects(office))) == ("failed", 1)
    assert not (office.repo / "two.txt").exists()
    assert "| TASK-02 | Make two.txt | READY | 3 |" in (office.repo / "works/WORK-01/PROGRESS.md").read_text()
    assert ended["spawns"] == 2 + 2 + 3 * 2
    assert "work start WORK-01" in ended["next"]
    report = (office.repo / ended["report"]).read_text()
    (back,) = {*re.findall(r"to get this back: `sdd (task rescue [^`]*)`", report)}
    assert office(*back.split())["rescued"] == "two.txt"
    assert (office.repo / "two.txt").read_text() == "TASK-02\n"
    assert (
        office("task", "rescue", "TASK-02", "--work", "WORK-01")["rescued"] == "everything is there already"
    )


@pytest.mark.soak
def test_a_work_that_was_ended_goes_on_where_it_stopped(office: Office) -> None:
    order = Order({"TASK-01": Job("one.txt"), "TASK-02": Job("two.txt")})
    office.new("auto: greet")
    for _ in range(4):  # specifier, start, scheduler, both builders
        office.turn(order)
    assert office("work", "abort")["status"] == "stopped"
    assert office.next()["do"] == "start"
    assert office("work", "start", "WORK-01")["run"] == "resumed"
    ended = office.finish(order)
    # The scheduler looks again; nothing that is built is built twice.
    assert (ended["result"], ended["spawns"], ended["planned"]) == ("completed", 7, 6)


def test_tasks_with_a_file_in_common_are_built_one_after_the_other(office: Office) -> None:
    order = Order({"TASK-01": Job("one.txt"), "TASK-02": Job("one.txt", action="MODIFY", verify="true")})
    office.new("auto: greet")
    for _ in range(3):
        office.turn(order)
    assert agents(office.next()) == ["builder TASK-01"]


def test_files_that_are_not_valid_go_back_to_the_specifier_three_times_at_most(office: Office) -> None:
    loop = Order({"TASK-01": Job("one.txt", "TASK-02"), "TASK-02": Job("two.txt", "TASK-01")})
    office.new()
    office.turn(loop)
    again = office.next()
    text = office.dispatch(again["agents"][0]["prompt"])
    assert "WORKPLAN_CYCLE: tasks depend on each other: TASK-01 -> TASK-02 -> TASK-01" in text
    for _ in range(2):
        office.turn(loop)
    told = office.next()
    assert (told["do"], told["why"][0]) == ("tell", "WORK-01 is not specified after 3 attempts")
    office("work", "start", "WORK-01", status=1)
