"""The policy files: their shape, and their examples, which are tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.guard.policy_tables import POLICY as POLICY_FOLDER
from tests.guard.policy_tables import load, policy, tables
from ultra_runtime.guard.first_look import may_match
from ultra_runtime.guard.follow import logic
from ultra_runtime.guard.paths import PathContext, path_verdict
from ultra_runtime.guard.verdict import verdict_for

POLICY = policy()
COMMAND_RULES = load("commands.yaml")
PATH_RULES = load("paths.yaml")
FIELDS = {"id", "verdict", "title", "why", "instead", "examples"}


def _examples(rules: list[dict[str, Any]], kind: str) -> list[Any]:
    return [
        pytest.param(rule["id"], text, id=f"{rule['id']}-{at}")
        for rule in rules
        for at, text in enumerate(rule["examples"][kind])
    ]


@pytest.mark.parametrize("rule", COMMAND_RULES + PATH_RULES, ids=lambda rule: rule["id"])
def test_every_rule_says_what_why_and_what_instead(rule: dict[str, Any]) -> None:
    assert set(rule) >= FIELDS
    assert set(rule) <= FIELDS | {"logic", "patterns", "unless"}
    assert rule["verdict"] in ("block", "warn")
    assert all(isinstance(rule[field], str) and rule[field].strip() for field in FIELDS - {"examples"})
    assert rule["examples"]["match"]
    assert rule["examples"]["pass"]


def test_ids_are_unique() -> None:
    ids = [rule["id"] for rule in COMMAND_RULES + PATH_RULES]
    assert len(ids) == len(set(ids))


def test_every_logic_that_a_rule_names_exists_and_every_one_is_named() -> None:
    made = tables()
    asked = {use for uses in made["COMMANDS"].values() for _, use in uses}
    assert asked == set(logic.COMMAND_LOGIC)
    sources = {use for uses in made["SOURCES"].values() for _, use in uses}
    assert sources == set(logic.SOURCE_LOGIC)
    events = {use for uses in made["EVENTS"].values() for _, use in uses if use}
    assert events == set(logic.EVENT_LOGIC)
    for table in (logic.COMMAND_LOGIC, logic.SOURCE_LOGIC, logic.EVENT_LOGIC):
        for name in table:
            assert callable(logic.logic(table, name))


def test_the_tables_are_literals() -> None:
    made = tables()
    for name, table in made.items():
        assert eval(repr(table)) == table, name  # noqa: S307 - our own literals


@pytest.mark.parametrize(("rule", "command"), _examples(COMMAND_RULES, "match"))
def test_example_matches(rule: str, command: str) -> None:
    verdict = verdict_for(command, POLICY)
    assert verdict.rule == rule
    assert verdict.verdict == POLICY.rules[rule][0]
    assert verdict.instead == POLICY.rules[rule][3]
    assert POLICY.rules[rule][1] in verdict.reason
    assert may_match(command)


@pytest.mark.parametrize(("rule", "command"), _examples(COMMAND_RULES, "pass"))
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
