"""What stands at the doors of a work: init, the two hooks, the guard's words about files and agents."""

from __future__ import annotations

import itertools
import json
import resource
import subprocess
import sys
from typing import Any

import pytest

from tests.kit.names import SOURCES
from tests.kit.table import each
from tests.works.conftest import Office
from tests.works.crew import DIRECT, NAME, Order

NEEDED = ["Bash(sdd:*)", "Edit(works/**)", "Write(works/**)"]


def settings(office: Office) -> dict[str, Any]:
    found = json.loads((office.repo / ".claude/settings.local.json").read_text())
    assert isinstance(found, dict)
    return found


def test_init_asks_for_little_loses_nothing_and_twice_is_once(office: Office) -> None:
    first = office("work", "init")
    assert (first["missing"], first["file"]) == (NEEDED, ".claude/settings.local.json")
    assert not (office.repo / ".claude").exists()
    (office.repo / ".claude").mkdir()
    before = {"permissions": {"deny": ["Read(.env)"], "allow": ["Bash(ls)", NEEDED[0]]}, "model": "opus"}
    (office.repo / ".claude/settings.local.json").write_text(json.dumps(before))
    office("work", "init", "--permissions")
    merged = settings(office)
    assert merged["permissions"] == {"deny": ["Read(.env)"], "allow": ["Bash(ls)", *NEEDED]}
    assert merged["model"] == "opus"
    again = office("work", "init", "--permissions")
    assert (again["made"], "missing" in again, settings(office)) == ([], False, merged)
    assert (office.repo / "works/.gitignore").read_text().endswith("\n*\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("{", "line 1"), ('{"permissions": {"allow": "all"}}', "permissions.allow must be a list")],
)
def test_init_leaves_settings_that_it_cannot_read(office: Office, text: str, reason: str) -> None:
    (office.repo / ".claude").mkdir()
    file = office.repo / ".claude/settings.local.json"
    file.write_text(text)
    assert reason in office("work", "init", "--permissions", status=1)["error"]
    assert file.read_text() == text


def test_only_a_tag_or_a_resume_makes_the_hook_speak(office: Office) -> None:
    for prompt in ("hello", "[link](x)", "a [bugfix] later", "what is WORK-01?", "[unknown] x"):
        told = office.ultra.hook("prompt_tag", {"prompt": prompt})
        assert (told.status, told.out, told.err) == (0, "", ""), prompt
    for prompt, skill in (
        ("[bugfix] x", f"{NAME}:sdd "),
        (" \n[docs] x", f"{NAME}:sdd "),
        ("resume WORK-01", f"{NAME}:sdd-resume "),
    ):
        assert f"skill {skill}" in office.ultra.hook("prompt_tag", {"prompt": prompt}).out
    assert office.ultra.hook("prompt_tag", b'not json "[').out == ""


def test_answers_are_taken_by_the_hook_and_a_wrong_form_comes_back_once(office: Office) -> None:
    office.new("auto: greet")
    office.next()
    answer = DIRECT.answer("specifier+planner")
    payload = {"agent_type": f"{NAME}:specifier", "last_assistant_message": "I am done."}
    told = json.loads(office.ultra.hook("agent_result", payload).out)
    assert (told["decision"], "it has no <task-result> element" in told["reason"]) == ("block", True)
    assert office.ultra.hook("agent_result", {**payload, "stop_hook_active": True}).out == ""
    for wrong, reason in (
        (answer.replace('status="PASS"', 'status="GREAT"', 1), "status must be PASS or FAIL, not GREAT"),
        (answer.replace("<what>", "<hat>").replace("</what>", "</hat>"), "&lt;context-handoff&gt; has no"),
        (
            answer.replace('agent="specifier+planner"', 'agent="builder"'),
            "agent must be specifier, not builder",
        ),
        ("<!DOCTYPE x>" + answer.replace("<summary>", "<summary>&x;"), "undefined entity"),
    ):
        said = office.ultra.hook("agent_result", {**payload, "last_assistant_message": wrong}).out
        assert reason.replace("&lt;", "<").replace("&gt;", ">") in json.loads(said)["reason"]
    assert office.ultra.hook("agent_result", {**payload, "agent_type": "other:x"}).out == ""
    office.act(DIRECT, "specifier", "")
    assert (
        office.ultra.hook("agent_result", {**payload, "last_assistant_message": f"So:\n{answer}"}).out == ""
    )
    assert office.next()["do"] == "start"


def test_in_a_work_the_guard_protects_its_files_and_lets_through_what_was_dispatched(office: Office) -> None:
    office.new("auto: greet")
    for _ in range(2):
        office.turn(DIRECT)
    (agent,) = office.next()["agents"]

    def denied(tool: str, given: dict[str, str], agent_type: str = "") -> str:
        payload = {"session_id": "one", "tool_name": tool, "tool_input": given, "cwd": str(office.repo)}
        payload |= {"agent_type": agent_type} if agent_type else {}
        out = office.ultra.hook("guard", payload).out
        return json.loads(out)["hookSpecificOutput"]["permissionDecisionReason"] if out else ""

    assert denied("Agent", agent) == ""
    office.dispatch(agent["prompt"])
    assert "an agent is at work on dispatch 2 of WORK-01" in denied("Agent", agent)
    assert office("work", "next", "--again", "2")["agents"] == [agent]
    assert denied("Agent", agent) == ""
    assert "this agent is not among them" in denied("Agent", {**agent, "prompt": "another"})
    assert "this agent is not among them" in denied("Agent", {**agent, "subagent_type": f"{NAME}:verifier"})
    works = office.repo / "works/WORK-01"
    assert "belongs to the work" in denied("Write", {"file_path": str(works / "TASK-00.md")})
    assert "belongs to the work" in denied("Write", {"file_path": str(office.repo / "works/WORK-LIST.md")})
    assert denied("Write", {"file_path": str(works / "TASK-00_progress.md")}) == ""
    assert denied("Bash", {"command": "rm -r works"}) != ""
    builder, verifier = f"{NAME}:builder", f"{NAME}:verifier"
    assert denied("Bash", {"command": "sdd task commit TASK-00 --json"}, verifier) == ""
    assert "only reads" in denied("Bash", {"command": "sdd task commit TASK-00 --json"}, builder)
    assert denied("Bash", {"command": "sdd task try TASK-00 --json"}, builder) == ""
    assert denied("Bash", {"command": "sdd task restore TASK-00 other.txt --json"}, builder) == ""
    assert "only reads" in denied("Bash", {"command": "sdd task restore TASK-00 --json"}, verifier)
    assert "may run only" in denied("Bash", {"command": "python3 x.py"}, builder)
    for agent_type, role in ((verifier, "committer"), (f"{NAME}:specifier", "planner")):
        assert denied("Bash", {"command": f"sdd guide agent {role}"}, agent_type) == ""
        assert office("guide", "agent", role)["text"].startswith("# ")


def test_the_router_settings_decide_how_large_a_task_may_be(office: Office) -> None:
    office("work", "init")
    router = office.repo / ".agent/router_rule_config.json"
    assert json.loads(router.read_text()) == {"most_files": {"direct": 3, "pipeline": 20, "full": 20}}
    office.new("greet")
    text = office.dispatch(office.next()["agents"][0]["prompt"])
    assert "The most files that a task may have: direct 3 files, pipeline 20 files, full 20 files." in text
    rows = "".join(f"| {name}.txt | CREATE | it |\n" for name in "abcd")
    task = DIRECT.task("TASK-00", DIRECT.jobs["TASK-00"])
    large = task.replace("| hello.txt | CREATE | it |\n", rows)
    assert large != task
    office.turn(Order(DIRECT.jobs, "direct", extra={"TASK-00.md": large}))
    again = office.dispatch(office.next()["agents"][0]["prompt"])
    rule = f"{router.relative_to(office.repo)} allows 3 in mode direct"
    assert f"Fix this first: TASK-00 has 4 files, but {rule}" in again
    office("work", "result", given=DIRECT.answer("specifier+planner"))
    for wrong, reason in (
        ("{", "line 1"),
        ('{"most_files": 3}', "most_files must be an object"),
        ('{"most_files": {"quick": 3}}', "must have direct, pipeline or full, each with a number"),
        ('{"most_files": {"direct": 0}}', "must have direct, pipeline or full, each with a number"),
    ):
        router.write_text(wrong)
        assert reason in office("work", "next", "WORK-01", status=1)["error"]
    router.write_text('{"most_files": {"direct": 4}}')
    assert office.next()["do"] == "ask"


def test_a_plain_message_costs_no_more_than_the_guard(office: Office) -> None:
    """Processor time, the least of several calls, taken in turn: the machine may be busy."""
    call = {
        "session_id": "one",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "cwd": str(office.repo),
    }
    given: dict[str, tuple[str, dict[str, Any]]] = {
        "guard": ("guard", call),
        "plain": ("prompt_tag", {"prompt": "please read README.md and tell me what it says"}),
        "bracket": ("prompt_tag", {"prompt": "what is in list[0] of WORK-01?"}),
    }
    least = dict.fromkeys(given, float("inf"))
    for _ in range(10):
        for name, (hook, payload) in given.items():
            least[name] = min(least[name], processor_time(office, hook, payload))
    assert least["plain"] <= least["guard"] * 1.05, least
    assert least["bracket"] <= least["guard"] * 1.5, least


def processor_time(office: Office, hook: str, payload: dict[str, Any]) -> float:
    file = office.ultra.bundle / f"runtime/ultra_runtime/hooks/{hook}.py"
    command = [sys.executable, "-I", "-S", "-X", "utf8", str(file)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, input=json.dumps(payload).encode(), cwd=office.repo, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


TASKS: tuple[dict[str, str], ...] = (
    {},
    {"00": ""},
    {"01": ""},
    {"00": "", "01": "TASK-00"},
    {"01": "TASK-02", "02": "TASK-01"},
    {"01": "TASK-9"},
)


def test_a_plan_has_the_tasks_of_its_mode_each_once_and_no_cycle(office: Office) -> None:
    text = (SOURCES / "contracts/fixtures/work-plan/valid.md").read_text().partition("\n### ")[0]

    @each(itertools.product(("direct", "pipeline", "full"), TASKS, (False, True)))
    def check(mode: str, tasks: dict[str, str], twice: bool) -> None:
        rows = [*tasks.items(), *([*tasks.items()][:1] if twice else [])]
        parts = [
            f"\n### TASK-{name}: Do it\n\n- Depends on: {needs or 'none'}\n- Scope: It.\n- Files: `a.py`\n"
            for name, needs in rows
        ]
        head = text.replace("Execution-Mode: full", f"Execution-Mode: {mode}")
        (office.repo / "PLAN.md").write_text(head + "".join(parts))
        told = office.ultra("validate", "work-plan", "PLAN.md").data
        found = {issue["code"] for issue in told["errors"]}
        one = [name for name, _ in rows] == ["00"] if mode == "direct" else len(rows) == 1
        fits = len(rows) > 1 if mode == "full" else one
        assert ("WORKPLAN_MODE_MISMATCH" in found) == (not fits)
        assert ("WORKPLAN_BAD_VALUE" in found) == (len(rows) > len(tasks))
        assert ("WORKPLAN_UNKNOWN_TASK" in found) == ("TASK-9" in tasks.values())
        assert ("WORKPLAN_CYCLE" in found) == ("TASK-02" in tasks.values())

    check()
