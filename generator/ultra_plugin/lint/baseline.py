"""Compare problems with those of an earlier check, so that only new ones count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from ultra_plugin.errors import Problem, UltraError

_VERSION = 1


def write_baseline(path: Path, problems: Iterable[Problem]) -> int:
    """Write the current problems without their lines, which move; return how many."""
    counts = Counter(map(_key, problems))
    rows = [[*key, count] for key, count in sorted(counts.items())]
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    path.write_text(f'{{"version": {_VERSION}, "accepted": [\n{lines}\n]}}\n', encoding="utf-8")
    return sum(counts.values())


def new_problems(path: Path, problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems that a baseline does not have; errors always count."""
    accepted = _read(path)
    new = []
    for problem in problems:
        key = _key(problem)
        if problem.severity == "warning" and accepted[key] > 0:
            accepted[key] -= 1
        else:
            new.append(problem)
    return new


def _key(problem: Problem) -> tuple[str, str, str]:
    return problem.path, problem.code, problem.message


def _read(path: Path) -> Counter[tuple[str, str, str]]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return Counter({(str(row[0]), str(row[1]), str(row[2])): int(row[3]) for row in value["accepted"]})
    except OSError as error:
        raise UltraError(f"{path}: {error.strerror}; write one with --write-baseline.") from None
    except (ValueError, TypeError, KeyError, IndexError):
        raise UltraError(f"{path}: is not a baseline; write it again with --write-baseline.") from None
