"""Start every MCP server of a plugin that runs on this machine, and ask it for its tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ultra_plugin.check.servers import declared_servers
from ultra_plugin.exercise.outcome import Outcome, Place

_PROTOCOL = "2025-06-18"
_CALLS = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": _PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "ultra-plugin", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)


def server_outcomes(place: Place) -> Iterator[Outcome]:
    """Try each server."""
    for name, server in declared_servers(place.subject):
        what, command = f"MCP server {name}", server.get("command")
        if not isinstance(command, str):
            yield place.outcome(what, "a remote server needs the network", ran=False)
        elif reason := place.missing(command):
            yield place.outcome(what, reason, ran=False)
        else:
            yield place.outcome(what, _fault(place, server))


def _fault(place: Place, server: Mapping[str, Any]) -> str:
    """Return what is wrong with a server's answers, or empty text; it ends when its input does."""
    arguments, variables = server.get("args"), server.get("env")
    words = [server["command"], *(arguments if isinstance(arguments, list) else [])]
    given = "".join(json.dumps(call) + "\n" for call in _CALLS)
    more = variables if isinstance(variables, dict) else {}
    settings = [f"{key}={place.filled(str(value))}" for key, value in more.items()]
    call = [place.filled(str(word)) for word in words]
    status, said, errors = place.run(["env", *settings, *call] if settings else call, given)
    answers = {answer["id"]: answer for answer in _answers(said) if "id" in answer}
    for number, asked in ((1, "initialize"), (2, "tools/list")):
        answer = answers.get(number)
        if answer is None:
            last = errors.strip().splitlines()[-1:]
            how = f" (status {status})" if status >= 0 else ""
            return f"did not answer {asked}{how}{': ' + last[0] if last else ''}"
        if number == 1 and "result" not in answer:
            return f"refused {asked}: {answer.get('error')}"
    return ""


def _answers(said: str) -> Iterator[dict[str, Any]]:
    for line in said.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value
