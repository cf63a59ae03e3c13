"""Measure whole commands in one run, so that ratios mean something and times need not."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SIZES = (10, 100_000)
"""The files of a small repository and of a large one."""
A_FOLDER = 100


def many_files(size: int) -> dict[str, str]:
    """Return the files of a repository, a hundred in each folder."""
    return {f"files/{number // A_FOLDER}/{number}.txt": f"{number}\n" for number in range(size)}


@dataclass(frozen=True)
class Run:
    """Time and peak memory of one command."""

    seconds: float
    peak_mb: float
    processor: float
    """User and system seconds, which a busy machine hardly changes."""


def run(command: Sequence[str | Path], cwd: Path, env: Mapping[str, str] | None = None) -> Run:
    """Run a command to its end; one that fails ends the bench with its last words."""
    # As on a user's machine, modules are loaded from byte code.
    given = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command], cwd=cwd, env={**given, **(env or {})},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"bench: {command[0]} failed: {said.decode()[-2000:]}")
    return Run(time.perf_counter() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)


def median(command: Sequence[str | Path], cwd: Path, times: int = 5) -> float:
    """Return the median seconds of several runs, the first one not counted."""
    run(command, cwd)
    return sorted(run(command, cwd).seconds for _ in range(times))[times // 2]


def processor_time(command: Sequence[str], cwd: Path, given: str, env: Mapping[str, str]) -> float:
    """Return the user and system seconds of one command, whatever it answers."""
    with tempfile.TemporaryFile() as text:
        text.write(given.encode())
        text.seek(0)
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def show(title: str, rows: Sequence[tuple[str, str]]) -> None:
    """Print a titled list of figures."""
    print(f"\n{title}")
    width = max(len(name) for name, _ in rows)
    for name, figure in rows:
        print(f"  {name.ljust(width)}  {figure}", flush=True)
