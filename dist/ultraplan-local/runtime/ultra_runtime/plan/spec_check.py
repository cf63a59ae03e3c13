"""Hold a session spec against its contract, and its steps against that of the plan."""

from __future__ import annotations

import os

from ultra_runtime.plan.check import note_problems
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import SESSION_SPEC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.contract.result import Report
    from ultra_runtime.plan.values import Plan

RECOVERY = "-recovery-"


def check(report: Report, data: bytes, strict: bool) -> Mapping[str, Any] | None:
    """Note what is wrong with a session spec and return what it holds; it is always read strictly."""
    plan = read(data, SESSION_SPEC, strict=True)
    note_problems(report, plan)
    _check_name(report, plan)
    return plan.summary() if plan.steps else None


def _check_name(report: Report, plan: Plan) -> None:
    """Note a recovery spec that is not told by its name, or told by its name alone."""
    name = os.path.splitext(os.path.basename(report.path))[0]
    depth = name.rpartition(RECOVERY)[2] if name.startswith("session-") and RECOVERY in name else ""
    failed = any(problem.code == "RECOVERY" for problem in plan.problems)
    if depth and not plan.recovery and not failed:
        report.add("RECOVERY", f"{name} is named a recovery and has no Recovery Metadata", 1)
    elif depth and plan.recovery and depth != str(plan.recovery.depth):
        message = f"{name} is named a recovery of depth {depth}, and recovery_depth is {plan.recovery.depth}"
        report.add("RECOVERY", message, plan.recovery.line, "recovery_depth")
