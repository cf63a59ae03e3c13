"""Speak the messages protocol on the loopback interface."""

from __future__ import annotations

import http.server
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from tests.client.conversation import Json, Refused, Request

Answer = Callable[[Request], Json]


class Refusal(Exception):
    """An answer that is an HTTP error."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.message)
        self.refused = refused


NOTHING: Mapping[str, str] = {}
REFUSAL = b'{"type": "error", "error": {"type": "invalid_request_error", "message": "the test failed"}}'


def events(message: Json) -> Iterator[tuple[str, Json]]:
    """Yield a whole message as the events of a stream."""
    yield "message_start", {"message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield "content_block_start", {"index": index, "content_block": start}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield "message_delta", {"delta": stop, "usage": message["usage"]}
    yield "message_stop", {}


def stream(message: Json) -> bytes:
    """Encode a message as server-sent events."""
    typed = ((kind, json.dumps({"type": kind, **data})) for kind, data in events(message))
    return "".join(f"event: {kind}\ndata: {data}\n\n" for kind, data in typed).encode()


class Server(http.server.ThreadingHTTPServer):
    """Answer requests with a function, on a port of its own."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer = answer
        self.failures: list[BaseException] = []
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Return the address to give to the client."""
        return f"http://127.0.0.1:{self.server_port}"

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and raise what went wrong while answering."""
        self.shutdown()
        self._thread.join()
        self.server_close()
        if self.failures:
            raise self.failures[0]

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep what went wrong, except that a client which was stopped hung up."""
        error = sys.exc_info()[1]
        if error is not None and not isinstance(error, ConnectionError):
            self.failures.append(error)


class Handler(http.server.BaseHTTPRequestHandler):
    """Translate between HTTP and the function that answers."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is inherited
        """Say nothing."""

    def reply(
        self,
        body: bytes,
        kind: str = "application/json",
        status: int = 200,
        headers: Mapping[str, str] = NOTHING,
    ) -> None:
        """Send one answer and close, so that no thread outlives the server."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def respond(self) -> None:
        """Answer any request; a failure of ours is a status that the client does not retry."""
        server = cast(Server, self.server)
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw) if self.command == "POST" and raw else {}
            answer = server.answer(Request(self.command, self.path, body))
        except Refusal as refusal:
            told = refusal.refused
            error = {"type": "error", "error": {"type": told.kind, "message": told.message}}
            self.reply(json.dumps(error).encode(), status=told.status, headers=told.headers)
            return
        except Exception as error:
            server.failures.append(error)
            self.reply(REFUSAL, status=400)
            return
        if body.get("stream"):
            self.reply(stream(answer), "text/event-stream")
        else:
            self.reply(json.dumps(answer).encode())

    do_GET = do_HEAD = do_POST = respond  # noqa: N815 - the names are inherited
