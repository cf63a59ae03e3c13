"""ISO 8601 as instants."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ultra_runtime.text.timestamp import instant, is_date

ZONES = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=ZONES)


@given(MOMENTS, MOMENTS)
@settings(deadline=None)
def test_the_distance_of_two_instants_is_that_of_datetime(first: datetime, second: datetime) -> None:
    one, two = instant(first.isoformat()), instant(second.isoformat())
    assert one is not None
    assert two is not None
    assert two - one == (second - first) // timedelta(microseconds=1) * 1000


@pytest.mark.parametrize(
    "same",
    [
        "2026-01-31T12:00:00",
        "2026-01-31T12:00:00z",
        "2026-01-31t12:00Z",
        "2026-01-31 12:00:00.000",
        "2026-01-31T13:30:00+01:30",
        "2026-01-31T13:30:00+0130",
        "2026-01-31T02:00:00-10",
        "2026-01-31T12:00:00,0000000000009Z",
    ],
)
def test_one_instant_has_many_spellings(same: str) -> None:
    assert instant(same) == instant("2026-01-31T12:00:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "", "yesterday", "2026-01-31", "2026-01-31T", "2026-01-31T12", "2026-01-31T12:00:00+", "2026-02-30T12:00:00Z",
        "2026-13-01T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z", "2026-01-31T12:00:61Z",
        "2026-01-31T12:00:00+24:00", "0000-01-31T12:00:00Z", "2026-01-00T12:00:00Z", "20260131T120000Z",
        "2026-01-31T12:00:00 Z", "2026-01-31T12:00:00ZZ", "2026-01-31T1:00:00Z", "2026-01-31T12:00.5Z",
        "٢٠٢٦-01-31T12:00:00Z", "2026-01-31T12:00:0²Z", "2026-01-31T12:00:00+01:", "2026-01-31T12:00:00Z\n",
    ],
)  # fmt: skip
def test_what_is_no_moment_is_none(text: str) -> None:
    assert instant(text) is None


@given(st.text(alphabet="0123456789-T:Z+. é", max_size=30))
@settings(deadline=None)
def test_any_text_has_an_answer(text: str) -> None:
    assert instant(text) is None or isinstance(instant(text), int)
    try:
        expected = (
            len(text) == 10 and text.isascii() and bool(date(int(text[:4]), int(text[5:7]), int(text[8:])))
        )
        expected = expected and text[4] == text[7] == "-" and text.replace("-", "").isdigit()
    except ValueError:
        expected = False
    assert is_date(text) == expected


@given(st.dates())
@settings(deadline=None)
def test_every_day_of_the_calendar_is_a_date(day: date) -> None:
    assert is_date(day.isoformat())
