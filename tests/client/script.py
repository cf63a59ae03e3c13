"""Scripts: which conversation one plays in, and which of its turns is next."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from tests.client.conversation import (
    Call,
    Conversation,
    Costly,
    Json,
    Request,
    Say,
    Together,
    ToolResult,
    Turn,
)

DONE = Say("done")
Acting = Generator[Turn, list[ToolResult], None]
Part = Callable[[str], Acting]


@dataclass(frozen=True, init=False)
class SubAgent:
    """Script the sub-agents whose system prompt or first message holds a text, or that pass a test."""

    when: str | Callable[[Request], bool]
    turns: tuple[Turn | Part, ...]

    def __init__(self, when: str | Callable[[Request], bool], *turns: Turn | Part) -> None:
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

    def ahead(self, request: Request) -> tuple[int, Turn | None]:
        """Return how many turns a conversation already holds, and the next one, if one is left."""
        position = self.position(request)
        return position, self.turns[position] if position < len(self.turns) else None

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


@dataclass(frozen=True)
class Play:
    """Act a part: a generator that is given the opening words, yields turns and gets the answers to their calls.

    Words without a call are answered too, by what the user or the client says next. It is acted anew
    for every request, on what that conversation holds, so that it keeps nothing in between either.
    """

    tag: str
    part: Part

    def ahead(self, request: Request) -> tuple[int, Turn | None]:
        """Return how many turns a conversation already holds, and the next one, if one is left."""
        played = self._played(request)
        acting = self.part(opening_of(request))
        position, turn = 0, next(acting, None)
        while turn is not None:
            answers = played.get(position) or said_next(request, turn)
            if not answers:
                break
            try:
                turn = acting.send(answers)
            except StopIteration:
                turn = None
            position += 1
        return position, turn

    def _played(self, request: Request) -> dict[int, list[ToolResult]]:
        """Return the answers that each turn of this part got."""
        played: dict[int, list[ToolResult]] = {}
        for name, result in Conversation((request,)).answers().items():
            mine = re.match(rf"toolu_{self.tag}_(\d+)_", name)
            if mine:
                played.setdefault(int(mine[1]), []).append(result)
        return played


def as_script(tag: str, turns: Sequence[Turn | Part]) -> Script | Play:
    """Return the script of these turns, or of the one part that stands in their place."""
    parts = [turn for turn in turns if callable(turn)]
    if parts:
        (part,) = turns
        assert callable(part)
        return Play(tag, part)
    return Script(tag, tuple(turn for turn in turns if not callable(turn)))


def said_next(request: Request, turn: Turn) -> list[ToolResult]:
    """Return what was said to the model after words of its own, or nothing when it has not said them yet."""
    for at, message in enumerate(request.messages):
        if message["role"] == "assistant" and not ids_of(message) and said_in(message, turn):
            rest = [one for one in request.messages[at + 1 :] if one["role"] != "assistant"]
            heard = "\n".join(Request("", "", {"messages": [one]}).first_message for one in rest)
            return [ToolResult(Call("heard", {}), heard, False)]
    return []


def opening_of(request: Request) -> str:
    """Return what the user's side said before the model said anything."""
    texts = []
    for message in request.messages:
        if message["role"] == "assistant":
            break
        texts.append(Request("", "", {"messages": [message]}).first_message)
    return "\n".join(texts)


def ids_of(message: Json) -> list[str]:
    """Return the ids of the calls in a message."""
    content = message["content"]
    return [block["id"] for block in content if "id" in block] if isinstance(content, list) else []


def said_in(message: Json, turn: Turn) -> bool:
    """Tell whether a message without calls is this turn, which then has only words."""
    turn = turn.turn if isinstance(turn, Costly) else turn
    words = turn.blocks if isinstance(turn, Together) else (turn,)
    said = Request("", "", {"messages": [message]}).first_message
    return all(isinstance(word, Say) and word.text.strip() in said for word in words)
