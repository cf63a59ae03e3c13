"""What was noted of tests without a fault, and the tests that may notice one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.mutants.faults import Fault
from tests.mutants.fork_bundle import RUNTIME


@dataclass(frozen=True, slots=True)
class Notes:
    """How long each test took, which of them started processes or use a bundle, and which of them ran each line."""

    seconds: dict[str, float]
    away: list[str]
    bundled: list[str]
    lines: dict[str, dict[str, list[str]]]

    def near(self, fault: Fault) -> list[str]:
        """Return the tests that run a changed line here or in a fork: those named like the module, then the quick ones."""
        words = set(Path(fault.path).stem.split("_"))

        def order(test: str) -> tuple[bool, float]:
            return not words & set(Path(test.partition("::")[0]).stem.split("_")), self.seconds[test]

        return sorted(self._running(fault).difference(self._with_other_code(fault)), key=order)

    def in_process(self) -> list[str]:
        """Return the tests that start no process of ours, the quick ones first."""
        return sorted(self.seconds.keys() - {*self.away, *self.bundled}, key=self.seconds.__getitem__)

    def far(self, fault: Fault) -> list[str]:
        """Return the tests that may run a changed line in another process."""
        return sorted({*self.away, *self._with_other_code(fault)})

    def _with_other_code(self, fault: Fault) -> list[str]:
        """Return the tests of a bundle, which a generator without the fault has built."""
        return [] if fault.path.startswith(RUNTIME) else self.bundled

    def time_of(self, tests: list[str]) -> float:
        """Return how many seconds tests took."""
        return sum(self.seconds[test] for test in tests)

    def _running(self, fault: Fault) -> set[str]:
        """Return the tests that run a changed line; those that run any of the module for a line that is run at loading."""
        known = self.lines.get(fault.path, {})
        changed = [line + 1 for first, last, _ in fault.changes for line in range(first, last)]
        ran = {test for line in changed for test in known.get(str(line), [])}
        return ran or {test for tests in known.values() for test in tests}
