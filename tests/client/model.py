"""A model that follows a script and remembers everything it was sent."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Callable, Sequence
from types import TracebackType

from tests.client.conversation import (
    Call,
    Conversation,
    Costly,
    Json,
    Refused,
    Request,
    Say,
    Together,
    ToolResult,
    Turn,
)
from tests.client.script import DONE, Part, Play, Script, SubAgent, as_script
from tests.client.wire import Refusal, Server

__all__ = ["Call", "Conversation", "Request", "Say", "ScriptedModel", "SubAgent", "Together", "ToolResult"]

SUMMARY = Say("<analysis>scripted</analysis>\n<summary>scripted summary</summary>")


class ScriptedModel:
    """Play one script in the main conversation and others in sub-agents; then say "done".

    Results of another model's calls do not count, so a resumed conversation starts this script at
    its beginning. So does a compacted one: give each run after a compaction a model of its own.
    """

    def __init__(self, *turns: Turn | Part, agents: Sequence[SubAgent] = ()) -> None:
        tag = secrets.token_hex(4)
        self._main = as_script(f"{tag}m", turns)
        self._agents = [(agent, as_script(f"{tag}a{n}", agent.turns)) for n, agent in enumerate(agents)]
        self._numbers = itertools.count()
        self._seen: list[tuple[str, Request]] = []
        self._finished = not turns
        self._news = threading.Condition()
        self._server = Server(self._answer)
        self.url = self._server.url

    def __enter__(self) -> ScriptedModel:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()

    @property
    def requests(self) -> tuple[Request, ...]:
        """Return every request, side requests included."""
        with self._news:
            return tuple(request for _, request in self._seen)

    @property
    def main(self) -> Conversation:
        """Return the main conversation."""
        return self._conversation("main")

    def agent(self, when: str) -> Conversation:
        """Return what the sub-agents were sent that have a text in their system prompt or first message."""
        found = self._conversation("agent").requests
        return Conversation(tuple(one for one in found if when in one.system or when in one.first_message))

    @property
    def summaries(self) -> Conversation:
        """Return the requests of compactions."""
        return self._conversation("summary")

    @property
    def finished(self) -> bool:
        """Tell whether the main script was played to its end and its last answer came back."""
        return self._finished

    def texts(self) -> list[str]:
        """Return every text sent to the model, in any conversation."""
        return Conversation(self.requests).texts()

    @property
    def text(self) -> str:
        """Return every text sent to the model in one piece."""
        return Conversation(self.requests).text

    def tool_results(self) -> list[ToolResult]:
        """Return the answered calls of the main conversation in order."""
        return self.main.tool_results()

    @property
    def system_prompt(self) -> str:
        """Return the system prompt of the main conversation."""
        return self.main.system_prompt

    @property
    def tools(self) -> tuple[str, ...]:
        """Name the tools offered to the main conversation."""
        return self.main.tools

    def wait_until(self, condition: Callable[[ScriptedModel], bool], timeout: float = 20) -> None:
        """Wait until requests have made a condition true."""
        with self._news:
            assert self._news.wait_for(lambda: condition(self), timeout), f"not within {timeout} s"

    def _conversation(self, kind: str) -> Conversation:
        with self._news:
            return Conversation(tuple(request for found, request in self._seen if found == kind))

    def _answer(self, request: Request) -> Json:
        kind, script = self._classify(request)
        position, turn = script.ahead(request) if script else (0, None)
        with self._news:
            self._seen.append((kind, request))
            if kind == "main":
                self._finished |= turn is None
            self._news.notify_all()
        if "count_tokens" in request.path:
            return {"input_tokens": 10}
        if script is None:
            return self._message(request, SUMMARY if kind == "summary" else DONE, "")
        if isinstance(turn, Refused):
            raise Refusal(turn)
        return self._message(request, turn or DONE, f"{script.tag}_{position}")

    def _classify(self, request: Request) -> tuple[str, Script | Play | None]:
        if request.method != "POST" or not request.path.split("?")[0].endswith("/messages"):
            return "side", None
        if request.asks_for_summary:
            return "summary", None
        for agent, script in self._agents:
            if agent.plays(request):
                return "agent", script
        if not request.tools:  # titles, classifiers, page summaries
            return "side", None
        return ("agent", None) if request.from_agent else ("main", self._main)

    def _message(self, request: Request, turn: Turn, tag: str) -> Json:
        tokens = turn.tokens if isinstance(turn, Costly) else 1
        turn = turn.turn if isinstance(turn, Costly) else turn
        assert not isinstance(turn, Refused)
        blocks = turn.blocks if isinstance(turn, Together) else (turn,)
        content = [self._block(block, tag) for block in blocks]
        calls = any(isinstance(block, Call) for block in blocks)
        return {
            "id": f"msg_{self._main.tag}_{next(self._numbers)}",  # compaction refuses repeated ones
            "type": "message",
            "role": "assistant",
            "model": request.body.get("model", "scripted"),
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": tokens},
        }

    def _block(self, block: Call | Say, tag: str) -> Json:
        if isinstance(block, Say):
            return {"type": "text", "text": block.text}
        name = f"toolu_{tag}_{next(self._numbers)}"
        return {"type": "tool_use", "id": name, "name": block.name, "input": dict(block.input)}
