"""The reference texts that a dispatch carries: exactly the sections of the table, each of them whole."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from ultra_plugin.cli.build import _bill
from ultra_plugin.excerpts import savings
from ultra_plugin.model import Bundle, BundleFile
from ultra_plugin.report import PluginReport

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


MODELS = {
    "specifier": "opus", "planner": "opus", "scheduler": "haiku", "builder": "sonnet", "verifier": "haiku",
    "committer": "haiku",
}  # fmt: skip
MOST_TOKENS = 220


def test_the_build_says_what_the_sections_save(works_bundle: Path) -> None:
    paths = [
        *(works_bundle / "references").iterdir(),
        works_bundle / "runtime/ultra_runtime/tables/references.py",
    ]
    files = {
        (name := str(path.relative_to(works_bundle))): BundleFile(name, path.read_bytes()) for path in paths
    }
    whole = sum(len(path.read_text()) for path in paths[:-1])
    told = PluginReport("p", "1", "f", "z", 1, 1, 0, (), savings(Bundle("p", "1", files)))
    lines = [line for line in _bill(told) if "references for" in line]
    assert [line.split()[2].strip(":") for line in lines] == [*TABLE]
    for line in lines:
        cut, total, less = (int(word) for word in re.findall(r"\d+", line))
        assert (abs(total - whole / 4) <= 1, cut < 0.55 * total, less >= 45) == (True, True, True)


def front_matter(file: Path) -> dict[str, str]:
    head = file.read_text().split("---\n")[1]
    return {name: value for name, _, value in (line.partition(": ") for line in head.splitlines())}


def test_six_agents_have_the_models_of_the_table_and_none_can_spawn_another(works_bundle: Path) -> None:
    heads = {file.stem: front_matter(file) for file in (works_bundle / "agents").iterdir()}
    assert {name: head["model"] for name, head in heads.items()} == MODELS
    assert not [
        name for name, head in heads.items() if {"Agent", "Task", "Skill"} & {*head["tools"].split(", ")}
    ]


def test_the_plugin_costs_a_session_little_until_it_is_used(works_bundle: Path) -> None:
    files = [*(works_bundle / "agents").iterdir(), *(works_bundle / "commands").iterdir()]
    listed = [f"sdd-pipeline:{file.stem}: {front_matter(file)['description']}" for file in files]
    assert len(listed) == 10
    assert sum(map(len, listed)) / 4 <= MOST_TOKENS
