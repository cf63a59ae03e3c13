"""A good plugin as a table of path and text, and small changes that make it faulty."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ultra_plugin.errors import Problem, Severity
from ultra_plugin.model import Bundle, BundleFile


@dataclass(frozen=True)
class Link:
    """A symlink."""

    target: str


@dataclass(frozen=True)
class Script:
    """A text with the executable bit."""

    text: str


Content = str | bytes | Link | Script | None
"""None takes a file away."""
Files = Mapping[str, Content]


def png(width: int = 512, height: int = 512) -> bytes:
    """Draw a black image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(height * (width + 1)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


MANIFEST = ".claude-plugin/plugin.json"
HOOKS = "hooks/hooks.json"
BRIEF = "commands/brief.md"
CRITIC = "agents/critic.md"
REVIEW = "skills/review/SKILL.md"

GOOD: dict[str, Content] = {
    MANIFEST: """\
{
  "name": "pipe",
  "version": "1.2.3",
  "description": "Takes a task from brief to plan to review",
  "author": {"name": "A. Uthor"},
  "license": "MIT",
  "homepage": "https://example.org/pipe"
}
""",
    ".claude-plugin/icon.png": png(),
    "README.md": """\
# Pipe

Pipe takes a task from a brief to a plan and then to a review, in three steps that each leave a file
behind. The next step reads that file and nothing else, so that you can stop after any of them, look at
what there is, change it by hand, and go on tomorrow where you stopped today.

    /plugin install pipe@example

Then type `/pipe:brief` in a project. The prompt is in [brief](commands/brief.md).
""",
    BRIEF: """\
---
description: Write the brief of a project and ask for what is missing
argument-hint: "[topic]"
allowed-tools: Read, Write, Bash(pipe:*), Task
model: opus
---
Write the brief about $ARGUMENTS.

Start with @${CLAUDE_PLUGIN_ROOT}/templates/brief.md and let pipe:critic read the result.
Then go on with /pipe:review.
""",
    CRITIC: """\
---
name: critic
description: Reads a brief and says what is missing or wrong
tools: Read, Grep
color: red
---
You read briefs.
""",
    REVIEW: """\
---
name: review
description: Reviews what was done against the brief of the project
allowed-tools:
  - Read
  - Bash(git diff:*)
---
Compare the work with the brief, as ${CLAUDE_SKILL_DIR}/questions.md asks.
""",
    "skills/review/questions.md": "# Questions\n\nIs it done?\n",
    "templates/brief.md": "# Brief\n\n## Goal\n",
    HOOKS: """\
{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash|Write",
        "hooks": [
          {"type": "command", "command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/scripts/guard.py"]}
        ]
      }
    ],
    "Stop": [
      {"hooks": [{"type": "command", "command": "sh \\"${CLAUDE_PLUGIN_ROOT}/scripts/stop.sh\\"", "timeout": 5}]}
    ]
  }
}
""",
    "scripts/guard.py": "print()\n",
    "scripts/stop.sh": "true\n",
    "bin/pipe": Script("#!/bin/sh\necho pipe\n"),
}


def text_of(path: str) -> str:
    """Return a text of the good plugin."""
    text = GOOD[path]
    assert isinstance(text, str)
    return text


def edit(path: str, old: str, new: str) -> dict[str, Content]:
    """Return a change that puts a text in the place of another, once."""
    text = text_of(path)
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
    return {path: text.replace(old, new)}


def add(path: str, line: str) -> dict[str, Content]:
    """Return a change that adds a line at the end of a file."""
    return {path: f"{text_of(path)}{line}\n"}


def changed(change: Files) -> dict[str, Content]:
    """Return the good plugin with a change."""
    return {path: content for path, content in {**GOOD, **change}.items() if content is not None}


def bundle_of(files: Files, name: str = "folder") -> Bundle:
    """Make a bundle of a table."""
    made = {path: _file(path, content) for path, content in files.items() if content is not None}
    return Bundle(name, "", made)


def _file(path: str, content: Content) -> BundleFile:
    if isinstance(content, Link):
        return BundleFile(path, content.target.encode(), symlink=True)
    if isinstance(content, Script):
        return BundleFile(path, content.text.encode(), executable=True)
    return BundleFile(path, content if isinstance(content, bytes) else (content or "").encode())


def write(folder: Path, files: Files) -> Path:
    """Write a table into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            os.symlink(content.target, target)
        elif content is not None:
            target.write_bytes(_file(path, content).content)
            target.chmod(0o755 if isinstance(content, Script) else 0o644)
    return folder


@dataclass(frozen=True)
class Case:
    """A change to the good plugin and the problem that it makes."""

    change: Files
    code: str
    path: str
    line: int
    severity: Severity = "warning"
    also: tuple[str, ...] = ()
    """Codes of other problems that the same change makes."""

    def __str__(self) -> str:
        return f"{self.code}@{self.path}:{self.line}"

    def assert_found_in(self, problems: list[Problem]) -> None:
        """Fail unless the problem is there, at its place, and no other."""
        shown = "\n".join(f"{problem.severity}: {problem}" for problem in problems)
        places = {(found.code, found.path, found.line, found.severity) for found in problems}
        assert (self.code, self.path, self.line, self.severity) in places, shown
        assert {found.code for found in problems} == {self.code, *self.also}, shown
