"""Measure the guard on the shared corpus: caught, false alarms, and the rows that went wrong.

Run from the repository: `python -m tests.bench.guard_corpus`.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

from tests.guard.judged import verdict_for
from tests.guard.policy_tables import policy
from tests.kit.names import ROOT

CORPUS = ROOT.parent / "shared" / "corpus" / "commands.jsonl"


def main(path: Path = CORPUS) -> int:
    """Print the measure."""
    if not path.is_file():
        print(f"guard: no corpus at {path}: nothing measured")
        return 0
    table = policy()
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    caught: Counter[str] = Counter()
    total: Counter[str] = Counter()
    wrong: list[str] = []
    other_rule: list[str] = []
    start = time.perf_counter()
    for row in rows:
        verdict = verdict_for(row["command"], table)
        kind = "allow" if row["expect"] == "allow" else row["tier"]
        total[kind] += 1
        if verdict.verdict == row["expect"]:
            caught[kind] += 1
            if kind != "allow" and verdict.rule != row["threat"]:
                other_rule.append(f"  {row['threat']} found as {verdict.rule}: {row['command']!r}")
        else:
            wrong.append(f"  {kind} {row['expect']} got {verdict.verdict} {verdict.rule}: {row['command']!r}")
    took = time.perf_counter() - start
    alarms = total["allow"] - caught["allow"]
    for tier in ("core", "stretch"):
        print(f"{tier}: {caught[tier]}/{total[tier]} ({100 * caught[tier] / max(1, total[tier]):.1f} %)")
    print(f"false alarms: {alarms}/{total['allow']} ({100 * alarms / max(1, total['allow']):.2f} %)")
    print(f"{len(rows)} commands in {took:.2f} s")
    for title, lines in (("wrong", wrong), ("right verdict by another rule", other_rule)):
        if lines:
            print(f"{title}:")
            print("\n".join(lines))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*map(Path, sys.argv[1:])))
