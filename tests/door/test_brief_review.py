"""The arithmetic of the gate, with the thresholds of the real contract."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.door.samples import DETAILS, answer
from tests.kit.table import each
from ultra_plugin.config import load
from ultra_plugin.source import SourceTree
from ultra_plugin.tables.contract import contract_module
from ultra_runtime.contract.gates import Gate
from ultra_runtime.contract.model import Contract
from ultra_runtime.contract.scores import (
    Review,
    is_readable,
    judge,
    no_review,
    prose_verdict,
    read_review,
    restore_review,
    split_answer,
    unnamed,
)

ORDER = ["research_plan", "testability", "completeness", "consistency", "scope_clarity"]


def brief_contract() -> Contract:
    """Return the contract as the bundle carries it."""
    suite = load(SourceTree(Path(__file__).parent.parent.parent / "plugin_src"))
    module: dict[str, Any] = {}
    exec(contract_module(suite.contracts["brief"]), module)  # noqa: S102 - our own rendering
    contract = module["CONTRACT"]
    assert isinstance(contract, Contract)
    return contract


CONTRACT = brief_contract()
assert CONTRACT.gate is not None
GATE = CONTRACT.gate
SCORES = st.fixed_dictionaries({name: st.integers(1, 5) for name in ORDER})


def test_every_score_there_can_be() -> None:
    """All 3,125 of them, against the rule in the words of the specification."""
    for values in itertools.product(range(1, 6), repeat=5):
        scores = dict(zip(ORDER, values, strict=True))
        ruling = judge(GATE, scores)
        assert ruling.passed == (min(values) >= 4 and scores["research_plan"] == 5)
        weak = [name for name in ORDER if scores[name] < (5 if name == "research_plan" else 4)]
        assert ruling.failing == sorted(weak, key=lambda name: scores[name])
        assert ruling.weakest == (ruling.failing[0] if weak else None)


@given(SCORES | st.just(dict.fromkeys(ORDER, 3)), st.sets(st.sampled_from(ORDER)), st.booleans())
def test_a_weak_score_needs_a_detail_unless_the_scores_are_made_up(
    scores: dict[str, int], named: set[str], degraded: bool
) -> None:
    review = Review(scores, {name: ["a reason"] * (name in named) for name in ORDER}, "REVISE", degraded)
    made_up = degraded and not named and set(scores.values()) == {3}
    weak = [name for name in ORDER if scores[name] <= 3 and name not in named]
    assert sorted(unnamed(GATE, review)) == ([] if made_up else sorted(weak))
    assert is_readable(GATE, review) != made_up


@given(SCORES, st.sampled_from(ORDER))
def test_a_better_score_never_closes_the_gate(scores: dict[str, int], name: str) -> None:
    better = {**scores, name: min(5, scores[name] + 1)}
    assert judge(GATE, better).passed >= judge(GATE, scores).passed
    assert len(judge(GATE, better).failing) <= len(judge(GATE, scores).failing)


@given(SCORES, st.sampled_from(sorted(GATE.verdicts)), st.text())
def test_a_whole_answer_is_read_as_it_was_meant(scores: dict[str, int], verdict: str, words: str) -> None:
    prose = "".join(letter for letter in words if letter not in "`~" and letter.upper() not in "PR")
    review = read_review(GATE, answer(scores, verdict, prose))
    assert (review.scores, review.verdict, review.degraded) == (scores, verdict, False)
    for name, score in scores.items():
        assert bool(review.details[name]) == (score < 4)


@given(st.text())
def test_any_answer_gets_a_review(words: str) -> None:
    review = read_review(GATE, words)
    assert set(review.scores) == set(ORDER)
    assert review.verdict in GATE.verdicts
    assert review.degraded == (review.scores == dict.fromkeys(ORDER, 3))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ORDER, "score", "verdict", "x"]), inner)
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_block_gets_a_review(block: object) -> None:
    review = read_review(GATE, f"```json\n{json.dumps(block)}\n```")
    assert all(1 <= score <= 5 for score in review.scores.values())
    assert not judge(GATE, review.scores).passed or not review.degraded


GOOD = json.loads(answer().split("```json\n")[1].split("```")[0])


@pytest.mark.parametrize(
    "change",
    [
        {"testability": None},
        {"testability": 5},
        {"testability": []},
        {"testability": {}},
        {"testability": {"score": None, "weak_criteria": []}},
        {"testability": {"score": "five", "weak_criteria": []}},
        {"testability": {"score": "6", "weak_criteria": []}},
        {"testability": {"score": 5.0, "weak_criteria": []}},
        {"testability": {"score": True, "weak_criteria": []}},
    ],
)
def test_one_dimension_that_cannot_be_read_makes_all_of_them_weak(change: dict[str, Any]) -> None:
    review = read_review(GATE, f"```json\n{json.dumps({**GOOD, **change})}\n```")
    assert (review.scores, review.degraded) == (dict.fromkeys(ORDER, 3), True)
    assert (review.verdict, any(review.details.values())) == ("PROCEED_WITH_RISKS", False)
    assert judge(GATE, review.scores).weakest == "research_plan"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All is well.",
        "```json\n{\n```",
        "```json\n[]\n```",
        '```json\n{"completeness": {"score": 5,}}\n```',
        f"```\n{json.dumps(GOOD)}\n```".replace("PROCEED", "?"),
        json.dumps(GOOD).replace('"verdict": "PROCEED"', '"x": 1'),
        f"```json\n{json.dumps(GOOD)[:-20]}",
    ],
)
def test_a_missing_or_broken_block_is_weak_everywhere(text: str) -> None:
    review = read_review(GATE, text)
    assert (review.scores, review.verdict, review.degraded) == (
        dict.fromkeys(ORDER, 3),
        "PROCEED_WITH_RISKS",
        True,
    )


@each(itertools.product((0, 1, 2), range(-1, 12), (int, str)))
def test_every_score_of_the_scale_is_read_and_no_other(lowest: int, score: int, write: type) -> None:
    gate = Gate(**{**GATE.__dict__, "lowest": lowest, "highest": 10})
    values = {name: {"score": 10} for name in ORDER} | {"testability": {"score": write(score)}}
    review = read_review(gate, f"```json\n{json.dumps({**values, 'verdict': 'PROCEED'})}\n```")
    fits = lowest <= score <= 10
    assert (review.degraded, review.scores["testability"]) == (not fits, score if fits else 3)
    assert restore_review(gate, {**review.as_data(), "degraded": False}).scores == review.scores


def test_a_broken_block_keeps_the_verdict_of_the_prose() -> None:
    review = read_review(GATE, "### Verdict\n\n**REVISE**: start again.\n\n```json\n{\n```")
    assert (review.verdict, review.degraded) == ("REVISE", True)


def test_the_last_block_counts() -> None:
    first, last = answer({"testability": 1}, "REVISE"), answer({"testability": 4})
    review = read_review(GATE, first + last)
    assert (review.scores["testability"], review.verdict) == (4, "PROCEED")
    broken = read_review(GATE, last + "```json\n{\n```\n")
    assert (broken.scores["testability"], broken.degraded) == (3, True)


@pytest.mark.parametrize(
    "shape",
    [
        "````\n{}\n````",
        "```markdown\n{}\n```",
        "  {}",
        "{}```",
    ],
)
def test_an_answer_inside_a_fence_of_its_own_is_read(shape: str) -> None:
    review = read_review(GATE, shape.format(answer({"testability": 2}, "REVISE")))
    assert (review.scores["testability"], review.degraded) == (2, False)


@pytest.mark.parametrize("fence", ["```json", "``` json", "```JSON", "````json", "~~~json", "    ```json"])
def test_a_fence_may_be_written_in_many_ways(fence: str) -> None:
    mark = fence.strip().rstrip("jsonJSON ")
    block, prose = split_answer(f"Words.\n{fence}\n{{}}\n{mark}\nMore.")
    assert (block, prose) == ("{}", "Words.\nMore.")


@pytest.mark.parametrize(
    ("prose", "verdict"),
    [
        ("**Verdict:** REVISE", "REVISE"),
        ("Verdict: proceed with risks", "PROCEED_WITH_RISKS"),
        ("### Verdict\n\n- **PROCEED_WITH_RISKS** — revise the goal later", "PROCEED_WITH_RISKS"),
        ("The verdict is PROCEED WITH RISKS.", "PROCEED_WITH_RISKS"),
        ("Verdict: REVISE\n\nAfter the change my verdict is PROCEED.", "PROCEED"),
        ("All in all: REVISE.", "REVISE"),
        ("PROCEED, then PROCEED", "PROCEED"),
        ("Verdict: PROCEED | PROCEED_WITH_RISKS | REVISE", None),
        ("PROCEED or REVISE, who knows", None),
        ("They revised it and proceeded.", None),
        ("Verdict\n\nfor now\n\nrevise", "REVISE"),
        ("Verdict\nfor now\nor for ever\nrevise", None),
        ("Verdict: none", None),
        ("", None),
    ],
)
def test_the_verdict_of_the_words(prose: str, verdict: str | None) -> None:
    assert prose_verdict(GATE, prose) == verdict


@given(*[st.text(" .*-Xé7_", max_size=2)] * 2)
def test_a_verdict_is_a_whole_word(before: str, after: str) -> None:
    joined = any(sign.isalnum() or sign == "_" for sign in (before[-1:], after[:1]))
    assert prose_verdict(GATE, f"{before}REVISE{after}") == (None if joined else "REVISE")


def test_where_words_and_block_disagree_the_words_win() -> None:
    review = read_review(GATE, answer(prose="## Verdict: REVISE"))
    assert (review.verdict, review.degraded, judge(GATE, review.scores).passed) == ("REVISE", False, True)


@pytest.mark.parametrize("verdict", [None, "MAYBE"])
def test_a_block_without_a_verdict_keeps_its_scores_and_is_marked(verdict: str | None) -> None:
    review = read_review(GATE, answer({"testability": 2}, verdict))
    assert (review.scores["testability"], review.verdict, review.degraded) == (2, "PROCEED_WITH_RISKS", True)


def test_details_are_lines_of_text() -> None:
    details: dict[str, object] = {
        "research_plan": [{"issue": "vague", "topic": "Stores"}, {"topic": "Costs"}, "Limits", 7, None],
        "testability": "one\nstring",
        "completeness": ["  a\n b ", ""],
        "consistency": {"not": "a list"},
        "scope_clarity": ["x" * 400, "x" * 401],
    }
    review = read_review(GATE, answer(dict.fromkeys(ORDER, 2), details=details))
    assert review.details["research_plan"][:3] == ["Stores: vague", "Costs", "Limits"]
    assert (review.details["testability"], review.details["completeness"]) == (["one string"], ["a b"])
    assert (review.details["consistency"], review.details["scope_clarity"]) == (
        [],
        ["x" * 400, "x" * 397 + "..."],
    )
    assert set(DETAILS) == set(ORDER)


@given(SCORES)
def test_a_review_survives_being_kept(scores: dict[str, int]) -> None:
    review = read_review(GATE, answer(scores, "REVISE"))
    again = restore_review(GATE, json.loads(json.dumps(review.as_data())))
    assert again.as_data() == review.as_data()


@given(JSON)
def test_what_was_kept_and_is_broken_counts_as_no_review(kept: object) -> None:
    assert restore_review(GATE, kept).as_data() == no_review(GATE).as_data()
