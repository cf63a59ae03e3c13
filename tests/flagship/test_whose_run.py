"""In the real client: other variables, a ghost session and sub-agents get nowhere in a run, and the run goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.client.conversation import Json
from tests.client.fixtures import ModelFactory
from tests.client.model import Call
from tests.client.session import Client
from tests.executor.sample import PLAN, plan, step
from tests.flagship.greeting import TYPED, Played, Story, begin, commit, finish, start, verify
from tests.kit.model import bash, write
from tests.kit.names import LAUNCHER
from ultra_plugin.check.client import TOOLS
from ultra_runtime.guard.hook import SKILL, SPAWNING

ALL = ("Bash", "Write", "Edit", "Monitor", "ToolSearch", SKILL, *SPAWNING)
SCRIPT = "cat src/part1.py"
GHOST = f"CLAUDE_CODE_SESSION_ID=ghost {LAUNCHER} run start {PLAN} --mode resume --json"
SHIM = f"PATH=/tmp/shim:$PATH {LAUNCHER} step verify 1 --json"
WORKFLOW = "export const meta = {name: 'w', description: 'w'}\nawait agent('do step 1')\n"
# Tools that speak of agents without starting one.
ONLY_SPEAK = {"CronCreate", "EnterWorktree", "ListAgents", "TaskStop"}
SPEAKS = re.compile(r"agent|spawn|teammate|orchestrat|claude session", re.IGNORECASE)


@pytest.fixture(scope="module")
def guarded(bundle: Path) -> set[str]:
    """Return the tools before which the client asks the guard."""
    hooks = json.loads((bundle / "hooks/hooks.json").read_text())["hooks"]
    return {name for group in hooks["PreToolUse"] for name in group["matcher"].split("|")}


def denied(told: Played, tool: str, about: str, rule: str) -> bool:
    return f"{LAUNCHER} guard, rule {rule}: " in told.refused(tool, about)


@pytest.mark.soak
def test_nobody_else_moves_a_run(
    client: Client, scripted: ModelFactory, bundle: Path, tmp_path: Path, guarded: set[str]
) -> None:
    story = Story(client, scripted, bundle, tmp_path / "repo", plan(step(1, verify=SCRIPT)))
    forked = {
        ".claude/skills/forked/SKILL.md": "---\ndescription: Looks.\ncontext: fork\n---\n\nLook as a fork.\n"
    }
    story.repo.write({"calls/ghost.sh": f"{GHOST}\n", "calls/shim.sh": f"{SHIM}\n", **forked})
    told = story.claude(
        TYPED,
        Call("ToolSearch", {"query": f"select:{','.join(sorted(TOOLS))}", "max_results": 99}),
        start(),
        begin(1),
        write("src/part1.py", "one\n"),
        bash(SHIM),
        bash("bash calls/shim.sh"),
        bash(GHOST),
        bash("bash calls/ghost.sh"),
        bash(f"{LAUNCHER} step begin 1 --mine README.md --json"),
        Call("Workflow", {"script": WORKFLOW, "description": "w", "title": "w"}),
        Call("Skill", {"skill": "forked"}),
        Call("SendMessage", {"to": "an-agent", "summary": "go on", "message": "go on"}),
        Call("Monitor", {"command": "rm -rf src", "description": "watch", "timeout_ms": 1000}),
        verify(1),
        commit(1),
        finish(),
        may=ALL,
    )
    assert denied(told, "Bash", "PATH=/tmp/shim", "launcher_alone")
    assert "other variables than the run was started with: PATH" in told.refused("Bash", "calls/shim.sh")
    assert denied(told, "Bash", "SESSION_ID=ghost", "launcher_alone")
    said = told.refused("Bash", "calls/ghost.sh")
    assert re.search(
        r"is in progress in this tree \(session [-0-9a-f]{36}, process \d+ on .*; this is session ghost", said
    )
    assert denied(told, "Bash", "--mine README.md", "claimed_for_the_user")  # nobody is there to be asked
    assert denied(told, "Workflow", "do step 1", "run_agent")
    assert denied(told, "Skill", "forked", "run_agent")
    assert denied(told, "SendMessage", "an-agent", "run_agent")
    assert not any("Look as a fork" in str(one.body["messages"]) for one in told.model.requests)
    assert denied(told, "Monitor", "rm -rf src", "recursive_force_delete")
    assert told.answer("run finish")["result"] == "completed"
    every_tool_that_starts_agents_is_denied(told.model.main.requests[-1].body["tools"], guarded)


def every_tool_that_starts_agents_is_denied(tools: list[Json], guarded: set[str]) -> None:
    """A tool of a new client that speaks of agents, or takes a command, must be looked at by a person first."""
    names = {tool["name"] for tool in tools}
    assert {"Agent", "Workflow", "Monitor", "SendMessage"} <= names
    speaking = {tool["name"] for tool in tools if SPEAKS.search(json.dumps(tool))}
    assert speaking <= {*SPAWNING, SKILL, *ONLY_SPEAK}
    running = {
        tool["name"]
        for tool in tools
        if {"command", "script", "code"} & {*tool["input_schema"].get("properties", {})}
    }
    assert running | {*SPAWNING, SKILL} <= guarded
