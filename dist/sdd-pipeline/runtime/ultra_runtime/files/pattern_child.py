"""Compile or search patterns in a separate process, which ends when its time or memory is used up.

Run as a script by `ultra_runtime.files.patterns`, in isolation: it imports nothing from the bundle.
"""

from __future__ import annotations

import re
import resource
import signal
import sys

MEMORY = 1024 * 1024 * 1024


def main() -> None:
    """Read one request from standard input and answer each pattern with a line."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    head, _, rest = sys.stdin.buffer.read().partition(b"\n")
    task, seconds, *sizes = head.decode().split(" ")
    parts = []
    at = 0
    for size in map(int, sizes):
        parts.append(rest[at : at + size].decode("utf-8", "surrogatepass"))
        at += size
    # Nothing handles SIGPROF, so the kernel ends the process wherever the matcher is.
    signal.setitimer(signal.ITIMER_PROF, float(seconds))
    for pattern in parts if task == "compile" else parts[:1]:
        answer = _answer(task, pattern, parts[-1])
        sys.stdout.buffer.write(answer.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()


def _answer(task: str, pattern: str, text: str) -> str:
    try:
        compiled = re.compile(pattern, re.MULTILINE if task == "multiline" else 0)
        if task == "compile":
            return ""
        return "found" if compiled.search(text) else "absent"
    except MemoryError:
        return "-it needs too much memory"
    except Exception as problem:  # re.error, OverflowError, RecursionError and what other versions raise
        return "-" + (" ".join(str(problem).split()) or type(problem).__name__)


if __name__ == "__main__":
    main()
