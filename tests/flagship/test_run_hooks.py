"""A run in the real client: it survives compaction, a new session hears of it, and an early stop is reminded once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory, Play
from tests.client.model import Call, Say, ScriptedModel, SubAgent
from tests.client.session import Client, Session
from tests.executor.sample import PLAN, PROGRESS, PROJECT, plan, step
from tests.kit.model import ultra
from tests.kit.names import COMMANDS, NAME

TWO = plan(step(1), step(2))
RESUME = f"{COMMANDS['execute']} --project {PROJECT} --resume"
ALLOWED = ["--allowedTools", "Bash(ultra:*),Write,Agent"]
FEEDBACK = "Stop hook feedback:"
MISSING = "`ultra run finish` has not been called"


@pytest.fixture
def planned(project: Path) -> Path:
    """Return a repository with a plan of two steps."""
    (project / PLAN).parent.mkdir(parents=True)
    (project / PLAN).write_text(TWO)
    (project / "src").mkdir()
    return project


def part(project: Path, number: int) -> Call:
    return Call("Write", {"file_path": str(project / f"src/part{number}.py"), "content": f"{number}\n"})


def one_step(project: Path, number: int) -> list[Call]:
    """Return what an honest model does for a step."""
    calls = ("begin", "verify", "commit")
    begin, verify, commit = (ultra(f"step {call} {number}") for call in calls)
    return [begin, part(project, number), verify, commit]


def states(project: Path) -> list[str]:
    steps = json.loads((project / PROGRESS).read_text())["steps"]
    return [steps[number]["status"] for number in sorted(steps)]


def begin_run(client: Client, model: ScriptedModel, project: Path, bundle: Path) -> Session:
    session = client.ask("go", model, cwd=project, plugin_dirs=[bundle], extra=ALLOWED)
    assert not [result.text for result in model.tool_results() if result.is_error]
    return session


@pytest.mark.soak
def test_a_run_survives_compaction(
    client: Client, scripted: ModelFactory, planned: Path, bundle: Path
) -> None:
    """Step 1 is done, step 2 begun; the conversation is compacted; the same session ends the run."""
    first = scripted(ultra(f"run start {PLAN}"), *one_step(planned, 1), ultra("step begin 2"))
    session = begin_run(client, first, planned, bundle)
    behind = json.loads((planned / PROGRESS).read_text())
    behind["steps"]["1"] = {"status": "pending", "attempts": 0}
    (planned / PROGRESS).write_text(json.dumps(behind))

    summary = scripted()
    client.ask("/compact keep it short", summary, cwd=planned, plugin_dirs=[bundle], resume=session)
    assert len(summary.summaries.requests) == 1
    asked = summary.summaries.text.rpartition("keep it short")[2]  # it comes after the user's own words
    assert f"Plan: {PLAN}" in asked
    assert 'step 2 of 2 is in progress ("Make part 2"); 1 of 2 steps are over' in asked
    assert "Next command: `ultra step verify 2`" in asked
    assert states(planned) == ["completed", "in_progress"]  # caught up with git

    last = scripted(part(planned, 2), ultra("step verify 2"), ultra("step commit 2"), ultra("run finish"))
    client.ask("go on", last, cwd=planned, plugin_dirs=[bundle], resume=session, extra=ALLOWED)
    told = f"Unfinished, execute of {PROJECT}: the run is in progress: step 2 of 2 is in progress. To continue: ultra step verify 2"
    assert told in last.main.text
    assert "scripted summary" in last.main.text
    assert json.loads(last.tool_results()[-1].text)["result"] == "completed"
    assert states(planned) == ["completed", "completed"]


@pytest.mark.soak
def test_compaction_without_a_run_is_left_alone(
    client: Client, scripted: ModelFactory, project: Path, bundle: Path
) -> None:
    session = client.ask("hi", scripted(Say("hello")), cwd=project, plugin_dirs=[bundle])
    summary = scripted()
    client.ask("/compact", summary, cwd=project, plugin_dirs=[bundle], resume=session)
    assert len(summary.summaries.requests) == 1
    assert "A run of ultra" not in summary.summaries.text


def test_a_new_session_hears_of_an_interrupted_run(
    play: Play, client: Client, scripted: ModelFactory, planned: Path, bundle: Path
) -> None:
    begin_run(client, scripted(ultra(f"run start {PLAN}"), *one_step(planned, 1)), planned, bundle)
    model = play(
        "hi",
    )
    line = f"Unfinished, execute of {PROJECT}: the run was interrupted: step 2 of 2 is next. To continue: {RESUME}"
    assert model.main.text.count(line) == 1


@pytest.mark.soak
def test_an_early_stop_is_reminded_once(
    client: Client, scripted: ModelFactory, planned: Path, bundle: Path
) -> None:
    """The model claims to be done after the first step, is told once that it is not, and may then stop."""
    model = scripted(
        ultra(f"run start {PLAN}"), *one_step(planned, 1), Say("All is done."), Say("I stop here.")
    )
    session = begin_run(client, model, planned, bundle)
    reminders = [text for text in model.main.texts() if MISSING in text and FEEDBACK in text]
    assert len(reminders) == 1
    assert "step 2 of 2 is next" in reminders[0]
    assert session.result == "I stop here."
    again = scripted(Say("Still here."))
    client.ask("well?", again, cwd=planned, plugin_dirs=[bundle], resume=session)
    assert sum(text.count(FEEDBACK) for text in again.main.texts()) == 1  # the one of before


@pytest.mark.soak
def test_a_reminded_model_goes_on(
    client: Client, scripted: ModelFactory, planned: Path, bundle: Path
) -> None:
    model = scripted(
        ultra(f"run start {PLAN}"),
        *one_step(planned, 1),
        Say("Done?"),
        *one_step(planned, 2),
        ultra("run finish"),
        Say("Now it is."),
    )
    session = begin_run(client, model, planned, bundle)
    assert json.loads(model.tool_results()[-1].text)["result"] == "completed"
    assert session.result == "Now it is."


@pytest.mark.soak
def test_a_sub_agent_with_another_task_keeps_its_last_word(
    client: Client, scripted: ModelFactory, planned: Path, bundle: Path
) -> None:
    """With the guard off, which would not let it start."""
    task = {
        "description": "look", "prompt": "LOOK-AT-THIS", "subagent_type": "general-purpose",
        "run_in_background": False,
    }  # fmt: skip
    looker = SubAgent("LOOK-AT-THIS", Say("It is blue."))
    model = scripted(ultra(f"run start {PLAN}"), Call("Agent", task), ultra("run abort"), agents=[looker])
    guard_off = {"pluginConfigs": {f"{NAME}@inline": {"options": {"guard": "off"}}}}
    (client.home.config / "settings.json").write_text(json.dumps(guard_off))
    begin_run(client, model, planned, bundle)
    _, looked, _ = model.tool_results()
    assert "It is blue." in looked.text
    assert MISSING not in model.agent("LOOK-AT-THIS").text


def test_a_sub_agent_that_runs_is_guarded_and_reminded(
    client: Client, scripted: ModelFactory, planned: Path, bundle: Path
) -> None:
    task = {
        "description": "run", "prompt": "RUN-THE-PLAN", "subagent_type": "general-purpose",
        "run_in_background": False,
    }  # fmt: skip
    secret = Call("Write", {"file_path": str(planned / ".env"), "content": "TOKEN=1\n"})
    runner = SubAgent(
        "RUN-THE-PLAN", ultra(f"run start {PLAN}"), secret, Say("Done."), ultra("run abort"), Say("Ended.")
    )
    model = scripted(Call("Agent", task), agents=[runner])
    begin_run(client, model, planned, bundle)
    (result,) = model.tool_results()
    assert "Ended." in result.text
    assert "ultra guard, rule env_file" in model.agent("RUN-THE-PLAN").tool_results()[1].text
    assert MISSING in model.agent("RUN-THE-PLAN").text
    assert not (planned / ".git/ultra/run.json").exists()
