"""Show at a terminal that a program still runs, and for how long."""

from __future__ import annotations

import sys
import time

from ultra_runtime.rendered import launcher
from ultra_runtime.words import one_line

LONGEST = 60


class Waiting:
    """One line on standard error, from the first second on; nothing where nobody looks."""

    def __init__(self, what: str) -> None:
        self.what = one_line(what, LONGEST)
        self.since = time.monotonic()
        self.shown = 0
        self.width = 0

    def tick(self) -> None:
        """Show the seconds that have passed, once for each."""
        seconds = int(time.monotonic() - self.since)
        if seconds == self.shown or sys.stderr is None or not sys.stderr.isatty():
            return
        self.shown = seconds
        self._write(f"{launcher()}: {self.what} ({seconds} s)")

    def end(self) -> None:
        """Take the line away."""
        if self.width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _write(self, line: str) -> None:
        sys.stderr.write(f"\r{line:{self.width}}")
        sys.stderr.flush()
        self.width = len(line)
