"""What decides that a task, and in the end a work, is done: the commit gate, the window of context, the proof."""

from __future__ import annotations

import re

from tests.kit.repository import git
from tests.works.conftest import Office
from tests.works.crew import DIRECT, SIX, Job, Order

FILE = "works/WORK-01/TASK-00_progress.md"


def begin(office: Office, order: Order = DIRECT) -> None:
    """Go on until the task is being built."""
    office.new("auto: greet")
    for _ in range(2):
        office.turn(order)
    assert office.next()["agents"][0]["subagent_type"].endswith(":builder")


def verdict(office: Office) -> list[str]:
    """Return why the task is not passed."""
    said = office("task", "verify", "TASK-00")
    assert said["passed"] is False
    return [*said["why"]]


def test_a_report_that_is_missing_unfinished_or_empty_stops_the_commit_and_three_of_them_the_work(
    office: Office,
) -> None:
    begin(office)
    (office.repo / "hello.txt").write_text("x\n")
    assert verdict(office) == [
        f"{FILE}: TPROGRESS_NOT_FOUND: there is no such file. Let the builder write it."
    ]
    progress = office.repo / FILE
    progress.write_text(DIRECT.progress("TASK-00", status="IN_PROGRESS"))
    assert verdict(office) == [f"{FILE}: Status must be COMPLETED, not IN_PROGRESS"]
    progress.write_text(DIRECT.progress("TASK-00").replace("- `hello.txt`", "- hello.txt"))
    assert verdict(office) == [f"{FILE}: Files changed lists no file in backticks"]
    assert office.next()["do"] == "finish"
    assert office("work", "finish")["result"] == "failed"
    assert git(office.repo, "log", "--format=%s") == "Begin"


def test_what_changed_must_be_what_the_task_names_with_its_action(office: Office) -> None:
    order = Order({"TASK-00": Job("README.md", action="MODIFY")}, "direct")
    begin(office, order)
    progress = office.repo / FILE
    (office.repo / "README.md").unlink()
    progress.write_text(order.progress("TASK-00"))
    assert verdict(office) == ["README.md must be MODIFY, but it is DELETE"]
    git(office.repo, "checkout", "--", "README.md")
    (office.repo / "other.txt").write_text("x\n")
    progress.write_text(order.progress("TASK-00", "other.txt"))
    assert verdict(office) == ["README.md must be MODIFY, but it is unchanged"]
    (office.repo / "README.md").write_text("changed\n")
    progress.write_text(order.progress("TASK-00", "README.md", "other.txt"))
    said = office("task", "verify", "TASK-00")
    assert (said["passed"], "other.txt" in said["why"][0]) == (False, True)


def test_the_window_between_agents_is_one_step_whole_two_as_a_summary_and_no_more(office: Office) -> None:
    order = Order({name: SIX.jobs[name] for name in ("TASK-01", "TASK-02")})
    office.new("auto: greet")
    office.finish(order)
    seen = {}
    for file in (office.repo / ".git/sdd/works/WORK-01").glob("*-dispatch.xml"):
        text = file.read_text().partition("<ref-cache>")[0]
        (key,) = re.findall(r'^<dispatch to="([^"]*)" work="[^"]*"(?: task="([^"]*)")?', text)
        seen[key] = re.findall(r'from="([a-z]*)"[^>]* detail-level="([A-Z]*)"', text)
    assert seen == {
        ("specifier+planner", ""): [],
        ("scheduler", ""): [("specifier", "FULL")],
        **{("builder", task): [("scheduler", "FULL"), ("specifier", "SUMMARY")] for task in order.jobs},
        **{
            ("verifier+committer", task): [("builder", "FULL"), ("scheduler", "SUMMARY")]
            for task in order.jobs
        },
    }


def test_a_verify_that_needs_what_is_in_no_commit_does_not_complete_a_work(office: Office) -> None:
    (office.repo / ".gitignore").write_text("secret.tmp\n")
    git(office.repo, "add", ".gitignore")
    git(office.repo, "commit", "--quiet", "--message", "Ignore")
    order = Order({"TASK-00": Job("hello.txt", verify="test -f hello.txt && test -f secret.tmp")}, "direct")
    office.new("auto: greet")

    def acts(agent: str, task: str) -> None:
        if agent == "builder":
            (office.repo / "secret.tmp").write_text("x\n")

    ended = office.finish(order, acts)
    assert ended["result"] != "completed", ended
    assert office("work", "status")["works"][0]["status"] == "IN_PROGRESS"
