"""What the scripted model says in a story, in the words of the commands."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.client.conversation import Call, Conversation, ToolResult
from tests.client.model import ScriptedModel

NAME = "ultraplan-local"
ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "dist/ultraplan-local/docs/examples/2026-01-31-rate-limit"
PROJECT = ".claude/projects/2026-01-31-rate-limit"
MARK = "ULTRA"


def bash(command: str) -> Call:
    """Run a command."""
    return Call("Bash", {"command": command, "description": "a step of the command"})


def given(call: str, text: str) -> Call:
    """Run a verb with a text on its standard input, as the prompts say."""
    assert f"\n{MARK}\n" not in text
    return bash(f"{call} <<'{MARK}'\n{text.rstrip()}\n{MARK}")


def ask(question: str, *options: str, header: str = "Brief") -> Call:
    """Ask the user one question."""
    offered = [{"label": option, "description": f"{option}."} for option in options]
    asked = {"question": question, "header": header, "multiSelect": False, "options": offered}
    return Call("AskUserQuestion", {"questions": [asked]})


def spawn(agent: str, prompt: str) -> Call:
    """Spawn an agent of the plugin under its full name, and wait for it."""
    words = {"subagent_type": f"{NAME}:{agent}", "description": agent, "prompt": prompt}
    return Call("Agent", {**words, "run_in_background": False})


def fenced(block: object, prose: str = "Done.") -> str:
    """Return an agent's answer."""
    return f"{prose}\n\n```json\n{json.dumps(block, indent=2)}\n```"


def answered(result: ToolResult) -> dict[str, Any]:
    """Return what a verb answered; a refusal stands behind the exit code."""
    found = re.search(r"^\{.*\}$", result.text, re.MULTILINE)
    assert found, result.text
    answer = json.loads(found.group())
    assert isinstance(answer, dict)
    return answer


def verbs_of(results: Sequence[ToolResult]) -> list[str]:
    """Name what ran, in order: a verb of the runtime, another program, or a tool."""
    names = []
    for result in results:
        words = str(result.call.input.get("command", "")).split()
        if words[:1] == ["ultra"]:
            two = words[1:3] if words[1] in ("project", "gate", "brief", "guide", "research") else words[1:2]
            names.append(" ".join(two))
        else:
            names.append(words[0] if words else result.call.name)
    return names


def asked(conversation: Conversation) -> list[str]:
    """Return every question that the user saw."""
    calls = [result.call for result in conversation.tool_results() if result.call.name == "AskUserQuestion"]
    return [question["question"] for call in calls for question in call.input["questions"]]


def validated(bundle: Path, repository: Path, kind: str, path: str) -> Mapping[str, Any]:
    """Hold an artifact of a story against its contract."""
    done = subprocess.run(
        [bundle / "bin" / "ultra", "validate", kind, path, "--json"],
        cwd=repository,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


def by_name(model: ScriptedModel, name: str) -> list[ToolResult]:
    """Return the answered calls of one tool."""
    return [result for result in model.tool_results() if result.call.name == name]
