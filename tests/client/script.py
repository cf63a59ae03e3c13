"""Scripts: which conversation one plays in, and which of its turns is next."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.client.conversation import Json, Request, Say, Together, Turn

DONE = Say("done")


@dataclass(frozen=True, init=False)
class SubAgent:
    """Script the sub-agents whose system prompt or first message holds a text, or that pass a test."""

    when: str | Callable[[Request], bool]
    turns: tuple[Turn, ...]

    def __init__(self, when: str | Callable[[Request], bool], *turns: Turn) -> None:
        object.__setattr__(self, "when", when)
        object.__setattr__(self, "turns", turns)

    def plays(self, request: Request) -> bool:
        """Tell whether this script answers a request."""
        if callable(self.when):
            return request.from_agent and self.when(request)
        return self.when in request.system or (request.from_agent and self.when in request.first_message)


@dataclass(frozen=True)
class Script:
    """Know the next turn from the conversation alone, so that nothing can use a turn up by accident."""

    tag: str
    turns: tuple[Turn, ...]

    def position(self, request: Request) -> int:
        """Count the turns of this script that a conversation already holds."""
        turn = 0
        for message in request.messages:
            if message["role"] != "assistant":
                continue
            mine = re.findall(rf"toolu_{self.tag}_(\d+)_", " ".join(ids_of(message)))
            if mine:
                turn = int(mine[-1]) + 1
            elif turn < len(self.turns) and said_in(message, self.turns[turn]):
                turn += 1
        return turn

    def turn(self, position: int) -> Turn:
        """Return a turn, or the word that ends every script."""
        return self.turns[position] if position < len(self.turns) else DONE


def ids_of(message: Json) -> list[str]:
    """Return the ids of the calls in a message."""
    content = message["content"]
    return [block["id"] for block in content if "id" in block] if isinstance(content, list) else []


def said_in(message: Json, turn: Turn) -> bool:
    """Tell whether a message without calls is this turn, which then has only words."""
    words = turn.blocks if isinstance(turn, Together) else (turn,)
    said = Request("", "", {"messages": [message]}).first_message
    return all(isinstance(word, Say) and word.text.strip() in said for word in words)
