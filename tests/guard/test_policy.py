"""The policy files: their shape, and their examples, which are tests."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import POLICY as POLICY_FOLDER
from tests.guard.policy_tables import load, policy, tables
from tests.kit.table import each
from ultra_runtime.guard import follow
from ultra_runtime.guard.first_look import may_match
from ultra_runtime.guard.follow.ask import logic
from ultra_runtime.guard.follow.kinds import EVENTS
from ultra_runtime.guard.paths import PathContext, path_verdict
from ultra_runtime.rendered import table

POLICY, TABLES = policy(), tables()
COMMAND_RULES = load("commands.yaml")
PATH_RULES = load("paths.yaml")
FIELDS = {"id", "verdict", "title", "why", "instead", "examples"}


def _examples(rules: list[dict[str, Any]], kind: str) -> list[Any]:
    return [(rule["id"], text) for rule in rules for text in rule["examples"][kind]]


@pytest.mark.parametrize("rule", COMMAND_RULES + PATH_RULES, ids=lambda rule: rule["id"])
def test_every_rule_says_what_why_and_what_instead(rule: dict[str, Any]) -> None:
    assert set(rule) >= FIELDS
    assert set(rule) <= FIELDS | {"logic", "patterns", "unless", "only"}
    assert rule["verdict"] in ("block", "ask", "warn")
    assert all(isinstance(rule[field], str) and rule[field].strip() for field in FIELDS - {"examples"})
    assert rule["examples"]["match"]
    assert rule["examples"]["pass"]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_the_rendered_tables_say_what_the_files_say(name: str) -> None:
    assert getattr(table("policy"), name) == TABLES[name]


def test_no_table_is_rendered_besides_these() -> None:
    assert {name for name in vars(table("policy")) if name.isupper()} == {*TABLES}


def test_ids_are_unique() -> None:
    ids = [rule["id"] for rule in COMMAND_RULES + PATH_RULES]
    assert len(ids) == len(set(ids))


def test_every_function_that_a_rule_names_is_found() -> None:
    places = {
        place
        for table in (POLICY.commands, POLICY.sources, POLICY.events)
        for uses in table.values()
        for _, place in uses
        if place
    }
    assert len(places) > 30
    for place in places:
        assert logic(place).__name__ == place.partition(".")[2]


def test_every_event_of_the_guard_is_in_its_table() -> None:
    raised = {
        name
        for path in Path(follow.__file__).parent.glob("*.py")
        for name in re.findall(r"""(?:\.event\(|rules\.append\()"(\w+)\"""", path.read_text())
    }
    assert raised == set(EVENTS)
    calls = [
        node
        for path in Path(follow.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "event"
    ]
    named = [
        (call.args[0].value, len(call.args) - 1) for call in calls if isinstance(call.args[0], ast.Constant)
    ]
    assert {EVENTS[str(name)] == about for name, about in named} == {True}
    assert {EVENTS[name] for name in raised - {name for name, _ in named}} == {0}  # rules of programs


@each(_examples(COMMAND_RULES, "match"))
def test_example_matches(rule: str, command: str) -> None:
    verdict = verdict_for(command, POLICY)
    assert verdict.rule == rule
    assert verdict.verdict == POLICY.rules[rule][0]
    assert verdict.instead == POLICY.rules[rule][3]
    assert POLICY.rules[rule][1] in verdict.reason
    assert may_match(command)


@each(_examples(COMMAND_RULES, "pass"))
def test_example_passes(rule: str, command: str) -> None:
    verdict = verdict_for(command, POLICY)
    assert (verdict.verdict, verdict.rule) == ("allow", "")


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> PathContext:
    base = tmp_path_factory.mktemp("place")
    for folder in ("repo", "home"):
        (base / folder).mkdir()
    return PathContext(str(base / "repo"), str(base / "repo"), str(base / "home"))


@pytest.mark.parametrize(("rule", "path"), _examples(PATH_RULES, "match"))
def test_path_example_matches(rule: str, path: str, place: PathContext) -> None:
    assert path_verdict(path, place, POLICY).rule == rule


@pytest.mark.parametrize(("rule", "path"), _examples(PATH_RULES, "pass"))
def test_path_example_passes(rule: str, path: str, place: PathContext) -> None:
    assert path_verdict(path, place, POLICY).verdict == "allow"


SECRET_FILES = yaml.safe_load((POLICY_FOLDER / "paths.yaml").read_text(encoding="utf-8"))["secret_files"]


@pytest.mark.parametrize("kind", ["match", "pass"])
def test_files_that_nothing_quotes_are_known_by_their_names(bundle: Path, kind: str) -> None:
    code = "import sys; from ultra_runtime.files.secret_files import may_hold_secrets as m; print(*map(m, sys.argv[1:]))"
    names = SECRET_FILES["examples"][kind]
    said = subprocess.run(
        [sys.executable, "-c", code, *names],
        env={"PYTHONPATH": str(bundle / "runtime")},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert said.stdout.split() == [str(kind == "match")] * len(names)
