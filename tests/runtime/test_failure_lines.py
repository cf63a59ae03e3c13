"""Which lines of a failed command a model is shown."""

from __future__ import annotations

import pytest

from ultra_runtime.run.state.failure_lines import MOST, failure_lines

TAP = [
    "TAP version 13", "# Subtest: adds", "ok 1 - adds", "# Subtest: purges", "not ok 2 - purges",
    "  ---", "  error: 'Expected 2, got 3'", "  code: 'ERR_ASSERTION'", "  stack: |-", "    purge (lib/queue.js:7:3)",
    *[f"ok {number} - more" for number in range(3, 30)],
    "1..29", "# tests 29", "# pass 28", "# fail 1", "# skipped 0", "# duration_ms 80",
]  # fmt: skip
PYTEST = [
    *[f"tests/test_{number}.py ...." for number in range(20)], "    def test_limit():", ">       assert limit(3) == 2",
    "E       assert 3 == 2", "", "tests/test_limit.py:4: AssertionError", *["captured"] * 12,
    "FAILED tests/test_limit.py::test_limit - assert 3 == 2", "1 failed, 80 passed in 1.20s",
]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (TAP, ["not ok 2 - purges", "  error: 'Expected 2, got 3'", "# fail 1"]),
        (PYTEST, ["E       assert 3 == 2", "1 failed, 80 passed in 1.20s"]),
        (["src/a.c:7:3: error: no such thing", *["make: note"] * 40], ["src/a.c:7:3: error: no such thing"]),
    ],
)
def test_the_failure_is_shown_with_the_end(lines: list[str], shown: list[str]) -> None:
    told = failure_lines(lines)
    assert len(told) <= MOST
    assert [line for line in shown if line not in told] == []
    assert told[-1] == lines[-1]


@pytest.mark.parametrize("word", ["line", "failures: 0", "error_test.go ok", "errors=0"])
def test_without_a_failure_it_is_the_end(word: str) -> None:
    lines = [f"{number} {word}" if word == "line" else word for number in range(100)]
    assert failure_lines(lines) == lines[-MOST:]


def test_a_failure_near_the_end_is_the_end() -> None:
    lines = [*map(str, range(50)), "not ok 1", "tail"]
    assert failure_lines(lines) == lines[-MOST:]
