"""A second plugin beside the flagship in a copy of the sources: the guard alone, under a launcher of its own."""

from __future__ import annotations

from pathlib import Path

from tests.kit.files import Content, write_tree
from tests.kit.names import NAME as FLAGSHIP
from tests.kit.sources import copy_of_sources
from ultra_plugin.pipeline import checked
from ultra_plugin.source import SourceTree
from ultra_plugin.tree import write

NAME = "fence"
SETTINGS = """\
name: fence
title: Fence
description: Stops commands that destroy what cannot be brought back, and nothing else.
keywords: [guard]
runtime:
  launcher: fence
  rooms: [guard]
options:
  guard:
    type: string
    title: Guard
    description: "Where the guard stops blocked commands: ask, always or off"
    default: always
"""
HOOKS = """\
{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash|Write|Edit",
        "hooks": [
          {
            "type": "command",
            "command": "python3",
            "args": ["-I", "-S", "-X", "utf8", "${CLAUDE_PLUGIN_ROOT}/runtime/ultra_runtime/hooks/guard.py"],
            "timeout": 10
          }
        ]
      }
    ]
  }
}
"""
README = """\
# {{ plugin.title }}

{{ plugin.description }} It reads each command before the client runs it, and it denies the few that nobody can take
back: a deleted home folder, a formatted disk, a rewritten history. Ask it about a command with
`{{ verb('check-command') }}` and about a path with `{{ verb('check-path') }}`.

{{ verbs_table() }}

## Install

    /plugin install {{ plugin.name }}@{{ suite.name }}
"""


def copy_sources(folder: Path, settings: str = SETTINGS) -> Path:
    """Return a copy of the sources with the plugin in it."""
    source = copy_of_sources(folder)
    flagship = source / "plugins" / FLAGSHIP
    own: dict[str, Content] = {
        "plugin.yaml": settings,
        "README.md.j2": README,
        "hooks/hooks.json": HOOKS,
        "icon/icon.png": (flagship / "icon/icon.png").read_bytes(),
    }
    write_tree(source / "plugins" / NAME, own)
    return source


def build(source: Path, out: Path) -> Path:
    """Build every plugin of the sources and return the folder that holds them."""
    bundles, _ = checked(SourceTree(source), out.name)
    write(bundles, out)
    return out
