"""Commands with the verdict that they must get: our own, and a corpus of others' where this machine has it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.kit.names import ROOT

CASES = Path(__file__).parent / "cases"
CORPUS = ROOT.parent / "shared" / "corpus" / "commands.jsonl"


def cases(name: str) -> list[str]:
    """Read commands, one a line; a line that starts with a double quote is a JSON string."""
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    assert len(lines) > 500
    return [json.loads(line) if line.startswith('"') else line for line in lines]


def every_row() -> list[str]:
    """Return all commands; without the corpus still more than a thousand."""
    others = CORPUS.read_text(encoding="utf-8").splitlines() if CORPUS.is_file() else []
    return [*cases("block.txt"), *cases("allow.txt"), *(json.loads(line)["command"] for line in others)]
