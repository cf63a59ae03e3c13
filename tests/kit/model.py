"""What a scripted model does and says, in the words of the commands, and what it was answered."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.client.conversation import Call, Conversation, ToolResult
from tests.client.model import ScriptedModel
from tests.interpreters import interpreters
from tests.kit.calls import Ultra
from tests.kit.names import LAUNCHER, NAME

MARK = "ULTRA"


def bash(command: str, **more: object) -> Call:
    """Run a command."""
    return Call("Bash", {"command": command, "description": "Next call", **more})


def ultra(line: str) -> Call:
    """Call a verb such as `step begin 1`, which may take as long as the client allows."""
    return bash(f"{LAUNCHER} {line} --json", timeout=600_000)


def read(path: str | Path) -> Call:
    return Call("Read", {"file_path": str(path)})


def write(path: str | Path, text: str) -> Call:
    return Call("Write", {"file_path": str(path), "content": text})


def edit(path: str | Path, old: str, new: str) -> Call:
    return Call("Edit", {"file_path": str(path), "old_string": old, "new_string": new})


def given(call: str, text: str) -> Call:
    """Run a verb with a text on its standard input, as the prompts say."""
    assert f"\n{MARK}\n" not in text
    return bash(f"{call} <<'{MARK}'\n{text.rstrip()}\n{MARK}")


def ask(question: str, *options: str, header: str = "Brief") -> Call:
    """Ask the user one question."""
    offered = [{"label": option, "description": f"{option}."} for option in options]
    asked = {"question": question, "header": header, "multiSelect": False, "options": offered}
    return Call("AskUserQuestion", {"questions": [asked]})


def spawn(agent: str, prompt: str, plugin: str = NAME) -> Call:
    """Spawn an agent of a plugin under its full name, and wait for it."""
    words = {"subagent_type": f"{plugin}:{agent}", "description": agent, "prompt": prompt}
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
        if words[:1] == [LAUNCHER]:
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
    """Validate an artifact of a story."""
    return Ultra(bundle, repository, interpreters()[-1].parent)("validate", kind, path, "--parsed").data


def by_name(model: ScriptedModel, name: str) -> list[ToolResult]:
    """Return the answered calls of one tool."""
    return [result for result in model.tool_results() if result.call.name == name]
