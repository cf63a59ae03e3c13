"""Say on stderr how far a long test is, because a test that says nothing for an hour looks like one that hangs."""

from __future__ import annotations

import sys
import time

import pytest

PAUSE = 30.0
"""Seconds between two lines."""


class Lasting:
    """A long test: count its examples and print now and then how many are done and how long the others may take."""

    def __init__(self, title: str, total: int, capture: pytest.CaptureFixture[str]) -> None:
        self.title, self.total, self.capture = title, total, capture
        self.done = 0
        self.began = self.said = time.monotonic()

    def count(self, note: str = "") -> None:
        """Count an example; failing ones are tried again, so that there may be more than planned."""
        self.done += 1
        now = time.monotonic()
        if now - self.said < PAUSE:
            return
        self.said = now
        left = max(0.0, (self.total - self.done) * (now - self.began) / self.done / 60)
        line = f"{self.title}: {self.done} of {self.total} examples{note}, about {left:.0f} min to go"
        with self.capture.disabled():
            print(line, file=sys.stderr, flush=True)
