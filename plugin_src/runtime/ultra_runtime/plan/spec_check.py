"""Check a session spec against its contract, and its steps against the contract of plans."""

from __future__ import annotations

import os

from ultra_runtime.contract.result import Report
from ultra_runtime.plan.check import note_problems
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import SESSION_SPEC, Plan
from ultra_runtime.tables.fields import session_spec_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


RECOVERY = "-recovery-"


def check(report: Report, data: bytes, strict: bool) -> Mapping[str, Any] | None:
    """Report the problems of a session spec and return its content; it is always read strictly."""
    plan = read(data, SESSION_SPEC, strict=True)
    note_problems(report, plan)
    _check_name(report, plan)
    return plan.summary() if plan.steps else None


def _check_name(report: Report, plan: Plan) -> None:
    """Report a recovery spec whose name and Recovery Metadata do not agree."""
    name = os.path.splitext(os.path.basename(report.path))[0]
    depth = name.rpartition(RECOVERY)[2] if name.startswith("session-") and RECOVERY in name else ""
    failed = any(problem.code == "RECOVERY" for problem in plan.problems)
    if depth and not plan.recovery and not failed:
        report.add(
            "RECOVERY",
            f"{name} is named as a recovery but has no {session_spec_fields.SECTION_RECOVERY_METADATA}",
            1,
        )
    elif depth and plan.recovery and depth != str(plan.recovery.depth):
        message = f"{name} is named as a recovery of depth {depth}, but {session_spec_fields.RECOVERY_METADATA_RECOVERY_DEPTH} is {plan.recovery.depth}"
        report.add(
            "RECOVERY", message, plan.recovery.line, session_spec_fields.RECOVERY_METADATA_RECOVERY_DEPTH
        )
