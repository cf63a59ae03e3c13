"""A small, complete source tree, written out where a test can see and change it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

from tests.kit.files import write_tree

SUITE = """\
name: acme
description: Tools of the Acme company for Claude Code.
owner: {name: Acme}
license: MIT
oldest_client: 2.1.197
version: 1.2.3
"""

PLUGIN = """\
name: acme-plan
title: Acme Plan
description: Plans what Acme does next and says why it should.
pipeline:
  brief: {command: acmebrief}
  review: {command: acmereview}
"""

CONTRACT = """\
artifact: work-order
title: Work order
handover: 1
prefix: ORDER
format: json
producer: brief
consumer: review
summary: What is to be done.
places: [{path: "works/order.json", when: always}]
version: {field: schema_version, current: 1}
modes: {write: {mode: strict, means: strictly}, read: {mode: strict, means: strictly}}
stability: {strength: strict, owner: Acme, risk: low}
failure_modes: The order is refused.
fields:
  schema_version: {type: integer, means: Version of this contract.}
  state: {type: text, means: How far it is., values: {open: Not begun., shut: Over.}}
sections:
  Reason: {means: Why it is done.}
codes:
  ORDER_PARSE_ERROR: {severity: error, means: It is not JSON., remedy: Write it again.}
"""

COMMAND = """\
---
description: Write the brief of a piece of work for Acme
argument-hint: "[task]"
allowed-tools: Read
---
# Brief

{% include "fragments/rules.md.j2" %}

Ask {{ agent('critic') }}, then go on with {{ command('review') }}.
"""

README = """\
# {{ plugin.title }}

{{ plugin.description }} This text is here because a plugin without a description of some forty words is not taken
by the directory, and because a reader wants to know what it does, how it is installed and what it costs before
anything is put onto the machine.

## Install

    /plugin install {{ plugin.name }}@{{ suite.name }}
"""


def icon(size: int = 512) -> bytes:
    """Return a plain black PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"\0" * (size * size + size))
    header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def sample() -> dict[str, str | bytes]:
    """Return path -> text of the whole tree."""
    folder = "plugins/acme-plan"
    return {
        "suite.yaml": SUITE,
        "LICENSE": "MIT License: do as you like.\n",
        "contracts/work-order.yaml": CONTRACT,
        "fragments/rules.md.j2": "Rule: {{ contract.work_order.values('state') }} are the states.\n",
        f"{folder}/plugin.yaml": PLUGIN,
        f"{folder}/README.md.j2": README,
        f"{folder}/icon/icon.png": icon(),
        f"{folder}/commands/brief.md.j2": COMMAND,
        f"{folder}/commands/review.md.j2": "---\ndescription: Review a piece of work against its brief\n---\nReview it.\n",
        f"{folder}/docs/commands/brief.md.j2": "# The brief\n",
        f"{folder}/docs/commands/review.md.j2": "# The review\n",
        f"{folder}/agents/critic.md.j2": (
            "---\nname: critic\ndescription: Finds what is wrong with a brief and says so\ntools: Read\n---\nCriticise.\n"
        ),
    }


def write_sample(root: Path, changes: Mapping[str, str | bytes | None] | None = None) -> Path:
    """Write the tree below root/plugin_src and return that folder; a change to None leaves a file out."""
    files = {**sample(), **(changes or {})}
    return write_tree(root / "plugin_src", {path: text for path, text in files.items() if text is not None})
