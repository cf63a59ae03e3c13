"""Random plans and random commits: where the proof finds nothing in git's objects, the oracle finds nothing either."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tests.attacks.oracle import Part, tree_faults
from tests.executor.sample import step
from tests.kit.lasting import Lasting
from tests.kit.quick import random_seed, times
from tests.proof.history import LINK, SCRIPT, Content, History, faults, steps_of

PATHS = ("src/a.txt", "src/b.txt", "src/c.txt", "src/d/e.txt")
OTHER = ("README.md", "tests/check.sh", "src/old.py")
CONTENTS: tuple[Content, ...] = (
    "part\n",
    "part\n",
    "nothing\n",
    None,
    None,
    (LINK, "a.txt"),
    (SCRIPT, "part\n"),
)
PATTERN = "^part"
EXAMPLES = times(200, 6000)


class Act(NamedTuple):
    """A commit: the step that makes it, or nobody, and what it changes."""

    number: int
    changes: Mapping[str, Content]


@st.composite
def parts(draw: st.DrawFn) -> list[Part]:
    """Return one to three steps with some files each, of which they expect some."""
    found = []
    for number in range(1, draw(st.integers(1, 3)) + 1):
        files = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=3, unique=True))
        expected = draw(st.lists(st.sampled_from(files), min_size=1, max_size=2, unique=True))
        found.append(Part(number, tuple(files), "true", tuple(expected)))
    last = found[-1]
    contains = tuple((path, PATTERN) for path in last.expected if draw(st.booleans()))
    found[-1] = Part(last.number, last.files, last.verify, last.expected, contains)
    return found


@st.composite
def acts(draw: st.DrawFn, steps: list[Part]) -> list[Act]:
    """Return a commit for each step, and strays before, between and after them."""
    found = []
    for part in [*steps, None]:
        if draw(st.integers(0, 3)) == 0:
            paths = st.sampled_from((*PATHS, *PATHS, *OTHER))
            found.append(
                Act(0, draw(st.dictionaries(paths, st.sampled_from(CONTENTS), min_size=1, max_size=2)))
            )
        if part:
            changes = dict.fromkeys(part.expected, "part\n")
            twists = st.dictionaries(st.sampled_from(part.files), st.sampled_from(CONTENTS), max_size=2)
            found.append(Act(part.number, {**changes, **draw(twists)}))
    return found


def with_removals(steps: list[Part], done: list[Act]) -> list[Part]:
    """Return the steps with what the commit of each took away."""
    there: set[str] = set()
    removes: dict[int, tuple[str, ...]] = {}
    for act in done:
        gone = tuple(path for path, content in act.changes.items() if content is None and path in there)
        removes[act.number] = gone
        there = (there | {path for path, content in act.changes.items() if content}) - set(gone)
    return [
        Part(one.number, one.files, one.verify, one.expected, one.contains, removes.get(one.number, ()))
        for one in steps
    ]


def test_the_proof_finds_what_the_oracle_finds(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    agreed, lasting = {True: 0, False: 0}, Lasting("random plans", EXAMPLES, capsys)

    @seed(random_seed())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check(data: st.DataObject) -> None:
        planned = data.draw(parts())
        done = data.draw(acts(planned))
        commits = history.commits([act.changes for act in done])
        ranges = {
            act.number: (before, commit)
            for act, before, commit in zip(done, [history.start, *commits], commits, strict=False)
            if act.number
        }
        texts = [
            step(
                part.number, part.files, expected_paths=list(part.expected), min_file_count=len(part.expected),
                must_contain=[{"path": path, "pattern": pattern} for path, pattern in part.contains],
            )
            for part in planned
        ]  # fmt: skip
        found = faults(history.check(steps_of(*texts), commits[-1], ranges=ranges))
        allowed = {path for part in planned for path in part.files}
        wrong = tree_faults(history.folder, with_removals(planned, done), allowed, history.start, commits[-1])
        assert found or not wrong, (planned, done, wrong)
        lasting.count()
        agreed[bool(found)] += bool(found) == bool(wrong)

    check()
    assert all(agreed.values()), agreed  # both answers occur
