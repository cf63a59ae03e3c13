"""Choose the lines of a long output that show why it failed, whatever program printed it."""

from __future__ import annotations

MOST = 18
BEFORE, AROUND, LAST = 1, 14, 3
GAP = "..."
# How test runners, compilers and interpreters begin the line that names the failure, in lower case.
BEGINS = (
    "not ok", "fail", "--- fail", "error", "e   ", "assert", "traceback", "panic", "fatal", "thread '", "\u2716",
    "\u2717", "\u2718", "\u00d7", "\u2a2f", "\u25cf",
)  # fmt: skip
HOLDS = (": error", " error:", "error[", "assertionerror", "exception:", ": fatal")
NONE = (" 0", ":0", "=0", " no")


def failure_lines(lines: list[str]) -> list[str]:
    """Return a few lines: those around the first that names a failure, then the last ones."""
    at = next((number for number, line in enumerate(lines) if _names_a_failure(line)), None)
    if at is None or at >= len(lines) - MOST:
        return lines[-MOST:]
    first = max(at - BEFORE, 0)
    return [*lines[first : first + AROUND], GAP, *lines[-LAST:]]


def _names_a_failure(line: str) -> bool:
    text = line.strip().casefold()
    if not any(part in text for part in HOLDS) and not text.startswith(BEGINS):
        return False
    # "failures: 0" counts what did not happen, and "error_test.go: ok" is only a name.
    return not text.endswith(NONE) and not text.endswith((" ok", " passed"))
