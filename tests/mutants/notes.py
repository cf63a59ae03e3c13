"""What was noted of tests without a fault, and the tests that may notice one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.mutants.faults import Fault


@dataclass(frozen=True, slots=True)
class Notes:
    """How long each test took, which of them started processes, and which of them ran each line."""

    seconds: dict[str, float]
    away: list[str]
    lines: dict[str, dict[str, list[str]]]

    def near(self, fault: Fault) -> list[str]:
        """Return the tests that run a changed line in their process: those named like the module, then the quick ones."""
        words = set(Path(fault.path).stem.split("_"))

        def order(test: str) -> tuple[bool, float]:
            return not words & set(Path(test.partition("::")[0]).stem.split("_")), self.seconds[test]

        return sorted(self._running(fault).difference(self.away), key=order)

    def in_process(self) -> list[str]:
        """Return the tests that start no process of ours, the quick ones first."""
        return sorted(self.seconds.keys() - set(self.away), key=self.seconds.__getitem__)

    def time_of(self, tests: list[str]) -> float:
        """Return how many seconds tests took."""
        return sum(self.seconds[test] for test in tests)

    def _running(self, fault: Fault) -> set[str]:
        known = self.lines.get(fault.path, {})
        changed = (line + 1 for first, last, _ in fault.changes for line in range(first, last))
        return {test for line in changed for test in known.get(str(line), [])}
