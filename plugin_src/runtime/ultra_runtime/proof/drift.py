"""One difference between what a plan says and what is there, and the names of the checks that find it."""

from __future__ import annotations

from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import plan_fields, settings_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FORBIDDEN: str = plan_fields.MANIFEST_FORBIDDEN_PATHS
EXPECTED: str = plan_fields.MANIFEST_EXPECTED_PATHS
CONTENT: str = plan_fields.MANIFEST_MUST_CONTAIN
SCRIPT: str = plan_fields.MANIFEST_BASH_SYNTAX_CHECK
NEVER_TOUCH, PROTECTED, SCOPE, SUBMODULE_MOVED = "never_touch", "protected", "scope", "submodule"
FORGED = "object"
VERIFY_FAILS, EXIT_FAILS, NO_PROOF, CONVERTED = "verify", "exit_condition", "proof", "conversion"
BROUGHT: str = settings_fields.DEPENDENCIES
CLEAN, NOT_MADE = "clean checkout", "not made: not every step is completed"
"""What the summary of a run says about its proof when there is one, and before it can be made."""
OF_COMMANDS = (VERIFY_FAILS, EXIT_FAILS, NO_PROOF, CONVERTED, BROUGHT, FORGED)
"""The checks that are made only when the commands of the plan run."""


class Drift(Struct):
    """One difference between what the plan says and what is there."""

    check: str
    expected: str
    actual: str
    step: int | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Drift:
        """Read a difference that `as_data` wrote; what it does not have stays empty."""
        check, expected, actual = (str(data.get(name) or "") for name in ("check", "expected", "actual"))
        step = data.get("step")
        return cls(check, expected, actual, step if isinstance(step, int) else None)

    def as_data(self) -> dict[str, Any]:
        return {"check": self.check, "expected": self.expected, "actual": self.actual, "step": self.step}

    def __str__(self) -> str:
        where = f"step {self.step}: " if self.step is not None else ""
        return f"{where}{self.check}: expected {self.expected}; found {self.actual}"
