"""Works in the real client: a tag that starts one, six tasks, a lie, a halt, a kill, and nobody to ask."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.client.conversation import ToolResult
from tests.client.fixtures import ModelFactory, TerminalFactory
from tests.client.model import Call, Say, ScriptedModel, SubAgent, Together
from tests.client.script import Acting, Part
from tests.client.session import Client, Session
from tests.kit.model import answered, ask, asked, bash, by_name, given, write
from tests.kit.names import SOURCES
from tests.kit.quick import later
from tests.kit.repository import git
from tests.works.crew import DIRECT, LAUNCHER, NAME, PIPELINE, SIX, Job, Order, number_of

NONE: Mapping[str, Callable[[str], None]] = {}
PIPELINE_PAGE = SOURCES / f"plugins/{NAME}/docs/PIPELINE.md.j2"


def flags() -> list[str]:
    """Return the flags that the documentation gives for a session without a person."""
    text = PIPELINE_PAGE.read_text().partition("## Without a person")[2]
    found = re.search(r"--allowedTools (.*)", text)
    assert found
    words = found.group(1).replace("{{ launcher }}", LAUNCHER).replace("{{ plugin.name }}", NAME)
    return ["--allowedTools", *(one.strip('"') for one in words.split())]


def sdd(line: str) -> Call:
    return bash(f"{LAUNCHER} {line} --json", timeout=600_000)


def main_part(request: str, tries: Sequence[Call] = (), asks: Call | None = None) -> Part:
    """Return a conversation that does what the commands say, and asks that question for the approval.

    It never knows whether its agents are at work, and asks at once what comes next. `tries` is what it does once the
    work has started, although nobody has told it to.
    """

    def part(_opening: str) -> Acting:
        waited = 0
        if request:
            yield given(f"{LAUNCHER} work new --json", request)
        while True:
            (told,) = yield sdd("work next WORK-01")
            answer = answered(told)
            if answer["do"] == "spawn":
                yield Together(
                    *(Call("Agent", {**one, "run_in_background": False}) for one in answer["agents"])
                )
            elif answer["do"] == "wait":  # at a terminal, where a notification brings each answer
                waited += 1
                yield Say(f"I wait, turn {waited}.")
            elif answer["do"] in ("start", "ask"):
                if asks and answer["do"] == "ask":
                    yield asks
                yield sdd("work start WORK-01")
                if tries:
                    yield Together(*tries)
            elif answer["do"] == "finish":
                yield sdd("work finish")
                yield Say("The work has ended.")
                return
            else:
                return

    return part


def agents_of(
    order: Order,
    project: Path,
    lies: Sequence[str] = (),
    accidents: Mapping[str, Callable[[str], None]] = NONE,
) -> list[SubAgent]:
    """Return a crew; a builder of a task in `lies` says on its first attempt that it has done what it has not.

    `accidents` happen while a task is built.
    """

    def first(opening: str) -> Call:
        return bash(f"{LAUNCHER} work dispatch {number_of(opening)} --work {order.work}")

    def specifier(opening: str) -> Acting:
        yield first(opening)
        yield Together(*(write(project / name, text) for name, text in order.documents().items()))
        yield Say(order.answer("specifier+planner"))

    def scheduler(opening: str) -> Acting:
        yield first(opening)
        yield Say(order.answer("scheduler"))

    def builder(opening: str) -> Acting:
        (told,) = yield first(opening)
        task = _task(told)
        if task in accidents:
            accidents[task](task)
        files = [write(project / order.progress_file(task), order.progress(task))]
        if task not in lies or "Attempt 2" in told.text:
            files.append(write(project / order.jobs[task].path, f"{task}\n"))
        yield Together(*files)
        yield Say(order.answer("builder", task))

    def verifier(opening: str) -> Acting:
        (told,) = yield first(opening)
        task = _task(told)
        (verified,) = yield sdd(f"task verify {task}")
        passed = answered(verified)["passed"]
        if passed:
            yield sdd(f"task commit {task}")
        yield Say(order.answer("verifier+committer", task, "PASS" if passed else "FAIL", "see why"))

    parts = {"Specify a work": specifier, "Look over the order": scheduler, "Build a task": builder}
    return [SubAgent(f"# {title}", part) for title, part in {**parts, "Verify a task": verifier}.items()]


def _task(told: ToolResult) -> str:
    found = re.search(r'task="(TASK-\d\d)"', told.text)
    assert found, told.text
    return found.group(1)


class Stage:
    """Play works in one repository."""

    def __init__(self, client: Client, scripted: ModelFactory, project: Path, plugin: Path) -> None:
        self.client, self.scripted, self.project, self.plugin = client, scripted, project, plugin

    def play(self, typed: str, part: Part, agents: Sequence[SubAgent]) -> tuple[ScriptedModel, Session]:
        """Type a message into a new session and return what came of it."""
        model = self.scripted(part, agents=agents)
        session = self.client.ask(
            typed, model, cwd=self.project, plugin_dirs=[self.plugin], extra=flags(), timeout=240
        )
        assert session.init.plugin_errors == ()
        return model, session

    def subjects(self) -> list[str]:
        """Return the messages of the commits."""
        return git(self.project, "log", "--reverse", "--format=%s").split("\n")[1:]


@pytest.fixture
def stage(client: Client, scripted: ModelFactory, project: Path, works_bundle: Path) -> Stage:
    """Return a stage in a repository of its own."""
    return Stage(client, scripted, project, works_bundle)


def last_answer(model: ScriptedModel) -> dict[str, object]:
    return answered(model.tool_results()[-1])


@pytest.mark.parametrize("order", [DIRECT, later(PIPELINE)], ids=["direct", "pipeline"])
def test_a_tag_starts_a_work_of_one_task_and_nobody_is_asked(stage: Stage, order: Order) -> None:
    typed = "[new-work] auto: add a greeting"
    model, _ = stage.play(typed, main_part(typed), agents_of(order, stage.project))
    assert f"call the Skill tool with skill {NAME}:sdd" in model.main.text
    ended = last_answer(model)
    assert (ended["result"], ended["spawns"], ended["planned"]) == ("completed", 3, 3)
    assert stage.subjects() == [f"Make hello.txt (WORK-01 {next(iter(order.jobs))})"]
    errors = [one for one in model.tool_results() if one.is_error]
    assert errors == []


@pytest.mark.soak
def test_in_a_terminal_a_work_is_approved_once_and_finished_by_agents_in_the_background(
    stage: Stage, terminal: TerminalFactory, scripted: ModelFactory
) -> None:
    """Two builders are at work at the same time, and report one after the other."""
    order = Order({"TASK-01": Job("one.txt"), "TASK-02": Job("two.txt")})
    question = ask("Proceed with WORK-01?", "Proceed", "Not now", header="Work")
    model = scripted(main_part("greet", asks=question), agents=agents_of(order, stage.project))
    screen = terminal(model, plugin_dirs=[stage.plugin], extra=flags())
    screen.send(f"/{NAME}:sdd greet")
    screen.wait_for("Proceed with WORK-01?", timeout=120)
    assert not (stage.project / ".git/sdd/run.json").exists()
    screen.choose("1. Proceed")
    screen.wait_for("The work has ended.", timeout=240)
    assert len(asked(model.main)) == 1
    said = [
        answered(one) for one in model.tool_results() if "work next" in str(one.call.input.get("command"))
    ]
    assert "wait" in [one["do"] for one in said]
    spawned = [one.call.input["prompt"] for one in by_name(model, "Agent")]
    assert len(spawned) == len({*spawned}) == 6
    ended = last_answer(model)
    assert (ended["result"], ended["spawns"], ended["planned"]) == ("completed", 6, 6)
    assert stage.subjects() == ["Make one.txt (WORK-01 TASK-01)", "Make two.txt (WORK-01 TASK-02)"]


@pytest.mark.soak
def test_six_tasks_two_of_them_side_by_side(
    stage: Stage, record_property: Callable[[str, object], None]
) -> None:
    model, _ = stage.play(
        f"/{NAME}:sdd auto greet six times", main_part("auto greet six times"), agents_of(SIX, stage.project)
    )
    ended = last_answer(model)
    assert (ended["result"], ended["spawns"], ended["planned"]) == ("completed", 14, 14)
    assert len(stage.subjects()) == 6
    log = (stage.project / "works/WORK-01/work_WORK-01.log").read_text()
    builders = re.findall(r"builder: (dispatch|PASS).* TASK-0[12]", log)
    assert builders == ["dispatch", "dispatch", "PASS", "PASS"]
    texts = [path.read_text() for path in (stage.project / ".git/sdd/works/WORK-01").glob("*-dispatch.xml")]
    used = sum(len(text) for text in texts) // 4
    whole = sum(len(path.read_text()) for path in (stage.plugin / "references").iterdir()) // 4
    said = f"six tasks: {len(texts)} spawns, 20 with one per role; {used} tokens of dispatches, {whole * len(texts)} of whole references"
    record_property("said", said)
    assert used < whole * len(texts)


@pytest.mark.soak
def test_six_tasks_survive_a_lie_and_a_kill_of_the_client(stage: Stage) -> None:
    """The first builder lies; while TASK-04 is built, the client is killed."""

    def kill_client(task: str) -> None:
        lock = json.loads((stage.project / ".git/sdd/run.json").read_text())
        os.kill(lock["owner"]["pid"], signal.SIGKILL)

    agents = agents_of(SIX, stage.project, ["TASK-01"], {"TASK-04": kill_client})
    _, session = stage.play(f"/{NAME}:sdd auto greet six times", main_part("auto greet six times"), agents)
    assert session.completed.status == -signal.SIGKILL
    assert len(stage.subjects()) == 3
    log = stage.project / "works/WORK-01/work_WORK-01.log"
    assert "lists one.txt, which did not change" in log.read_text()
    model, _ = stage.play("resume WORK-01", main_part(""), agents_of(SIX, stage.project))
    assert f"{NAME}:sdd-resume and args WORK-01" in model.main.text
    ended = last_answer(model)
    # A builder and a verifier more for the lie, and the scheduler, at which the work goes on.
    assert (ended["result"], ended["spawns"], ended["planned"]) == ("completed", 17, 14)
    assert len(stage.subjects()) == 6


@pytest.mark.soak
def test_a_verification_that_fails_three_times_halts_a_work_that_the_guard_protects(stage: Stage) -> None:
    order = Order({"TASK-01": Job("one.txt", verify="false")}, "pipeline")
    tries = [
        Call("Agent", {"subagent_type": "general-purpose", "description": "x", "prompt": "x"}),
        write(stage.project / "works/WORK-01/TASK-01.md", "another task"),
    ]
    model, _ = stage.play(
        f"/{NAME}:sdd auto greet", main_part("auto greet", tries=tries), agents_of(order, stage.project)
    )
    ended = last_answer(model)
    assert (ended["result"], ended["spawns"], stage.subjects()) == ("failed", 7, [])
    assert not (stage.project / "one.txt").exists()
    refused = [one.text for one in model.tool_results() if one.is_error]
    assert "this agent is not among them" in refused[0]
    assert "belongs to the work in progress" in refused[1]
