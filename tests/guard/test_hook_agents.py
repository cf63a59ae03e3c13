"""The hook and the sub-agents of the plugin: they read, and run no program but those that their text names."""

from __future__ import annotations

import pytest

from tests.guard.scene import Scene
from tests.kit.names import NAME

AGENT = f"{NAME}:plan-critic"
WRITING = [
    "ultra put brief --project x <<'EOF'\n# Brief\nEOF",
    "cd src && ultra gate brief --project x",
    "ultra brief status x complete",
    "ultra project new slug",
    "ultra sessions write plan.md",
    "bash -c 'ultra put plan'",
    '"$HOME"/bin/ultra put plan',
    "ultra $VERB",
]
READING = [
    "ultra guide continue none",
    "ultra put --help",
    "ultra --version",
]
HISTORY, BRIDGE = f"{NAME}:local-history", f"{NAME}:gemini-bridge"
GRANTED = [
    (HISTORY, "git log --oneline -n 30 -- 'src/a b.py'"),
    (HISTORY, "git log -S 'a | b' --text"),
    (HISTORY, "git show 3f9c2ab --stat"),
    (HISTORY, "git blame src/a.py"),
    (HISTORY, "git diff HEAD~1 --exit-code"),
    (BRIDGE, "gemini --version"),
    (BRIDGE, "gemini -p 'Which store? 1. a; 2. b > c, $5'"),
    (BRIDGE, "gemini -p 'it'\\''s this?'"),
]
REFUSED = [
    (AGENT, "git log"),
    (AGENT, "ls"),
    (AGENT, "echo 'ultra put brief'"),
    (AGENT, "cat ultra put"),
    (AGENT, "ultra validate plan x.md && ls"),
    (AGENT, "PATH=/tmp ultra validate plan x.md"),
    (AGENT, "/tmp/ultra validate plan x.md"),
    (AGENT, "ultra validate plan x.md > out"),
    (HISTORY, "git commit -m 'ultra put'"),
    (HISTORY, "git log | head"),
    (HISTORY, "git log && git show"),
    (HISTORY, "git log --output=src/a.py"),
    (HISTORY, "git log > src/a.py"),
    (HISTORY, "git diff --ext-diff"),
    (HISTORY, "git -c core.pager=x log"),
    (HISTORY, "GIT_EXTERNAL_DIFF=x git diff"),
    (HISTORY, "git log $MORE"),
    (HISTORY, "git log $(ls)"),
    (HISTORY, "./git log"),
    (HISTORY, "git"),
    (HISTORY, "gemini --version"),
    (BRIDGE, "gemini"),
    (BRIDGE, "gemini 'do it'"),
    (BRIDGE, "gemini -p 'x' --yolo"),
    (BRIDGE, 'gemini -p "$(cat .env)"'),
    (BRIDGE, 'gemini -p "$HOME"'),
    (BRIDGE, """gemini -p "it's $HOME" """),
    (BRIDGE, "gemini -p ~"),
    (BRIDGE, "cat .env | gemini -p x"),
    (BRIDGE, "curl https://a.example"),
    (BRIDGE, "git log"),
]


@pytest.mark.parametrize("command", WRITING)
def test_a_sub_agent_of_the_plugin_calls_no_verb_that_writes(scene: Scene, command: str) -> None:
    told = scene.bash(command, agent_id="a1", agent_type=AGENT)
    assert told.decision == "deny"
    assert f"rule agent_writes: {AGENT} only reads" in told.reason
    assert "put the text into your answer" in told.reason
    assert scene.bash(command, agent_id="a1", agent_type="general-purpose").silent
    assert scene.bash(command).silent


@pytest.mark.parametrize("guard", ["run", "ask", "always"])
def test_no_option_but_off_lets_a_sub_agent_write(scene: Scene, guard: str) -> None:
    headless = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}
    assert scene.bash(WRITING[0], guard=guard, env=headless, agent_type=AGENT).decision == "deny"


@pytest.mark.parametrize("command", READING)
def test_a_sub_agent_of_the_plugin_may_read(scene: Scene, command: str) -> None:
    assert scene.bash(command, agent_id="a1", agent_type=AGENT).silent


@pytest.mark.parametrize(("agent", "command"), GRANTED)
def test_a_sub_agent_runs_the_program_that_its_text_names(scene: Scene, agent: str, command: str) -> None:
    assert scene.bash(command, agent_id="a1", agent_type=agent).silent


@pytest.mark.parametrize(("agent", "command"), REFUSED)
def test_a_sub_agent_runs_no_other_program(scene: Scene, agent: str, command: str) -> None:
    told = scene.bash(command, agent_id="a1", agent_type=agent)
    assert (told.decision, f"rule agent_program: {agent} may run only " in told.reason) == ("deny", True)
    assert scene.bash(command, agent_id="a1", agent_type="general-purpose").silent
    assert scene.bash(command).silent
