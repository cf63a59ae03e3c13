"""What a scripted model says and what it was sent, as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """Call a tool."""

    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True)
class Say:
    """Say something; as a whole turn it hands the word back to the user."""

    text: str


@dataclass(frozen=True, init=False)
class Together:
    """Say and call several things in one turn."""

    blocks: tuple[Call | Say, ...]

    def __init__(self, *blocks: Call | Say) -> None:
        object.__setattr__(self, "blocks", blocks)


@dataclass(frozen=True)
class Costly:
    """Say or call something that takes so many output tokens."""

    turn: Call | Say
    tokens: int


@dataclass(frozen=True)
class Refused:
    """Answer with an HTTP error instead of a turn."""

    status: int
    kind: str
    message: str
    headers: Mapping[str, str]


Turn = Call | Say | Together | Costly | Refused


@dataclass(frozen=True)
class ToolResult:
    """Hold one answered call."""

    call: Call
    text: str
    is_error: bool


@dataclass(frozen=True)
class Request:
    """Hold one request of the client; the body is empty for anything but a POST."""

    method: str
    path: str
    body: Json

    @property
    def system(self) -> str:
        """Return the system prompt."""
        return text_of(self.body.get("system", ""))

    @property
    def messages(self) -> list[Json]:
        """Return the messages as they came."""
        found: list[Json] = self.body.get("messages", [])
        return found

    @property
    def tools(self) -> tuple[str, ...]:
        """Name the tools that the client itself runs (a server's own tools have no schema)."""
        return tuple(tool["name"] for tool in self.body.get("tools", []) if "input_schema" in tool)

    @property
    def first_message(self) -> str:
        """Return the text that opened the conversation."""
        return text_of(self.messages[0]["content"]) if self.messages else ""

    @property
    def last_message(self) -> str:
        """Return the text of the newest message."""
        return text_of(self.messages[-1]["content"]) if self.messages else ""

    @property
    def from_agent(self) -> bool:
        """Tell whether the client marked the request as a sub-agent's."""
        return "cc_is_subagent=true" in self.system

    @property
    def asks_for_summary(self) -> bool:
        """Tell whether this is a compaction, which offers tools but wants none of them called."""
        # Not only the last one: what a Stop hook said stands behind the question once more.
        said = [text_of(message["content"]) for message in self.messages[-2:] if message["role"] == "user"]
        return any("Do NOT call any tools" in text and "<summary>" in text for text in said)

    def blocks(self) -> Iterator[tuple[str, Json]]:
        """Yield every content block with the role that wrote it."""
        for message in self.messages:
            content = message["content"]
            for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                yield message["role"], block


@dataclass(frozen=True)
class Conversation:
    """Read what one conversation was sent, over all its requests."""

    requests: tuple[Request, ...]

    def texts(self) -> list[str]:
        """Return every text the model was sent, each once, in order; never its own words."""
        found: dict[str, None] = {}
        for request in self.requests:
            found[request.system] = None
            for role, block in request.blocks():
                if role != "assistant":
                    found[text_of([block])] = None
        return [text for text in found if text]

    @property
    def text(self) -> str:
        """Return every text in one piece."""
        return "\n".join(self.texts())

    def tool_results(self) -> list[ToolResult]:
        """Return the answered calls in the order they were made, as their answers were first sent."""
        return list(self.answers().values())

    def answers(self) -> dict[str, ToolResult]:
        """Return the same by the ids of the calls."""
        calls: dict[str, Call] = {}
        results: dict[str, ToolResult] = {}
        for request in self.requests:
            for _, block in request.blocks():
                if block["type"] == "tool_use":
                    calls[block["id"]] = Call(block["name"], block["input"])
                elif block["type"] == "tool_result":
                    name = block["tool_use_id"]
                    result = ToolResult(calls[name], text_of([block]), bool(block.get("is_error")))
                    results.setdefault(name, result)
        # Calls of one turn are answered in the order they end.
        return {name: results[name] for name in calls if name in results}

    @property
    def system_prompt(self) -> str:
        """Return the system prompt of the first request."""
        return self.requests[0].system if self.requests else ""

    @property
    def tools(self) -> tuple[str, ...]:
        """Name the tools offered in the first request."""
        return self.requests[0].tools if self.requests else ()


def text_of(content: Any) -> str:
    """Return the text of a string or of blocks, tool results included."""
    if isinstance(content, str):
        return content
    texts = [text_of(block.get("text") or block.get("content") or "") for block in content]
    return "\n".join(text for text in texts if text)
