"""The rules of a work's files, in the process: which tasks, files and commands they report, and at which line."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contracts.conftest import FIXTURES
from tests.kit.names import SOURCES
from tests.kit.table import each
from ultra_plugin.config import load
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import contract as contract_table
from ultra_plugin.tables.fields import field_names
from ultra_runtime.contract import quoted, rules
from ultra_runtime.contract.model import Contract
from ultra_runtime.contract.result import Report
from ultra_runtime.contract.rows import ACTIONS
from ultra_runtime.contract.validation import validate_data
from ultra_runtime.text.markdown import parse

SUITE = load(SourceTree(SOURCES))


def of_works(name: str) -> Contract:
    """Return a contract of the plugin with works, with its rules."""
    space: dict[str, Any] = {}
    exec(contract_table.contract_module(SUITE.contracts[name]), space)  # noqa: S102
    found: Contract = space["CONTRACT"]
    return found


@pytest.fixture(autouse=True, scope="module")
def names_of_works() -> Iterator[None]:
    """Let the rules use the names of these contracts; the tables of the tests are those of another plugin."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("work_plan", "task"):
            names = SimpleNamespace(**dict(field_names(SUITE.contracts[name])))
            patch.setattr(rules, f"{name}_fields", names)
        yield


PLAN, TASK = of_works("work_plan"), of_works("task")


def found_in(contract: Contract, text: str) -> list[tuple[str, int | None]]:
    """Return the codes and the lines of what is wrong with a text."""
    result = validate_data(contract, text.encode(), "p")
    return [(one.code, one.line) for one in (*result.errors, *result.warnings)]


def circular(graph: dict[str, list[str]]) -> set[str]:
    """Return the tasks that can be reached from themselves."""
    ways = {one: set(others) for one, others in graph.items()}
    for _ in graph:
        ways = {
            one: others.union(*(ways.get(other, set()) for other in others)) for one, others in ways.items()
        }
    return {one for one in graph if one in ways[one]}


IDS = st.sampled_from(["00", "01", "02", "03"])
TASKS = st.lists(st.tuples(IDS, st.lists(IDS, max_size=2, unique=True)), min_size=1, max_size=4)


@given(TASKS, st.sampled_from(["direct", "pipeline", "full"]))
def test_tasks_have_their_own_ids_known_dependencies_and_no_cycle(
    tasks: list[tuple[str, list[str]]], mode: str
) -> None:
    head = (FIXTURES / "work-plan/valid.md").read_text().partition("\n### ")[0]
    lines = head.replace("Execution-Mode: full", f"Execution-Mode: {mode}").split("\n")
    at = []
    for task, others in tasks:
        named = ", ".join(f"TASK-{other}" for other in others) or "none"
        lines += ["", f"### TASK-{task}: Do it", "", f"- Depends on: {named}", "- Scope: x", "- Files: `x`"]
        at.append(len(lines) - 4)
    graph, where = dict(tasks), dict(zip([task for task, _ in tasks], at, strict=True))
    names = [task for task, _ in tasks]
    wrong = [("WORKPLAN_BAD_VALUE", at[n]) for n, task in enumerate(names) if task in names[:n]]
    wrong += [
        ("WORKPLAN_UNKNOWN_TASK", where[one]) for one in graph for other in graph[one] if other not in graph
    ]
    fits = {"direct": names == ["00"], "pipeline": len(names) == 1, "full": len(names) > 1}[mode]
    wrong += [] if fits else [("WORKPLAN_MODE_MISMATCH", 5)]
    assert lines[4] == f"> Execution-Mode: {mode}"
    found = found_in(PLAN, "\n".join([*lines, ""]))
    has = ", ".join(f"TASK-{name}" for name in names)
    result = validate_data(PLAN, "\n".join([*lines, ""]).encode(), "p")
    told = [one.message for one in result.errors if one.code == "WORKPLAN_MODE_MISMATCH"]
    assert [message.partition(" is ")[2] for message in told] == [f"{mode}, with {has}"] * (not fits)
    cycles = [line for code, line in found if code == "WORKPLAN_CYCLE"]
    assert sorted(one for one in found if one[0] != "WORKPLAN_CYCLE") == sorted(wrong)
    round_ = {where[one] for one in circular(graph)}
    assert len(cycles) == bool(round_)
    assert set(cycles) <= round_


FILES = [
    *((f"| a/b.py | {action} | x |", []) for action in ACTIONS),
    ("| a/b.py | COPY | x |", ["TASK_BAD_FILE"]),
    ("| /a | CREATE | x |", ["TASK_BAD_FILE"]),
    ("| a | CREATE | x |\n| ../b | MODIFY | x |\n| c | x | x |", ["TASK_BAD_FILE", "TASK_BAD_FILE"]),
    ("", ["TASK_NO_FILES"]),
]
COMMANDS = [("- `make test`", []), ("- make test", ["TASK_NO_VERIFY"]), ("Run `x`.", ["TASK_NO_VERIFY"])]


@each((*row, *command) for row in FILES for command in COMMANDS)
def test_a_task_names_files_with_actions_and_a_command(
    rows: str, of_files: list[str], verify: str, of_verify: list[str]
) -> None:
    text = (FIXTURES / "task/valid.md").read_text()
    text = text.replace("| greet.py | CREATE | the function |\n", f"{rows}\n" if rows else "")
    front, _, _ = text.partition("\n## Verify\n")
    text = f"{front}\n## Verify\n\n{verify}\n"
    lines = text.split("\n")
    expected = [(code, lines.index("## Files") + 1) for code in of_files]
    expected += [(code, lines.index("## Verify") + 1) for code in of_verify]
    assert found_in(TASK, text) == expected


@each(["requirement", "work-plan", "task", "task-progress", "task-result", "work-progress", "work-list"])
def test_a_section_ends_before_the_next_heading(artifact: str) -> None:
    contract = of_works(artifact.replace("-", "_"))
    text = (FIXTURES / artifact / "valid.md").read_text()
    found = quoted._sections(Report(contract, "p"), parse(text), "", {})
    heads = [line.removeprefix("## ") for line in text.split("\n") if line.startswith("## ")]
    assert set(found) == {name for name in heads if name in {one.name for one in contract.sections}}
    for name, inside in found.items():
        between = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert inside == between.strip()
