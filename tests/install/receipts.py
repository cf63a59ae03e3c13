"""A receipt of an installed plugin, and what it names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.kit.files import write_tree
from ultra_plugin.install.names import RECEIPT
from ultra_plugin.install.place import Place
from ultra_plugin.install.receipt import Receipt, Recorded
from ultra_plugin.install.settings import Granted
from ultra_plugin.install.steps import Change, Step
from ultra_plugin.install.survey import sha256

RULE = "Bash(ultra:*)"


SOUND = Receipt(
    plugin="sample", version="1.0.0", scope="user", installed_at="2026-01-31T00:00:00Z", origin="sample.zip", installer="1",
    files={"README.md": Recorded(sha256(b"ours"), 0o644), "bin/run": Recorded(sha256(b"run"), 0o755)}, granted=Granted((RULE,), "allow"),
    commands={"plan": sha256(b"plan")}, kept=("README.md.kept-0.9.0",), made=1, made_commands=True,
)  # fmt: skip


def put(place: Place, receipt: Receipt = SOUND, name: str = "sample") -> Path:
    """Install what a receipt names."""
    folder = place.plugin(name)
    write_tree(folder, {"README.md": "ours", "bin/run": "run", RECEIPT: receipt.dump()})
    return folder


def changed(**values: Any) -> bytes:
    return json.dumps({**json.loads(SOUND.dump()), **values}).encode()


def command(name: str, content: bytes | None, before: bytes | None = None) -> Change:
    """Return the change of a command's file; one with a wrong `before` fails when it is done."""
    digests = (sha256(text) if text is not None else None for text in (before, content))
    return Change(Step("command", name, *digests), content)
