"""Measure what the guard costs: its start-up against the bare interpreter's, and large texts.

Run from the repository: `python -m tests.bench.guard_speed [rounds]`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.built import rendered
from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.guard.test_bounds import LARGEST, SHAPES
from tests.kit.names import SOURCES

HOOK = """
import sys
sys.path.insert(0, {runtime!r})
from ultra_runtime.guard.first_look import may_match
command = sys.stdin.read()
if may_match(command):
    from ultra_runtime.guard.policy import Policy
    from ultra_runtime.guard.follow.watch import verdict_of, watch
    from ultra_runtime.tables import policy
    policy = Policy.of(policy)
    sys.exit(2 if verdict_of(watch(command, policy), policy).verdict == "block" else 0)
"""
COMMANDS = {
    "harmless": "git status",
    "harmless, read in full": 'cd "$(git rev-parse --show-toplevel)" && ls -la $DIR',
    "dangerous": "rm -rf out",
    "dangerous, in a nested shell": "sudo bash -c 'cd lib && rm -rf out'",
}


def main(rounds: int = 60) -> int:
    """Print the ratios."""
    with tempfile.TemporaryDirectory(prefix="guard-bench-") as folder:
        print(
            "start-up as a multiple of `python3 -I -S -c pass`, interleaved runs: wall time, processor time"
        )
        for name, (wall, processor) in _ratios(Path(folder), rounds).items():
            print(f"  {name:30} {wall:.2f} {processor:.2f}", flush=True)
    print(f"large texts: seconds for {LARGEST // 2} and {LARGEST} characters")
    table = policy()
    for name, make in SHAPES.items():
        unit = max(1, (len(make(200)) - len(make(100))) // 100)
        took = []
        for size in (LARGEST // 2, LARGEST):
            text = make(size // unit)
            start = time.process_time()
            verdict_for(text, table)
            took.append(time.process_time() - start)
        print(f"  {name:30} {took[0]:.2f} {took[1]:.2f}")
    return 0


def _ratios(folder: Path, rounds: int) -> dict[str, tuple[float, float]]:
    """Run the interpreter bare and with the guard, turn by turn, so that load falls on both alike."""
    python = str(Path(sys.executable).resolve())
    bundle = rendered(SOURCES, folder / "bundle")
    hook = folder / "hook.py"
    hook.write_text(HOOK.format(runtime=str(bundle / "runtime")))
    calls = {"bare": (["-c", "pass"], ""), **{name: ([str(hook)], text) for name, text in COMMANDS.items()}}
    walls: dict[str, list[float]] = {name: [] for name in calls}
    processors: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(rounds + 1):
        for name, (words, text) in calls.items():
            before, start = _children(), time.perf_counter()
            subprocess.run([python, "-I", "-S", *words], input=text, text=True, check=False)
            if turn:  # the first one writes the caches
                walls[name].append(time.perf_counter() - start)
                processors[name].append(_children() - before)
    return {
        name: (
            _middle(walls[name]) / _middle(walls["bare"]),
            _middle(processors[name]) / _middle(processors["bare"]),
        )
        for name in calls
    }


def _children() -> float:
    """Return the processor time that all children have taken."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _middle(taken: list[float]) -> float:
    return sorted(taken)[len(taken) // 2]


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
