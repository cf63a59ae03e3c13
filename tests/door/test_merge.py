"""Findings of several reviewers become one list: nothing is lost, the worst counts, and a criterion stays as it is."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultra_runtime.review.findings import AnswerError
from ultra_runtime.review.merge import coordinate, count, is_goal, merge, other_voices, verdict, without
from ultra_runtime.review.severities import CLEAN, EARLIER, SEVERITIES, VERDICTS

REVIEWERS = ("a-reviewer", "b-reviewer", EARLIER)
IDS = tuple(letter * 40 for letter in "abc")
SEVERITY = st.sampled_from(SEVERITIES)
NO_LEAST: dict[str, Any] = {}
LEAST: st.SearchStrategy[dict[str, Any]] = st.just(NO_LEAST) | SEVERITY.map(lambda one: {"least": one})


@st.composite
def findings(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Return findings as reviewers report them: an id has one place, and its own words from each reviewer."""
    keys = draw(
        st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(REVIEWERS)), unique=True, max_size=7)
    )
    return [
        {
            "id": name, "reviewers": [by], "path": name[0], "line": 1, "severity": draw(SEVERITY),
            "message": f"{by} on {name[0]}", "fix": by, **draw(LEAST),
        }
        for name, by in keys
    ]  # fmt: skip


def worst(severities: list[str]) -> str:
    return min(severities, key=SEVERITIES.index)


def check(merged: list[dict[str, Any]], groups: dict[str, list[dict[str, Any]]]) -> None:
    """Compare a merged list with the reports behind each id."""
    assert sorted(one["id"] for one in merged) == sorted(name for name, rows in groups.items() if rows)
    ranks = [(SEVERITIES.index(one["severity"]), one["path"], one["line"]) for one in merged]
    assert ranks == sorted(ranks)
    for one in merged:
        rows = groups[one["id"]]
        least = [row["least"] for row in rows if "least" in row]
        assert one["severity"] == worst([row["severity"] for row in rows])
        assert one.get("least") == (worst(least) if least else None)
        assert one["reviewers"] == list(dict.fromkeys(row["reviewers"][0] for row in rows))
        told = one.get("voices", [one])
        said = [(row["message"], row["fix"]) for row in rows]
        assert [(voice["message"], voice["fix"]) for voice in told] == said
        assert [(voice["message"], voice["fix"]) for voice in other_voices(one)] == said[1:]
        assert [voice["at"] for voice in other_voices(one)] == [f"{row['path']}:1" for row in rows[1:]]
        assert is_goal(one) == (one["severity"] in ("BLOCKER", "MAJOR"))
    assert count(merged) == {name: sum(one["severity"] == name for one in merged) for name in SEVERITIES}


def decided(**changes: Any) -> dict[str, Any]:
    return {"settled": [], "merge": [], "severity": [], **changes}


@given(findings(), st.sampled_from(REVIEWERS))
def test_every_report_is_in_one_finding_that_is_as_bad_as_its_worst(
    reported: list[dict[str, Any]], left: str
) -> None:
    groups = {name: [one for one in reported if one["id"] == name] for name in IDS}
    merged = merge(reported)
    check(merged, groups)
    assert verdict(merged) == next(
        (VERDICTS[one["severity"]] for one in merged if one["severity"] in VERDICTS), CLEAN
    )
    check(merge(without(merged, left)), {
        name: [row for row in rows if row["reviewers"] != [left]] for name, rows in groups.items()
    })  # fmt: skip


@given(findings(), st.lists(st.sampled_from(IDS), max_size=3), st.sampled_from(IDS))
def test_a_merge_of_findings_keeps_all_of_their_reports(
    reported: list[dict[str, Any]], drop: list[str], keep: str
) -> None:
    groups = {name: [one for one in reported if one["id"] == name] for name in IDS}
    group = [{"keep": keep, "drop": drop, "why": "one cause"}]
    if not all(groups[name] for name in (keep, *drop)):
        with pytest.raises(AnswerError, match="merge: there is no finding"):
            coordinate(merge(reported), decided(merge=group))
        return
    found, settled = coordinate(merge(reported), decided(merge=group))
    for name in dict.fromkeys(drop):
        if name != keep:
            groups[keep] = groups[keep] + groups.pop(name)
    check(found, groups)
    assert settled == []


@given(findings())
def test_a_criterion_is_not_played_down_and_only_an_earlier_finding_is_settled(
    reported: list[dict[str, Any]],
) -> None:
    for name, to in product(IDS, SEVERITIES):
        rows = [one for one in reported if one["id"] == name]
        least = [row["least"] for row in rows if "least" in row]
        decisions: tuple[tuple[str, dict[str, str], bool], ...] = (
            ("severity", {"to": to}, not least or SEVERITIES.index(to) <= SEVERITIES.index(worst(least))),
            ("settled", {}, {row["reviewers"][0] for row in rows} == {EARLIER}),
        )
        for what, more, may in decisions:
            answer = decided(**{what: [{"id": name, "why": "because", **more}]})
            if not rows or not may:
                with pytest.raises(AnswerError) as refused:
                    coordinate(merge(reported), answer)
                why = f"there is no finding {name}, or it was already merged or settled"
                if rows:
                    why = f"{name[:8]} was found in this review too, so it is not settled"
                if rows and what == "severity":
                    why = f"{name[:8]} is about a success criterion that is not shown, so it stays {worst(least)}"
                assert str(refused.value) == f"{what}: {why}"
                continue
            found, settled = coordinate(merge(reported), answer)
            now = {one["id"]: one["severity"] for one in found}
            expected = {one["id"]: one["severity"] for one in merge(reported)} | {name: to}
            if what == "settled":
                del expected[name]
            assert now == expected
            assert settled == ([(name, "because")] if what == "settled" else [])
