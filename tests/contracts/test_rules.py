"""The rules that a contract names: each compared with its sentence, for all combinations on both sides of its limits."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.names import SOURCES
from ultra_runtime.contract.dependencies import distances, find_cycle, in_order, states
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.validation import validate_data

FIXTURES = SOURCES / "contracts/fixtures"
SHA = "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"
FIRST, SECOND = "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33", "62cdb7020ff920e5aa642c3d4066950dd1f01f4d"


def codes(kind: str, text: str) -> set[str]:
    """Return the codes that an artifact gets."""
    result = validate_data(load_contract(kind), text.encode(), "here")
    return {issue.code for issue in (*result.errors, *result.warnings)}


def valid(kind: str, ending: str) -> str:
    return (FIXTURES / kind / f"valid.{ending}").read_text()


STATUSES = ("pending", "in_progress", "completed", "failed", "skipped", "deferred", "blocked")
BEGUN = ("in_progress", "completed", "failed", "blocked")


@given(
    total=st.integers(-1, 3),
    current=st.integers(0, 4),
    numbers=st.sets(st.sampled_from(["0", "1", "2", "3"])),
    status=st.sampled_from(STATUSES),
    attempts=st.integers(0, 1),
    start=st.booleans(),
    begin=st.booleans(),
)
def test_progress_counts_its_steps_and_names_where_they_began(
    total: int, current: int, numbers: set[str], status: str, attempts: int, start: bool, begin: bool
) -> None:
    record = {"status": status, "attempts": attempts, **({"start_commit": SHA} if begin else {})}
    values: dict[str, Any] = json.loads(valid("progress", "json"))
    values |= {"total_steps": total, "current_step": current, "steps": dict.fromkeys(sorted(numbers), record)}
    if not start:
        del values["session_start_sha"]
    begun = bool(numbers) and (status in BEGUN or attempts > 0)
    expected = {
        "PROGRESS_STEP_RANGE": current > total >= 0,
        "PROGRESS_STEP_COUNT_MISMATCH": len(numbers - {"0"}) != total,
        "PROGRESS_MISSING_FIELD": begun and not start,
        "PROGRESS_LEGACY_VALUE": begun and not begin,
    }
    found = codes("progress", json.dumps(values))
    assert {code for code, holds in expected.items() if holds} == found & set(expected)


@pytest.mark.parametrize("quality", ["complete", "partial"])
@pytest.mark.parametrize("status", ["pending", "skipped"])
@pytest.mark.parametrize("topics", [0, 1, 2])
def test_skipped_research_of_topics_needs_a_partial_brief(topics: int, status: str, quality: str) -> None:
    head, _, body = valid("brief", "md").removeprefix("---\n").partition("\n---\n")
    given = {"research_topics": topics, "research_status": status, "brief_quality": quality}
    kept = [line for line in head.split("\n") if line.partition(":")[0] not in given]
    rows = [*kept, *(f"{name}: {value}" for name, value in given.items())]
    found = codes("brief", "---\n{}\n---\n{}".format("\n".join(rows), body))
    wrong = status == "skipped" and topics > 0 and quality != "partial"
    assert any(code.endswith("STATE_INCOHERENT") for code in found) == wrong


@pytest.mark.parametrize(
    ("row", "fits"),
    [
        *((f"ports: [{one}, {other}]", one <= other) for one, other in itertools.product((4000, 4001), repeat=2)),
        ("ports: [4000]", False),
        ("ports: [4000, 4001, 4002]", False),
        *((f'dependencies: ["{name}"]', fits) for name, fits in (
            ("node_modules", True), ("..x", True), ("", False), (".", False), ("..", False), ("a/b", False), ("/", False),
        )),
        ("hub: ssh://git@host/x.git", True),
        ("hub: https://user:word@host/x.git", False),
    ],
)  # fmt: skip
def test_settings_have_a_range_of_ports_names_of_folders_and_no_login(row: str, fits: bool) -> None:
    assert (codes("settings", f"{row}\n") == set()) == fits


@pytest.mark.parametrize(
    "listed", [[], [FIRST], [FIRST, SECOND], [FIRST, SECOND, SECOND], [FIRST, FIRST, SECOND, SECOND]]
)
@pytest.mark.parametrize(
    "told", [[], [FIRST], [SECOND], [FIRST, SECOND], [FIRST, FIRST, SECOND], [FIRST, "no-id"]]
)
def test_every_finding_is_listed_once_and_told_once(listed: list[str], told: list[str]) -> None:
    text = valid("review", "md")
    head, _, rest = text.partition("\nfindings:\n")
    after = rest[rest.index("verdict:") :]
    before, _, details = after.partition("\n### ")
    _, _, closing = details.rpartition("\n## ")
    part = details.partition("\n")[2].partition("\n## ")[0].partition("\n### ")[0]
    rows = "".join(f"  - {name}\n" for name in listed)
    shown = "".join(f"\n### {name}\n{part}\n" for name in told)
    key = f"findings:\n{rows}" if listed else "findings: []\n"
    found = codes("review", f"{head}\n{key}{before}{shown}\n## {closing}")
    twice = len(set(listed)) < len(listed) or len(set(told)) < len(told)
    assert ("REVIEW_BAD_FINDING_ID" in found) == (twice or "no-id" in told)
    assert ("REVIEW_FINDING_ORPHAN" in found) == ({*listed} != {*told} - {"no-id"})


GRAPHS = st.dictionaries(
    st.sampled_from("abcd"), st.lists(st.sampled_from("abcde"), max_size=3, unique=True), max_size=4
)


def reached(graph: dict[str, list[str]], start: Iterable[str]) -> list[set[str]]:
    """Return what is one, two, three ... steps away along the edges, each as a set."""
    levels = [set(start)]
    while len(levels) <= len(graph) + 1:
        levels.append({other for one in levels[-1] for other in graph.get(one, ())})
    return levels


@given(GRAPHS, st.sets(st.sampled_from("abcd")))
def test_tasks_come_after_what_they_need_and_a_cycle_is_one(
    graph: dict[str, list[str]], done: set[str]
) -> None:
    order = in_order(graph)
    assert all(order.index(other) < at for at, one in enumerate(order) for other in graph[one])
    below = {one: set().union(*reached(graph, one)) for one in graph}
    circular = {one for one in graph if any(one in level for level in reached(graph, one)[1:])}
    assert set(order) == {one for one in graph if below[one] <= set(graph) - circular}
    for at, one in enumerate(order):  # of those that could come now, the first by name
        assert one == min(other for other in order[at:] if set(graph[other]) <= set(order[:at]))
    cycle = find_cycle(graph)
    assert bool(cycle) == bool(circular)
    assert all(other in graph[one] for one, other in itertools.pairwise(cycle))
    assert not cycle or (cycle[0] == cycle[-1] and len(set(cycle)) == len(cycle) - 1)
    for one, word in states(graph, done).items():
        assert word == ("DONE" if one in done else "READY" if done.issuperset(graph[one]) else "BLOCKED")
    for one in graph:
        levels = reached(graph, one)[1:]
        near = {name: steps for steps in range(len(levels), 0, -1) for name in levels[steps - 1]}
        assert distances(graph, one) == near
