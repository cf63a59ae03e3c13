"""Confidence: the arithmetic by itself, and the table that the verb reads."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.calls import Ultra
from tests.kit.names import EXAMPLE, NAME, ROOT
from tests.kit.quick import examples
from ultra_plugin.config import load
from ultra_plugin.source import SourceTree
from ultra_runtime.research.evidence import (
    CEILING,
    ENOUGH,
    Evidence,
    EvidenceError,
    confidence,
    read_evidence,
)

WEIGHTS = {"code": 80, "official": 70, "discussion": 50, "community": 30, "model": 10}
AGENTS = ("local-structure", "web-docs")
LEVELS = ("no", "partly", "yes")
FIRST = "1 | local-structure | code | yes | x.py:1"


def one(dimension: int, kind: str, source: str, agrees: str = "yes", agent: str = "web-docs") -> Evidence:
    return Evidence(dimension, agent, kind, agrees, source)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([], [0.0]),
        ([one(1, "code", "a:1")], [0.8]),
        ([one(1, "community", "u"), one(1, "community", "v")], [0.41]),
        ([one(1, "community", "u"), one(1, "community", "u", agent="b")], [0.3]),
        ([one(1, "community", "u"), one(1, "official", "u")], [0.7]),
        ([one(1, "code", "a:1"), one(1, "discussion", "u", "no")], [0.4]),
        ([one(1, "discussion", "u", "no")], [0.0]),
        ([one(1, "code", "a:1", "partly")], [0.4]),
        ([one(1, "code", "a:1"), one(1, "code", "a:9")], [0.8]),
        ([one(1, "official", "https://a.b/c#d"), one(1, "official", "https://a.b/c/")], [0.7]),
        # Two pages of the makers about something close, and a line of code beside a thread about something else.
        ([one(1, "official", "u", "partly"), one(1, "official", "v", "partly")], [0.46]),
        ([one(1, "code", "a:1"), one(1, "discussion", "u", "partly")], [0.83]),
        ([one(1, "code", "a:1"), one(1, "code", "b:1"), one(1, "official", "u")], [0.92]),
        ([one(1, "code", f"{name}:1") for name in "abcd"], [0.95]),
    ],
)
def test_one_dimension(evidence: list[Evidence], expected: list[float]) -> None:
    assert confidence(evidence, 1, WEIGHTS)[1] == expected


def test_the_weakest_dimension_pulls_the_whole() -> None:
    strong, weak = one(1, "code", "a:1"), one(2, "community", "u")
    assert confidence([strong, weak], 2, WEIGHTS) == (round((0.55 + 0.3) / 2, 2), [0.8, 0.3])
    assert confidence([strong], 2, WEIGHTS) == (0.2, [0.8, 0.0])


pieces = st.builds(
    Evidence,
    st.integers(1, 3),
    st.just("web-docs"),
    st.sampled_from(list(WEIGHTS)),
    st.sampled_from(LEVELS),
    st.text("xyz", max_size=2),
)


@settings(max_examples=examples(200))
@given(st.lists(pieces, max_size=12), st.data())
def test_order_does_not_matter_and_more_agreement_never_lowers(
    items: list[Evidence], data: st.DataObject
) -> None:
    whole, each = confidence(items, 3, WEIGHTS)
    assert 0 <= whole <= CEILING
    assert all(0 <= value <= CEILING for value in each)
    assert confidence(data.draw(st.permutations(items)), 3, WEIGHTS) == (whole, each)
    more = confidence([*items, one(1, "code", "new")], 3, WEIGHTS)
    assert (more[0] >= whole, more[1][0] >= each[0]) == (True, True)
    part = confidence([*items, one(1, "code", "new", "partly")], 3, WEIGHTS)
    assert more[1][0] >= part[1][0] >= each[0]
    less = confidence([*items, one(1, "code", "new", "no")], 3, WEIGHTS)
    assert (less[0] <= whole, less[1][0] <= each[0]) == (True, True)


@settings(max_examples=examples(200))
@given(st.lists(pieces, min_size=1, max_size=12), st.data())
def test_a_source_that_agrees_more_or_is_of_a_better_kind_never_lowers(
    items: list[Evidence], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(items) - 1))
    old = items[at]
    firmer = LEVELS[min(LEVELS.index(old.agrees) + 1, 2)]
    changed = [*items[:at], one(old.dimension, old.kind, old.source, firmer), *items[at + 1 :]]
    assert confidence(changed, 3, WEIGHTS)[0] >= confidence(items, 3, WEIGHTS)[0]
    kinds = sorted(WEIGHTS, key=WEIGHTS.__getitem__)
    better = kinds[min(kinds.index(old.kind) + 1, len(kinds) - 1)]
    changed = [*items[:at], one(old.dimension, better, old.source, old.agrees), *items[at + 1 :]]
    before, after = confidence(items, 3, WEIGHTS)[0], confidence(changed, 3, WEIGHTS)[0]
    assert after <= before if old.agrees == "no" else after >= before


@settings(max_examples=examples(100))
@given(st.lists(pieces, max_size=2))
def test_two_sources_are_never_worth_nine_tenths(items: list[Evidence]) -> None:
    assert max(confidence(items, 3, WEIGHTS)[1]) < 0.9


SOURCES = ("a b.py:1", "x:2-30", "0123abcd" * 5, "http://a.example", "https://a.example/x|y#z")
ROWS = st.lists(
    st.builds(
        Evidence, st.integers(1, 3), st.sampled_from(AGENTS), st.sampled_from(list(WEIGHTS)), st.sampled_from(LEVELS),
        st.sampled_from(SOURCES),
    )
    | st.just(Evidence(2, "web-docs", "model", "partly", "Gemini")),
)  # fmt: skip


@settings(max_examples=examples(100))
@given(ROWS, st.sampled_from(["", "|"]), st.sampled_from(["", "`"]))
def test_a_table_is_read_as_it_was_written_bare_or_whole(rows: list[Evidence], bar: str, code: str) -> None:
    cells = [(str(one.dimension), one.agent, code + one.kind + code, one.agrees, one.source) for one in rows]
    head = ["| dimension | agent | kind | agrees | source |", "|---|:-:| --- |---|---|", ""] if bar else []
    lines = [*head, *(f"{bar} {' | '.join(row)} {bar}" for row in cells), ""]
    read = read_evidence("\n".join(lines), 3, WEIGHTS, AGENTS)
    assert [one.__dict__ for one in read] == [one.__dict__ for one in rows]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("1 | web-docs | code | yes", "it must have dimension | agent"),
        ("4 | web-docs | code | yes | x:1", "dimension must be a number from 1 to 3, not 4"),
        ("0 | web-docs | code | yes | x:1", "dimension must be a number from 1 to 3, not 0"),
        ("² | web-docs | code | yes | x:1", "dimension must be a number"),
        ("1 | web-docs | gossip | yes | x:1", "kind must be one of code"),
        ("1 | web-docs | code | maybe | x:1", "agrees must be one of yes, partly, no, not maybe"),
        ("1 |  | code | yes | x:1", "unknown agent"),
        ("1 | nobody | code | yes | x:1", "unknown agent"),
        (
            f"1 | {NAME}:web-docs | code | yes | x:1",
            f"unknown agent {NAME}:web-docs: name the agent that found it, without prefix",
        ),
        *(
            (f"1 | web-docs | {kind} | yes | {source}", "source must be path:line, a commit or a URL")
            for kind in ("code", "official")
            for source in (
                "x", "not a url at all", "https://nowhere", "https://.nowhere.", "https://nowhere/a.b", "ftp://a.b",
                "https://a.b/c d", "a.b",
            )
        ),
        ("| 1 | web-docs | model | yes | |", "source must be path:line, a commit or a URL"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_evidence(line: str, fault: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        read_evidence(f"{FIRST}\n{line}\n\n{line}", 3, WEIGHTS, AGENTS)
    assert [one.partition(fault)[0] for one in caught.value.faults] == ["line 2: ", "line 4: "]
    assert str(caught.value) == "; ".join(caught.value.faults)


def test_the_verb_answers_for_each_dimension(ultra: Ultra) -> None:
    told = ultra("confidence", "--dimensions", "2", given=FIRST)
    assert (told.status, told.data["confidence"], told.data["dimensions"]) == (0, 0.2, [0.8, 0.0])
    assert "nothing supports the answer to dimension 2" in told.data["next"]
    asked = ultra("confidence", "--dimensions", "2", "--needed", "high", given=FIRST).data
    assert (asked["enough"], asked["weak"]) == (False, [2])
    levels = (
        load(SourceTree(ROOT / "plugin_src"))
        .contracts["brief"]
        .parts["topics"]
        .fields["Confidence needed"]
        .values
    )
    assert levels is not None
    assert set(ENOUGH) == set(levels)
    assert ultra("confidence", "--dimensions", "0", given="x").status == 2
    refused = ultra("confidence", "--dimensions", "1", given="x | y\n")
    assert (refused.status, "line 1" in refused.data["error"]) == (1, True)
    assert ultra("confidence", "--dimensions", "1", given="").status == 1


def test_the_example_says_what_its_evidence_says(ultra: Ultra) -> None:
    text = (EXAMPLE / "research/01-where-to-count.md").read_text()
    table = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    data = ultra("confidence", "--dimensions", "2", given=table).data
    assert f"confidence: {data['confidence']}\n" in text
    assert all(f"Confidence {value}." in text for value in data["dimensions"])
