"""Sessions of a plan: what they depend on, compared with a reader of its own for random plans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plan.texts import plan, session, step, strategy
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.strategy import MOST_NAMED

COUNT = 5
NUMBERS = st.integers(1, COUNT + 1)
ENTRIES = st.one_of(NUMBERS.map(lambda one: (one, one)), st.tuples(NUMBERS, NUMBERS).map(sorted))
SESSIONS = st.lists(
    st.tuples(st.integers(1, 4), st.lists(ENTRIES, max_size=2)), min_size=COUNT, max_size=COUNT
)


def is_cyclic(needs: dict[int, set[int]]) -> bool:
    """Tell whether a session can be reached from itself."""
    reach = needs
    for _ in needs:
        reach = {
            one: others.union(*(reach.get(other, set()) for other in others)) for one, others in reach.items()
        }
    return any(one in others for one, others in reach.items())


@given(SESSIONS)
def test_dependencies_hold_for_every_session_of_a_range(
    made: list[tuple[int, list[tuple[int, int]]]],
) -> None:
    texts = [
        session(number, str(number), wave, ", ".join(f"{first}-{last}" for first, last in entries) or "none")
        for number, (wave, entries) in enumerate(made, 1)
    ]
    found = read(plan(*(step(number) for number in range(1, COUNT + 1)), after=strategy(*texts)).encode())
    needs = {
        number: {one for first, last in entries for one in range(first, last + 1)}
        for number, (_, entries) in enumerate(made, 1)
    }
    assert {one.number: set(one.depends_on) for one in found.sessions} == needs
    told = [problem.message for problem in found.problems]
    unknown = [one for one in needs if COUNT + 1 in needs[one]]
    expected = [
        f"session {one} depends on session {COUNT + 1}, which the plan does not have" for one in unknown
    ]
    if is_cyclic({one: others - {COUNT + 1} for one, others in needs.items()}):
        assert told[:-1] == expected
        assert found.problems[-1].code == "CYCLE"
        return
    waves = {number: wave for number, (wave, _) in enumerate(made, 1)}
    expected += [
        f"session {one} of wave {waves[one]} depends on session {other} of wave {waves[other]}: give it a later wave"
        for one in needs
        for other in sorted(needs[one] - {COUNT + 1})
        if waves[other] >= waves[one]
    ]
    assert sorted(told) == sorted(expected)


@given(st.lists(st.tuples(st.integers(1, 4), ENTRIES), min_size=1, max_size=4))
def test_the_execution_order_gives_a_wave_to_every_session_of_a_range(
    rows: list[tuple[int, tuple[int, int]]],
) -> None:
    order = "### Execution Order\n\n" + "".join(
        f"- Wave {wave}: Sessions {first}-{last}\n" for wave, (first, last) in rows
    )
    numbers = range(1, COUNT + 1)
    texts = [session(number, str(number)).replace("- Wave: 1\n", "") for number in numbers]
    found = read(plan(*map(step, numbers), after=strategy(*texts) + order).encode())
    waves = {one: next((wave for wave, (first, last) in rows if first <= one <= last), 0) for one in numbers}
    assert {one.number: one.wave for one in found.sessions} == {one: wave or 1 for one, wave in waves.items()}
    told = [problem.message for problem in found.problems]
    without = [one for one, wave in waves.items() if not wave]
    assert [message.partition(":")[0] for message in told] == [
        f"session {one} has no wave" for one in without
    ]


@pytest.mark.parametrize("length", [MOST_NAMED, MOST_NAMED + 1, 999_999_990])
def test_a_long_range_of_sessions_is_refused(length: int) -> None:
    last = session(40, "2", 2, f"Sessions 1-{length + 1}")
    found = read(plan(step(1), step(2), after=strategy(session(1, "1"), last)).encode())
    (problem,) = found.problems
    assert (problem.code, problem.field) == ("BAD_VALUE", "Depends on")
    assert ("name each" in problem.message) == (length > MOST_NAMED)
    assert len(found.sessions[1].depends_on) <= MOST_NAMED + 1
