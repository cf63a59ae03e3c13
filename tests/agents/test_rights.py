"""What a sub-agent may run: looking, and nothing that writes."""

from __future__ import annotations

import json

import pytest

from tests.agents.conftest import Hook
from ultra_runtime.agent_rights import refusal

LOOKS = [
    "git log --oneline -n 30 -- src/a.py",
    "git log -S 'a word; and (more)' --oneline",
    "git --no-pager show --stat 3f9c2ab",
    "git blame -L 1,20 src/a.py",
    "git diff HEAD~3",
    "ultra validate plan .claude/plans/p.md --json",
    "ultra plan show p.md",
    "ultra guide research agents",
    'ultra finding-id --batch <<\'ULTRA\'\n```json\n{"path": "a"}\n```\nULTRA',
]
WRITES = [
    "ultra put brief --project x --draft",
    "ultra put brief --project x <<'ULTRA'\ntext\nULTRA",
    "ultra step commit 1",
    "ultra run start plan.md",
    "ultra gate brief --project x",
    "ultra brief status x complete",
    "ultra project new x",
    "ultra triage --project x",
    "ultra plan begin --project x",
    "git commit -m x",
    "git push",
    "git checkout -- .",
    "git -c core.pager=evil log",
    "git log --output=x",
    "git grep -Oevil word",
    "git diff --ext-diff",
    "git log > x",
    "git log | sh",
    "git log; rm -r x",
    "git log && touch x",
    "git log $(touch x)",
    "git log `touch x`",
    "git log\ntouch x",
    "ultra guide brief draft <<ULTRA\n$(touch x)\nULTRA",
    "ultra finding-id <<'U'\nU\ntouch x\nU",
    "rm -r x",
    "touch x",
    "git log 'unclosed",
    "gemini -p hello",
    "ultra",
    "git",
    "",
]


@pytest.mark.parametrize("command", LOOKS)
def test_looking_is_allowed(command: str) -> None:
    assert refusal("local-history", command) == ""


@pytest.mark.parametrize("command", WRITES)
def test_everything_else_is_refused(command: str) -> None:
    assert refusal("local-history", command)


def test_the_bridge_alone_asks_the_second_model() -> None:
    assert refusal("gemini-bridge", "gemini -p 'Which store can count?'") == ""
    assert refusal("gemini-bridge", "gemini --version") == ""
    assert refusal("gemini-bridge", "gemini --yolo -p x")
    assert refusal("gemini-bridge", "gemini -p x --yolo")


def call(command: str, **more: object) -> dict[str, object]:
    return {"tool_name": "Bash", "tool_input": {"command": command}, **more}


def test_the_hook_judges_the_plugins_agents_only(hook: Hook) -> None:
    ours = hook("agent_calls", call("ultra put brief", agent_type="ultraplan-local:local-history"))
    said = json.loads(ours.out)["hookSpecificOutput"]
    assert (ours.status, said["permissionDecision"]) == (0, "deny")
    for quiet in (
        call("git log", agent_type="ultraplan-local:local-history"),
        call("rm -r x"),
        call("rm -r x", agent_type="general-purpose"),
        call("rm -r x", agent_type="other:local-history"),
        b"",
        b"\xff",
    ):
        told = hook("agent_calls", quiet)
        assert (told.status, told.out, told.err) == (0, "", "")


def test_an_agents_call_that_cannot_be_judged_is_blocked(hook: Hook) -> None:
    told = hook("agent_calls", b'{"agent_type": "ultraplan-local:x", ')
    assert (told.status, "could not be judged" in told.err) == (2, True)
