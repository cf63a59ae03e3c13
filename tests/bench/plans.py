"""Validating plans of 100 to 10,000 steps, beside just reading the file and splitting it into lines."""

from __future__ import annotations

import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from tests.bench.measure import median, run, show
from tests.kit.names import BUILT, LAUNCHER
from tests.plan.texts import large

SIZES = (100, 1_000, 10_000)
SPLIT = "import sys; open(sys.argv[1], 'rb').read().decode().split('\\n')"


def main() -> None:
    """Print time and memory for every size, and how they grow."""
    python = str(Path(sys.executable).resolve())
    bare = [python, "-I", "-S", "-X", "utf8"]
    took: dict[int, float] = {}
    with tempfile.TemporaryDirectory(prefix="ultra-bench-") as folder:
        start = median([*bare, "-c", "pass"], Path(folder))
        for count in SIZES:
            path = Path(folder) / f"plan-{count}.md"
            path.write_text(large(count))
            size = path.stat().st_size / 1e6
            validate = [*bare, str(BUILT / "bin" / LAUNCHER), "validate", "plan", str(path), "--json"]
            took[count] = median(validate, Path(folder), 3)
            split = median([*bare, "-c", SPLIT, str(path)], Path(folder), 3)
            show(
                f"A plan of {count} steps, {size:.1f} MB",
                [
                    (
                        "validate",
                        f"{took[count]:.2f} s here, {took[count] / split:.1f} x reading and splitting it",
                    ),
                    ("a megabyte", f"{(took[count] - start) / size:.2f} s beyond the interpreter's start"),
                    ("memory", f"{run(validate, Path(folder)).peak_mb:.0f} MB"),
                ],
            )
    for small, big in pairwise(SIZES):
        growth = (took[big] - start) / (took[small] - start)
        show(f"From {small} to {big} steps", [("time grows", f"{growth:.1f} times")])
