"""The source tree of a new plugin, with an example of each component that was asked for."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

LICENCES: Mapping[str, str] = MappingProxyType({
    "MIT": """\
MIT License

Copyright (c) @AUTHOR@

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
""",
    "UNLICENSED": "Copyright (c) @AUTHOR@. All rights reserved.\n",
})  # fmt: skip
SCHEMAS = ".schemas"
"""The folder of the JSON Schemas that editors use."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a new plugin is to be."""

    name: str
    description: str
    author: str
    license: str = "MIT"
    parts: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name that people read."""
        return self.name.replace("-", " ").title()


def scaffold(wanted: Wanted) -> dict[str, bytes]:
    """Return path -> content of the source tree."""
    folder = f"plugins/{wanted.name}"
    files: dict[str, str | bytes] = {
        "suite.yaml": _SUITE,
        "LICENSE": LICENCES[wanted.license],
        f"{folder}/plugin.yaml": _PLUGIN + (_runtime(wanted) if wanted.rooms else ""),
        f"{folder}/README.md.j2": _README,
        f"{folder}/.claude-plugin/icon.png": icon(),
    }
    for part in wanted.parts:
        files |= {path.replace("@", folder): text for path, text in PARTS[part].items()}
    return {path: _filled(wanted, content) for path, content in files.items()}


def _filled(wanted: Wanted, content: str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    words = {
        "NAME": wanted.name,
        "TITLE": wanted.title,
        "DESCRIPTION": quoted(wanted.description),
        "AUTHOR": wanted.author,
        "OWNER": quoted(wanted.author),
        "LICENCE": wanted.license,
        "ASKS": _ASKS if "agent" in wanted.parts else "",
    }
    for word, value in words.items():
        content = content.replace(f"@{word}@", value)
    return content.encode()


def quoted(text: str) -> str:
    """Return a text as a YAML string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _runtime(wanted: Wanted) -> str:
    return f"runtime:\n  launcher: @NAME@\n  rooms: [{', '.join(wanted.rooms)}]\n"


def icon(size: int = 512) -> bytes:
    """Return a PNG: a disc on a plain ground."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(_shades(size, y)) for y in range(size))
    header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows, 9)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _shades(size: int, y: int) -> Iterator[int]:
    middle, radius = size // 2, size * 3 // 8
    return (0xD8 if (x - middle) ** 2 + (y - middle) ** 2 < radius**2 else 0x30 for x in range(size))


_SUITE = f"""\
# yaml-language-server: $schema={SCHEMAS}/suite.schema.json
# What all plugins of this tree share, and the marketplace that offers them.
name: @NAME@
description: @DESCRIPTION@
owner:
  name: @OWNER@
license: @LICENCE@
version: 0.1.0
"""
_PLUGIN = f"""\
# yaml-language-server: $schema=../../{SCHEMAS}/plugin.schema.json
name: @NAME@
title: @TITLE@
description: @DESCRIPTION@
"""
_README = """\
# {{ plugin.title }}

{{ plugin.description }}

It is a plugin for Claude Code. Its commands begin with `/{{ plugin.name }}:`. Change this page so that a reader learns
what the plugin does, when to use it, what it changes on the machine and what it never does. A directory
of plugins asks for at least forty words.

## Install

    /plugin marketplace add PATH-OR-REPOSITORY
    /plugin install {{ plugin.name }}@{{ suite.name }}
"""
_ASKS = "\nThen ask the agent {{ agent('reviewer') }} for a second look, and show its answer.\n"
_COMMAND = """\
---
description: Explain a file or folder of this project in plain words
argument-hint: "[path]"
allowed-tools: Read, Grep, Glob
---
# Explain

Explain $ARGUMENTS to somebody who has not seen this project before.

{% include "fragments/tone.md.j2" %}
"""
_SECOND_COMMAND = """\
---
description: Look at the uncommitted changes and say what could go wrong
allowed-tools: Bash(git diff:*), Read, Task
---
# Second look

Read the output of `git diff` and list what could break, most likely first.

{% include "fragments/tone.md.j2" %}
@ASKS@"""
_FRAGMENT = """\
Write short sentences. Name files with their lines. Say what you did not look at.
"""
_AGENT = """\
---
name: reviewer
description: Reviews a change for mistakes and says how sure it is of each
tools: Read, Grep, Glob
---
You review one change. Report each mistake with file, line, reason and how sure you are.

{% include "fragments/tone.md.j2" %}
"""
_SKILL = """\
---
name: plain-words
description: Use when the user asks for documentation, a commit message or an explanation in plain words
---
# Plain words

Lead with what the reader gets. One idea per sentence. Replace nouns by verbs where you can.
"""
_HOOKS = """\
{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "python3",
            "args": ["-I", "-S", "${CLAUDE_PLUGIN_ROOT}/hooks/no_forced_push.py"],
            "timeout": 10
          }
        ]
      }
    ]
  }
}
"""
_HOOK = '''\
"""Block a forced push: exit 2 makes the client refuse the call and show the message to the model."""

import json
import sys

command = json.load(sys.stdin).get("tool_input", {}).get("command", "")
words = command.split()
if "push" in words and {"--force", "-f"} & set(words):
    print("A forced push overwrites what others pushed; push without --force.", file=sys.stderr)
    sys.exit(2)
'''
_CASES = """\
# ultra-plugin test runs these: an event, and the answer that the plugin's hooks must give.
plugin: @NAME@
cases:
  - name: a forced push is blocked
    event: PreToolUse
    input: {tool_name: Bash, tool_input: {command: git push --force}}
    status: 2
    says: without --force
  - name: a plain push is not
    event: PreToolUse
    input: {tool_name: Bash, tool_input: {command: git push}}
"""
_SERVERS = """\
{
  "mcpServers": {
    "clock": {
      "command": "python3",
      "args": ["${CLAUDE_PLUGIN_ROOT}/servers/clock.py"]
    }
  }
}
"""
_SERVER = '''\
"""An MCP server with one tool, in the standard library alone: JSON-RPC, one message per line."""

import datetime
import json
import sys

TOOL = {
    "name": "now",
    "description": "Return the current time in UTC",
    "inputSchema": {"type": "object", "properties": {}},
}


def answer(method: str, params: dict) -> dict:
    """Return the result of one request."""
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "clock", "version": "0.1.0"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        return {"content": [{"type": "text", "text": now}]}
    return {}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = answer(request.get("method", ""), request.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
'''
_STYLE = """\
---
name: Brief
description: Answers in at most three sentences
keep-coding-instructions: true
---
Answer in at most three sentences. Give details when the user asks for them.
"""

PARTS: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "command": {
        "fragments/tone.md.j2": _FRAGMENT,
        "@/commands/explain.md.j2": _COMMAND,
        "@/commands/second-look.md.j2": _SECOND_COMMAND,
    },
    "agent": {"fragments/tone.md.j2": _FRAGMENT, "@/agents/reviewer.md.j2": _AGENT},
    "skill": {"@/skills/plain-words/SKILL.md": _SKILL},
    "hook": {"@/hooks/hooks.json": _HOOKS, "@/hooks/no_forced_push.py": _HOOK, "tests/hooks.yaml": _CASES},
    "mcp": {"@/.mcp.json": _SERVERS, "@/servers/clock.py": _SERVER},
    "output-style": {"@/output-styles/brief.md": _STYLE},
})  # fmt: skip
"""Part -> its files; @ is the folder of the plugin."""
DEFAULT_PARTS: Sequence[str] = ("command", "agent", "skill", "hook")
