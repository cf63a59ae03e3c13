"""What Claude does with an answer: run a verb, read a guide or a file, consult agents, find a value in a text."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from tests.client.conversation import Call, Say, Together, ToolResult, Turn
from tests.kit.model import answered, bash, given, spawn
from tests.kit.names import NAME

Answering = Generator[Turn, list[ToolResult], dict[str, Any]]
Reading = Generator[Turn, list[ToolResult], str]


def match(pattern: str, said: str) -> str:
    """Read something out of a text; it has to be there."""
    found = re.search(pattern, said)
    assert found, f"{pattern} is not in: {said}"
    return found[1]


def offered(answer: Mapping[str, Any], about: str) -> str:
    """Return the command that an answer's `next` offers in backticks."""
    return match(rf"`([^`]*{re.escape(about)}[^`]*)`", answer["next"])


def run(command: str, text: str = "", saying: str = "") -> Answering:
    """Call a verb as it is spelled, with a text for its standard input if there is one, and read its answer."""
    line = f"{command} --json"
    call = given(line, text) if text else bash(line)
    (result,) = yield Together(Say(saying), call) if saying else call
    return held(result)


def held(result: ToolResult) -> dict[str, Any]:
    """Return the answer of a verb that did not refuse."""
    answer = answered(result)
    assert answer.get("ok", answer.get("valid")) is not False, answer
    return answer


def guide(command: str, saying: str = "") -> Reading:
    (result,) = yield Together(Say(saying), bash(command)) if saying else bash(command)
    return result.text


def look(root: Path, *paths: str, saying: str = "") -> Reading:
    """Read files of the repository."""
    first = [Say(saying)] if saying else []
    results = yield Together(*first, *(Call("Read", {"file_path": str(root / path)}) for path in paths))
    assert not [result for result in results if result.is_error], results
    return "\n".join(result.text for result in results)


def consult(
    told: Mapping[str, str], saying: str = "", again: str = ""
) -> Generator[Turn, list[ToolResult], dict[str, str]]:
    """Spawn agents side by side, each with its prompt, and return what each reported."""
    prompts = {agent.removeprefix(f"{NAME}:"): prompt for agent, prompt in told.items()}
    names = [*prompts]
    first = [Say(saying)] if saying else []
    results = yield Together(*first, *(spawn(name, prompt) for name, prompt in prompts.items()))
    assert not [result for result in results if result.is_error], results
    if not any("working in the background" in result.text for result in results):
        return {name: handed_back(result.text) for name, result in zip(names, results, strict=True)}
    reports: dict[str, str] = {}
    while len(reports) < len(names):
        waiting = [name for name in names if name not in reports]
        (heard,) = yield Say(f"I wait for {' and '.join(waiting)}{again}.")
        reports |= {name: noticed(name, heard.text) for name in waiting if f'"{name}" finished' in heard.text}
    return reports


def prompt(**told: str) -> str:
    """Return what an agent is told."""
    return "\n".join(f"{key}: {value}" for key, value in told.items())


def handed_back(said: str) -> str:
    """Return an agent's own words out of what the client hands back, which has them indented."""
    return dedent(match(r"(?s)\[Subagent hand-back\][^\n]*\n(.*)\nagentId: ", said)).strip()


def noticed(name: str, said: str) -> str:
    """Return an agent's own words out of the notification that it has finished."""
    return match(rf'(?s)Agent "{name}" finished</summary>.*?<result>(.*?)</result>', said)


def block(reported: str) -> str:
    """Return the json block of a report, in its fence."""
    return match(r"(?ms)(^```json\n.*?^```$)", reported)


def data_folder(told: str) -> str:
    """Return the folder for statistics that the client filled in."""
    return match(r'(?:--data "|DATA is `)([^"`]+)["`]', told)


def arguments(told: str) -> str:
    """Return what was typed behind the command."""
    return match(r"Arguments: `([^`]*)`", told)


def option(name: str, told: str) -> str:
    """Return the value of an option that was typed."""
    return match(rf"{name} (\S+)", arguments(told))


def day_of(project: str) -> str:
    return match(r"/(\d{4}-\d\d-\d\d)-", project)


def slug_of(project: str) -> str:
    return match(r"/\d{4}-\d\d-\d\d-([^/]+)$", project)
