"""Read ISO 8601 dates and timestamps; `datetime.fromisoformat` accepts no `Z` before Python 3.11."""

from __future__ import annotations

import time

DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365)


def is_date(text: str) -> bool:
    """Tell whether the text is a day of the calendar, written YYYY-MM-DD."""
    return _day_number(text) is not None


def instant(text: str) -> int | None:
    """Return nanoseconds in UTC (no zone: UTC), or None when the text is not a timestamp."""
    day = _day_number(text[:10])
    parts = _split_clock(text[11:]) if text[10:11] in ("T", "t", " ") else None
    if parts is None or day is None:
        return None
    hour, minute, second, nanosecond, zone_sign, zone_hour, zone_minute = parts
    if hour > 23 or minute > 59 or second > 59 or zone_hour > 23 or zone_minute > 59:
        return None
    zone = zone_sign * (zone_hour * 60 + zone_minute)
    return ((day * 1440 + hour * 60 + minute - zone) * 60 + second) * 1_000_000_000 + nanosecond


def _split_clock(text: str) -> tuple[int, int, int, int, int, int, int] | None:
    """Return hour, minute, second, nanosecond and the zone's sign, hour and minute."""
    clock, sign, zone_hour, zone_minute = _cut_zone(text)
    clock, _, fraction = clock.replace(",", ".").partition(".")
    fields = clock.split(":")
    numbers = [*fields, fraction or "0", zone_hour, zone_minute]
    if len(fields) not in (2, 3) or not all(map(_digits, numbers)) or (fraction and len(fields) == 2):
        return None
    if any(len(number) != 2 for number in [*fields, zone_hour, zone_minute]):
        return None
    second = int(fields[2]) if len(fields) == 3 else 0
    nanosecond = int((fraction + "000000000")[:9])
    return int(fields[0]), int(fields[1]), second, nanosecond, sign, int(zone_hour), int(zone_minute)


def _cut_zone(clock: str) -> tuple[str, int, str, str]:
    if clock[-1:] in ("Z", "z"):
        return clock[:-1], 1, "00", "00"
    for mark, sign in (("+", 1), ("-", -1)):
        before, found, zone = clock.partition(mark)
        if found:
            hour, colon, minute = zone.partition(":")
            if not colon and len(hour) == 4:
                hour, minute = hour[:2], hour[2:]
            return before, sign, hour, minute if colon or minute else "00"
    return clock, 1, "00", "00"


def _day_number(date: str) -> int | None:
    if len(date) != 10 or date[4] != "-" or date[7] != "-" or not _digits(date[:4] + date[5:7] + date[8:]):
        return None
    year, month, day = int(date[:4]), int(date[5:7]), int(date[8:])
    if not (year and 1 <= month <= 12 and day):
        return None
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if day > DAYS_BEFORE[month] - DAYS_BEFORE[month - 1] + (leap and month == 2):
        return None
    past = year - 1
    days_of_years = past * 365 + past // 4 - past // 100 + past // 400
    return days_of_years + DAYS_BEFORE[month - 1] + (leap and month > 2) + day


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def now() -> str:
    """Return the current time as ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
