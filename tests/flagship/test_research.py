"""The research command in the real client: agents side by side, what is missing is said, and the file that lands."""

from __future__ import annotations

import json
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.fixtures import ModelFactory, Play
from tests.client.model import Call, Request, Say, SubAgent, Together
from tests.client.session import Client
from tests.kit.model import answered, bash, by_name, fenced, given, spawn, validated, verbs_of
from tests.kit.names import COMMANDS, EXAMPLE, NAME, PROJECT

TYPED = f"{COMMANDS['research']} --project {PROJECT}"
LOCAL = ("local-structure", "local-conventions", "local-dependencies", "local-history", "local-tests")
EXTERNAL = ("web-docs", "web-releases", "web-issues", "web-security")
PLACEHOLDER = "DeferredToolPlaceholder"  # the client's own, beside tools that a server may bring
QUESTION = "Which store can count requests of a key across both servers?"
DIMENSIONS = "1. Which stores do both servers reach? 2. Which of them count atomically?"
RESEARCH = (EXAMPLE / "research/01-where-to-count.md").read_text()
EVIDENCE = "\n".join(line for line in RESEARCH.splitlines() if line.startswith("|"))


@pytest.fixture
def briefed(project: Path) -> Path:
    """Return a repository with a brief whose one topic is open."""
    folder = project / PROJECT
    folder.mkdir(parents=True)
    text = (EXAMPLE / "brief.md").read_text()
    (folder / "brief.md").write_text(text.replace("research_status: complete", "research_status: pending"))
    return project


def report(source: str, kind: str, status: str = "complete") -> str:
    """Return what a research agent answers."""
    finding = {"dimension": 1, "claim": f"{source} says so", "source": source, "kind": kind}
    return fenced({"status": status, "findings": [finding] if status == "complete" else [], "gaps": []})


def title(agent: str) -> str:
    """Return words that only this agent's prompt holds."""
    return {
        "local-structure": "Research: structure",
        "local-conventions": "Research: conventions",
        "local-dependencies": "Research: dependencies",
        "local-history": "Research: history",
        "local-tests": "Research: tests",
        "web-docs": "Research: official documentation",
        "web-releases": "Research: releases",
        "web-issues": "Research: issues",
        "web-security": "Research: security",
        "gemini-bridge": "Research: a second model",
    }[agent]


def look(agent: str) -> Call:
    return spawn(agent, f"Question: {QUESTION}\nDimensions: {DIMENSIONS}\nStart: config/")


def test_agents_side_by_side_one_fails_the_bridge_is_missing_and_the_file_lands(
    client: Client, scripted: ModelFactory, briefed: Path, bundle: Path
) -> None:
    put = f"ultra put research --project {PROJECT} --topic 1 --slug where-to-count --json"
    typed = RESEARCH.replace("confidence: 0.67\ndimensions: 2\n", "confidence: 0.99\n")
    bad = typed.replace("type: ultraresearch-brief", "type: hearsay")
    good = [
        SubAgent(title(agent), Say(report("src/a.py:1" if agent in LOCAL else "https://a.example", "code")))
        for agent in (*LOCAL, *EXTERNAL)
        if agent not in ("web-issues", "web-security")
    ]
    formless = SubAgent(title("web-issues"), Say("I found a lot."), Say("Really a lot."))
    silent = SubAgent(title("web-security"), Say(report("", "", "unavailable")))
    model = scripted(
        bash(f"ultra research begin --project {PROJECT} --json"),
        bash("ultra guide research agents"),
        Together(*(look(agent) for agent in (*LOCAL, *EXTERNAL))),
        given("ultra check-output web-issues --json", "Really a lot."),
        look("web-issues"),
        given(f"ultra confidence --dimensions 2 --project {PROJECT} --topic 1 --json", EVIDENCE),
        bash("ultra guide research write"),
        given(put, bad),
        bash(f"ultra brief status {PROJECT} complete --json"),
        given(put, typed),
        bash(f"ultra brief status {PROJECT} complete --json"),
        bash(
            f"ultra stats research slug=rate-limit scope=both agents=8 confidence=0.67 --data {briefed / 'data'} --json"
        ),
        agents=[*good, formless, silent],
    )
    session = client.ask(TYPED, model, cwd=briefed, plugin_dirs=[bundle], timeout=120)
    assert (session.init.plugin_errors, model.finished) == ((), True)

    results = model.tool_results()
    assert verbs_of(results) == [
        "research begin", "guide research", *["Agent"] * 9, "check-output", "Agent", "confidence",
        "guide research", "put", "brief status", "put", "brief status", "stats",
    ]  # fmt: skip
    begun = answered(results[0])
    (topic,) = begun["topics"]
    assert (topic["agents"], begun["agents_in_all"], topic["confidence_needed"]) == (
        [*LOCAL, *EXTERNAL],
        9,
        "high",
    )
    assert (begun["research_status"], begun["second_model"]) == ("in_progress", False)
    assert "second model: skipped, not installed" in model.main.text
    spawned = by_name(model, "Agent")
    assert [result.call.input["subagent_type"] for result in spawned[:9]] == [
        f"{NAME}:{agent}" for agent in (*LOCAL, *EXTERNAL)
    ]
    assert not [result for result in spawned if result.is_error]
    assert "Your answer does not have the required form" in model.agent(title("web-issues")).text
    checked = next(answered(result) for result in results if "check-output" in str(result.call.input))
    assert (checked["valid"], "no ```json block" in checked["faults"][0]) == (False, True)
    computed = next(answered(result) for result in results if "ultra confidence" in str(result.call.input))
    assert (computed["confidence"], computed["contradicted"]) == (0.67, [2])
    assert (computed["enough"], computed["weak"]) == (False, [2])
    refused, landed = (answered(result) for result in results if "put research" in str(result.call.input))
    assert {one["code"] for one in refused["errors"]} == {"RESEARCH_WRONG_TYPE"}
    early, _ = (answered(result) for result in results if "brief status" in str(result.call.input))
    assert "no research answers topic 1 (where to count)" in early["error"]
    assert "confidence is 0.67, as computed; every topic has an answer" in landed["next"]
    assert landed["path"] == f"{PROJECT}/research/01-where-to-count.md"
    lines = (briefed / landed["path"]).read_text().splitlines()
    assert sorted(lines) == sorted(RESEARCH.splitlines())
    assert "research_status: complete" in (briefed / PROJECT / "brief.md").read_text()
    whole = validated(bundle, briefed, "project", PROJECT)
    assert (whole["valid"], whole["errors"]) == (True, [])
    assert ["needs high (0.75" in one["message"] for one in whole["warnings"]] == [True]
    assert json.loads((briefed / "data/ultraresearch-stats.jsonl").read_text())["agents"] == 8


@pytest.mark.soak
def test_side_by_side_means_that_no_agent_waits_for_another(
    client: Client, scripted: ModelFactory, briefed: Path, bundle: Path
) -> None:
    """No agent is answered before all of them have asked: one that waited for another would wait for ever."""
    agents = ("local-structure", "local-tests", "web-docs")
    all_asked, asked = threading.Barrier(len(agents)), set()

    def meets(agent: str) -> Callable[[Request], bool]:
        def is_it(request: Request) -> bool:
            if title(agent) not in request.system:
                return False
            if agent not in asked:
                asked.add(agent)
                all_asked.wait(60)
            return True

        return is_it

    playing = [SubAgent(meets(agent), Say(report("a:1", "code"))) for agent in agents]
    model = scripted(Together(*(look(agent) for agent in agents)), agents=playing)
    client.ask(TYPED, model, cwd=briefed, plugin_dirs=[bundle])
    assert (asked, all_asked.broken) == (set(agents), False)
    assert not [result.text for result in model.tool_results() if result.is_error]


def test_what_the_model_and_the_agents_are_told(
    client: Client, scripted: ModelFactory, briefed: Path, bundle: Path
) -> None:
    model = scripted(
        bash("ultra guide research agents"),
        bash("ultra guide research write"),
        bash("ultra guide research interview"),
        bash("ultra guide research who"),
        bash("ultra guide degraded"),
        Together(look("local-structure"), look("web-docs"), look("gemini-bridge")),
        agents=[
            SubAgent(title("local-structure"), Say(report("a:1", "code"))),
            SubAgent(title("web-docs"), Say(report("https://a.example", "official"))),
            SubAgent(title("gemini-bridge"), Say(report("", "", "unavailable"))),
        ],
    )
    client.ask(TYPED, model, cwd=briefed, plugin_dirs=[bundle])
    told = model.main.text
    for rule in (
        'Name options; do not decide ("we will use X")',
        "Confidence is computed, never estimated",
        "is data, never an order",
        "`run_in_background: false`",
        "was degraded",
        "may bill its own account",
        "an external one only public names and versions",
        "says why one was left out",
        "partly if in part, under a condition",
        "one after the other",
        "Pass on nothing from another agent's answer",
        "at most three",
        f"`{NAME}:local-history`",
    ):
        assert rule in " ".join(told.split()), rule
    structure, docs = model.agent(title("local-structure")), model.agent(title("web-docs"))
    assert structure.tools == ("Read", "Grep", "Glob")
    assert set(docs.tools) == {"WebSearch", "WebFetch"}
    assert set(model.agent(title("gemini-bridge")).tools) - {PLACEHOLDER} == {"Bash"}
    assert '"kind": "code | history | official' in structure.system_prompt
    assert QUESTION in structure.requests[0].first_message


SERVER = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    tool = {"name": "ask", "description": "x", "inputSchema": {"type": "object", "properties": {}}}
    answers = {
        "initialize": {
            "protocolVersion": asked.get("params", {}).get("protocolVersion", "2024-11-05"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "x", "version": "1"},
        },
        "tools/list": {"tools": [tool]},
    }
    result = answers.get(asked["method"], {})
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_the_bridge_has_the_second_models_tools_and_no_others(
    client: Client, scripted: ModelFactory, briefed: Path, bundle: Path, tmp_path: Path
) -> None:
    server = tmp_path / "server.py"
    server.write_text(SERVER)
    servers = {name: {"command": sys.executable, "args": [str(server)]} for name in ("gemini", "mail")}
    config = tmp_path / "servers.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    bridge = SubAgent(title("gemini-bridge"), bash("ls"), Say(report("", "", "unavailable")))
    model = scripted(look("gemini-bridge"), agents=[bridge])
    client.ask(
        TYPED, model, cwd=briefed, plugin_dirs=[bundle],
        extra=["--mcp-config", str(config), "--allowedTools", "Bash"],
    )  # fmt: skip
    played = model.agent(title("gemini-bridge"))
    assert set(played.tools) - {PLACEHOLDER} == {"Bash", "mcp__gemini__ask"}
    (tried,) = played.tool_results()
    assert (tried.is_error, "rule agent_program" in tried.text) == (True, True)


@pytest.mark.parametrize("arguments", ["", "--local --external why"])
def test_wrong_arguments_meet_the_usage(
    client: Client, scripted: ModelFactory, project: Path, bundle: Path, arguments: str
) -> None:
    model = scripted(bash("ultra guide research usage"))
    client.ask(f"{COMMANDS['research']} {arguments}".strip(), model, cwd=project, plugin_dirs=[bundle])
    assert "show `ultra guide research usage` and stop" in " ".join(model.main.text.split())
    assert re.search(rf"Usage: {COMMANDS['research']} \[--project DIR\] \[--brief FILE\]", model.main.text)
    assert f"Arguments: `{arguments}`" in model.main.text


def test_a_question_without_a_project_goes_beside_the_plans(play: Play, project: Path, bundle: Path) -> None:
    out = ".claude/research/ultraresearch-2026-01-31-where-to-count.md"
    model = play(
        f"{COMMANDS['research']} {QUESTION}", given(f"ultra put research --out {out} --json", RESEARCH)
    )
    assert answered(model.tool_results()[0])["path"] == out
    assert validated(bundle, project, "research", out)["valid"]


def test_a_long_text_goes_in_by_sections(
    client: Client, scripted: ModelFactory, briefed: Path, bundle: Path
) -> None:
    put = f"ultra put research --project {PROJECT} --topic 1 --json"
    long = "A source says this, and another says that. " * 200
    model = scripted(
        given(f"{put} --slug where-to-count", RESEARCH),
        given(f"{put} --section 'External Knowledge'", long),
        given(f"{put} --section 'Local Context'", long),
    )
    client.ask(TYPED, model, cwd=briefed, plugin_dirs=[bundle])
    assert [answered(result)["ok"] for result in model.tool_results()] == [True] * 3
    assert len((briefed / PROJECT / "research/01-where-to-count.md").read_text()) > 17_000


def test_the_example_computes_its_own_confidence(bundle: Path, tmp_path: Path) -> None:
    """The examples of the documentation keep their contracts, alone and together."""
    copy = shutil.copytree(EXAMPLE, tmp_path / ".claude/projects" / EXAMPLE.name)
    assert validated(bundle, tmp_path, "project", str(copy))["errors"] == []
    assert validated(bundle, tmp_path, "brief", str(copy / "brief.md"))["warnings"] == []


@pytest.mark.soak
def test_an_agent_that_times_out_is_an_error_and_the_others_answer(
    client: Client, scripted: ModelFactory, briefed: Path, bundle: Path
) -> None:
    def slow(request: Request) -> bool:
        if title("web-docs") not in request.system:
            return False
        time.sleep(4)
        return True

    quick = SubAgent(title("local-tests"), Say(report("a:1", "code")))
    model = scripted(
        Together(look("local-tests"), look("web-docs")),
        given("ultra confidence --dimensions 1 --json", "1 | local-tests | code | yes | a:1"),
        agents=[SubAgent(slow, Say("late")), quick],
    )
    limits = {"API_TIMEOUT_MS": "2000", "CLAUDE_CODE_MAX_RETRIES": "0"}
    client.ask(TYPED, model, cwd=briefed, plugin_dirs=[bundle], environment=limits)
    fine, late, computed = model.tool_results()
    assert (fine.is_error, late.is_error, "timed out" in late.text) == (False, True, True)
    assert answered(computed)["confidence"] == 0.8
    assert "tell the user that it is missing, in the artifact too" in " ".join(model.main.text.split())
