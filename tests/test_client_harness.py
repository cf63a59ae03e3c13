"""Show every ability of the harness on a plugin of a few lines."""

from __future__ import annotations

import base64
import json
import re
import time
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory, TerminalFactory
from tests.client.model import Call, Say, ScriptedModel, SubAgent, Together
from tests.client.script import Acting
from tests.client.session import Client, Home, run
from tests.kit.files import write_tree
from tests.kit.model import bash

MANIFEST = {
    "name": "tiny",
    "version": "1.0.0",
    "description": "Greet people",
    "author": {"name": "Test"},
    "license": "MIT",
}
ICON = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TINY: dict[str, str | bytes] = {
    ".claude-plugin/plugin.json": json.dumps(MANIFEST),
    ".claude-plugin/icon.png": ICON,
    "README.md": "This plugin greets people by name. " * 10,
    "commands/greet.md": """---
description: Greet somebody
allowed-tools: Bash(greeter:*), Agent
---
Greet $ARGUMENTS warmly.
""",
    "agents/poet.md": """---
name: poet
description: Write verse
---
You are the poet of the tiny plugin.
""",
    "bin/greeter": '#!/bin/sh\necho "hello $1"\n',
}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Write the plugin."""
    return write_tree(tmp_path / "tiny", TINY)


def found(pattern: str, text: str) -> str:
    """Return what a model would read out of a text."""
    match = re.search(pattern, text)
    assert match, text
    return match[1]


def spawn(prompt: str) -> Call:
    """Call the poet and wait for the answer."""
    words = {"subagent_type": "tiny:poet", "description": "verse", "prompt": prompt}
    return Call("Agent", {**words, "run_in_background": False})


def test_init_lists_what_the_plugin_brings(
    client: Client, model: ScriptedModel, project: Path, tiny: Path
) -> None:
    session = client.ask("hi", model, cwd=project, plugin_dirs=[tiny])
    assert session.init.plugins == ("tiny",)
    assert session.init.plugin_errors == ()
    assert "tiny:greet" in session.init.slash_commands
    assert "tiny:poet" in session.init.agents
    assert session.results == ["done"]


def test_init_tells_why_a_plugin_was_refused(
    client: Client, model: ScriptedModel, project: Path, tiny: Path
) -> None:
    write_tree(tiny, {".claude-plugin/plugin.json": "{"})
    init = client.ask("hi", model, cwd=project, plugin_dirs=[tiny]).init
    assert "tiny:greet" not in init.slash_commands
    assert len(init.plugin_errors) == 1


def test_typed_command_reaches_the_model_rendered(
    client: Client, model: ScriptedModel, project: Path, tiny: Path
) -> None:
    client.ask("/tiny:greet Ada Lovelace", model, cwd=project, plugin_dirs=[tiny])
    assert "Greet Ada Lovelace warmly.\n" in model.texts()
    assert {"Bash", "Agent", "Read"} <= set(model.tools)
    assert "Claude" in model.system_prompt


@pytest.mark.soak
def test_allowed_script_runs_and_others_are_refused(
    client: Client, scripted: ModelFactory, project: Path, tiny: Path
) -> None:
    model = scripted(bash("greeter Ada"), bash("touch forbidden"), Say("that was all"))
    session = client.ask("/tiny:greet Ada", model, cwd=project, plugin_dirs=[tiny])
    allowed, refused = model.tool_results()
    assert (allowed.text, allowed.is_error) == ("hello Ada", False)
    assert refused.call == bash("touch forbidden")
    assert refused.is_error
    assert "needs approval" in refused.text
    assert not (project / "forbidden").exists()
    assert session.result == "that was all"


@pytest.mark.soak
def test_two_calls_in_one_turn_are_one_turn(
    client: Client, scripted: ModelFactory, project: Path, tiny: Path
) -> None:
    both = Together(Say("Both."), bash("greeter Ada"), bash("greeter Bob"))
    model = scripted(both, bash("greeter Eve"))
    client.ask("/tiny:greet all", model, cwd=project, plugin_dirs=[tiny])
    assert [result.text for result in model.tool_results()] == ["hello Ada", "hello Bob", "hello Eve"]
    assert len(model.main.requests) == 3
    assert model.finished


@pytest.mark.soak
def test_sub_agents_follow_scripts_of_their_own(
    client: Client, scripted: ModelFactory, project: Path, tiny: Path
) -> None:
    sea = SubAgent("about the sea", bash("greeter sea"), Say("blue"))
    poet = SubAgent("poet of the tiny plugin", bash("greeter poet"), Say("verse"))
    model = scripted(Together(spawn("Write about the sea."), spawn("Write about hills.")), agents=[sea, poet])
    client.ask("/tiny:greet them", model, cwd=project, plugin_dirs=[tiny])

    prompt = model.agent("about hills").system_prompt
    assert "You are the poet of the tiny plugin." in prompt
    assert prompt not in model.system_prompt
    assert [result.text for result in model.agent("about the sea").tool_results()] == ["hello sea"]
    assert [result.text for result in model.agent("about hills").tool_results()] == ["hello poet"]
    by_the_sea, by_the_hills = (result.text for result in model.tool_results())
    assert "blue" in by_the_sea
    assert "verse" in by_the_hills


@pytest.mark.soak
def test_resumed_conversation_plays_a_new_script(
    client: Client, scripted: ModelFactory, project: Path, tiny: Path
) -> None:
    first = scripted(bash("greeter Ada"))
    before = client.ask("/tiny:greet Ada", first, cwd=project, plugin_dirs=[tiny])
    second = scripted(bash("greeter Bob"))
    client.ask("/tiny:greet Bob", second, cwd=project, plugin_dirs=[tiny], resume=before)
    assert [result.text for result in second.tool_results()] == ["hello Ada", "hello Bob"]


@pytest.mark.soak
def test_compaction_is_answered_and_uses_no_turn(
    client: Client, scripted: ModelFactory, project: Path
) -> None:
    model = scripted(Say("one"))
    before = client.ask("hi", model, cwd=project)
    client.ask("/compact keep the greeting", model, cwd=project, resume=before)
    assert len(model.summaries.requests) == 1
    assert "keep the greeting" in model.summaries.text
    assert len(model.main.requests) == 1


@pytest.mark.parametrize(("missing", "codes"), [(None, []), ("README.md", ["README_MISSING"])])
def test_validate_reports_json(client: Client, tiny: Path, missing: str | None, codes: list[str]) -> None:
    if missing:
        (tiny / missing).unlink()
    done = client.run("plugin", "validate", "--strict", "--profile", "directory", "--json", str(tiny))
    report = done.json()
    assert [finding["code"] for finding in report["directory"]["findings"]] == codes
    assert report["success"] is (not codes)
    assert done.status == (1 if codes else 0)


def test_terminal_asks_and_takes_a_number(
    scripted: ModelFactory, terminal: TerminalFactory, tiny: Path
) -> None:
    options = [{"label": label, "description": label * 2} for label in ("red", "blue")]
    question = {"question": "Which colour?", "header": "Colour", "multiSelect": False, "options": options}
    model = scripted(Call("AskUserQuestion", {"questions": [question]}), Say("Noted, then."))
    screen = terminal(model, plugin_dirs=[tiny])
    screen.send("/tiny:greet Ada")
    screen.choose("2. blue")
    screen.wait_for("Noted, then.")
    (answered,) = model.tool_results()
    assert '"Which colour?"="blue"' in answered.text
    screen.send("/tiny:greet Bob")
    model.wait_until(lambda seen: "Greet Bob warmly.\n" in seen.texts())


def test_process_that_does_not_end_is_ended_with_its_children(home: Home) -> None:
    began = time.monotonic()
    with pytest.raises(AssertionError, match=r"(?s)no end within 0\.3 s.*begun"):
        run(["sh", "-c", "echo begun; sleep 60 & wait"], home.environment(), home.root, timeout=0.3)
    assert time.monotonic() - began < 30  # a child that lives on would hold the output open


@pytest.mark.soak
def test_a_part_is_acted_on_what_the_client_answered(
    client: Client, scripted: ModelFactory, project: Path, tiny: Path
) -> None:
    def main(told: str) -> Acting:
        name = found(r"Greet (\w+) warmly", told)
        first, second = yield Together(bash(f"greeter {name}"), spawn(f"A verse for {name}!"))
        yield Say("A word in between is no end of the part.")
        (third,) = yield bash(f"greeter {found(r'Oh ([A-Z]+) of the sea', second.text)}")
        yield Say(f"{first.text} / {third.text}")

    def poet(told: str) -> Acting:
        yield Say(f"Oh {found(r'verse for ([A-Za-z]+)!', told).upper()} of the sea")

    model = scripted(main, agents=[SubAgent("poet of the tiny", poet)])
    session = client.ask("/tiny:greet Ada", model, cwd=project, plugin_dirs=[tiny])
    assert "A word in between" in session.result
    may = ["--allowedTools", "Bash(greeter:*)"]
    session = client.ask("Go on.", model, cwd=project, plugin_dirs=[tiny], resume=session, extra=may)
    assert "hello Ada / hello ADA" in session.result
