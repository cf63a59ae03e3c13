"""Tests of a table: thousands of rows that share everything are one test, which reports every row that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def each(rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Call a test with each row, or with the values of each row that is a tuple."""
    table = list(rows)

    def one_test(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            assert table, "the table is empty"
            failed = []
            for row in table:
                try:
                    check(*(row if isinstance(row, tuple) else (row,)))
                except Exception as problem:
                    failed.append(f"{row!r}: {type(problem).__name__}: {problem}")
            assert not failed, f"{len(failed)} of {len(table)} rows fail:\n" + "\n".join(failed)

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        return test

    return one_test
