"""Whether two sessions of one wave touch one file."""

from __future__ import annotations

import fnmatch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plan.texts import plan, session, step, strategy
from ultra_runtime.plan.overlap import can_share, find_overlaps, normal
from ultra_runtime.plan.reading import read


@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "./src//A.py", True),
        ("src/a.py", "src/x/../a.py", True),
        ("src/a.py", "src/b.py", False),
        ("src", "src/a.py", True),
        ("src/", "src/deep/a.py", True),
        ("src", "srcs/a.py", False),
        (".", "src/a.py", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a.js", False),
        ("src/*.py", "lib/a.py", False),
        ("src/**", "src/deep/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/deep/a.js", False),
        ("**/*.md", "docs/a.md", True),
        ("**/*.md", "docs/a.py", False),
        ("src/*.py", "src/*.js", False),
        ("src/*.py", "src/test_*", True),
        ("src/a*", "src/b*", False),
        ("src/?.py", "src/ab.py", True),
        ("src/[ab].py", "src/a.py", True),
        ("*", "anything", True),
        ("src/*", "docs", False),
        ("src/*/x", "src", True),
    ],
)
def test_pairs_of_paths(one: str, two: str, shared: bool) -> None:
    for first, second in ((one, two), (two, one)):
        assert bool(list(find_overlaps([(1, [first]), (2, [second])]))) == shared


def test_each_pair_is_told_once() -> None:
    found = list(find_overlaps([(1, ["a", "b", "c/"]), (2, ["a", "b", "c/d"]), (3, ["e"])]))
    assert [(first, second) for first, second, _ in found] == [(1, 2)]


def test_one_session_may_name_a_file_twice() -> None:
    assert list(find_overlaps([(1, ["a", "a/b", "*"]), (2, [])])) == []


def test_waves_of_their_own_may_touch_one_file() -> None:
    for wave, codes in ((1, ["SCOPE_OVERLAP"]), (2, [])):
        sessions = strategy(session(1, "1", 1), session(2, "2", wave))
        found = read(plan(step(1, "same.py"), step(2, "same.py"), after=sessions).encode())
        assert [problem.code for problem in found.problems] == codes


def test_more_globs_than_can_be_compared_are_refused() -> None:
    many = [f"a{number}/*/b" for number in range(1000)]
    ((first, second, what),) = find_overlaps([(1, many), (2, ["x"])])
    assert (first, second) == (1, 2)
    assert "name the files" in what


NAMES = st.text("ab*?", min_size=1, max_size=4)
PLAIN = st.text("ab", min_size=1, max_size=3)


@given(
    st.lists(NAMES, min_size=1, max_size=4),
    st.lists(NAMES, min_size=1, max_size=4),
    st.lists(PLAIN, min_size=1, max_size=4),
)
def test_what_both_match_is_shared(one: list[str], two: list[str], path: list[str]) -> None:
    def matches(glob: list[str]) -> bool:
        return len(glob) == len(path) and all(map(fnmatch.fnmatchcase, path, glob))

    if matches(one) and matches(two):
        assert can_share(one, two)


@given(st.text("ab/.", max_size=12))
def test_a_normal_path_stays_as_it_is(path: str) -> None:
    assert normal(normal(path)) == normal(path)
