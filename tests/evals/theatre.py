"""A model that plays every case at once: it knows which one it is in by what was typed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.client.conversation import Json, Request, Say, Turn
from tests.client.model import ScriptedModel
from tests.client.script import SubAgent


@dataclass(frozen=True, init=False)
class Repeat(Say):
    """Say again what the model was sent, as far as a pattern finds it."""

    pattern: str

    def __init__(self, pattern: str) -> None:
        object.__setattr__(self, "text", "")
        object.__setattr__(self, "pattern", pattern)

    def heard(self, request: Request) -> Say:
        """Return the newest text that fits."""
        texts = [text for message in request.messages for text in texts_of(message)]
        found = [match.group() for text in texts for match in re.finditer(self.pattern, text)]
        return Say(found[-1] if found else "I was told nothing of the kind.")


@dataclass(frozen=True)
class Play:
    """What a model does in one case: well, and (for a command) badly."""

    turns: tuple[Turn, ...]
    agents: tuple[SubAgent, ...] = ()
    badly: tuple[Turn, ...] = ()


class Main(SubAgent):
    """Script the main conversation of one case."""

    def plays(self, request: Request) -> bool:
        """Tell by the first message; a request without tools is the client's own."""
        assert isinstance(self.when, str)
        return bool(request.tools) and not request.from_agent and is_typed(self.when, request)


class Theatre(ScriptedModel):
    """Play the cases of a plugin, each by the play that has its name."""

    def __init__(self, plugin: Path, plays: Mapping[str, Play], *, badly: bool = False) -> None:
        self.prompts = {name: (plugin / "evals" / name / "prompt.md").read_text().strip() for name in plays}
        scripts: list[SubAgent] = []
        for name, play in plays.items():
            scripts += [*play.agents, Main(self.prompts[name], *(play.badly if badly else play.turns))]
        super().__init__(agents=scripts)

    def __enter__(self) -> Theatre:
        super().__enter__()
        return self

    def _message(self, request: Request, turn: Turn, tag: str) -> Json:
        return super()._message(request, turn.heard(request) if isinstance(turn, Repeat) else turn, tag)

    def tokens(self, name: str) -> int:
        """Count what a case made the client send, as the client counts offline; without its sub-agents."""
        sent = [one for one in self.requests if is_typed(self.prompts[name], one)]
        return sum(len(json.dumps(one.body)) for one in sent) // 4


def is_typed(prompt: str, request: Request) -> bool:
    """Tell whether a prompt, which may be a command, was typed in a conversation."""
    texts = [text for message in request.messages for text in texts_of(message)]
    if not prompt.startswith("/"):
        return any(prompt in text for text in texts)
    command, _, arguments = prompt.partition(" ")
    typed = f"<command-name>{command}</command-name>"
    args = f"<command-args>{arguments}</command-args>"
    return any(
        typed in text and (args in text if arguments else "<command-args>" not in text) for text in texts
    )


def texts_of(message: Json) -> list[str]:
    """Return every text of a message of the client, results of calls included."""
    if message["role"] == "assistant":
        return []
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    found = []
    for block in blocks:
        inner = block.get("content", block.get("text", ""))
        found += [inner] if isinstance(inner, str) else [part.get("text", "") for part in inner]
    return found
