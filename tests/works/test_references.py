"""The reference texts that a dispatch carries: exactly the sections of the table, each of them whole."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TABLE = {
    "specifier+planner": {"shared": "1 2 7 8 9 11", "files": "0 1 2 3", "xml": "1 3", "log": "1"},
    "scheduler": {"shared": "4 8 10", "files": "1 6", "xml": "1 3 4 5", "context": "*", "log": "1"},
    "builder": {"shared": "1 2 10 12", "files": "2 3", "xml": "1 2 4", "context": "Builder", "log": "1"},
    "verifier+committer": {
        "shared": "1 2 8 10 12", "files": "3 4 5 6 7", "xml": "1 2 4", "context": "Verifier Committer", "log": "1",
    },
}  # fmt: skip


def sections(text: str) -> dict[str, str]:
    """Return the sections of a reference file by number or name, reading line by line."""
    found: dict[str, list[str]] = {}
    key, fenced = "", False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        heading = re.fullmatch(r"## (?:(\d+)\. )?(.+)", line)
        if heading and not fenced:
            key = heading[1] or heading[2]
        if key:
            found.setdefault(key, []).append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


@pytest.mark.parametrize("agent", TABLE)
def test_an_agent_gets_exactly_the_sections_of_the_table(works_bundle: Path, agent: str) -> None:
    module = (works_bundle / "runtime/ultra_runtime/tables/references.py").read_text()
    texts = ast.literal_eval(module.partition("TEXTS = ")[2])
    expected = []
    for name, keys in TABLE[agent].items():
        there = sections((works_bundle / f"references/{name}.md").read_text())
        wanted = [*there] if keys == "*" else keys.split()
        expected.append("\n\n".join([f"# {name}", *(there[key] for key in wanted)]))
    assert texts.keys() == TABLE.keys()
    assert texts[agent] == "\n\n".join(expected)
    assert texts[agent].count("```") % 2 == 0
