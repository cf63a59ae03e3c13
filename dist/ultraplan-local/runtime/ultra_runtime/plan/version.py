"""Check the version of a plan: current, legacy, or newer than this bundle."""

from __future__ import annotations

from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.contract.model import Version
    from ultra_runtime.plan.values import Plan

LEGACY = "legacy"


def judge_version(plan: Plan, version: Version, value: object, line: int) -> None:
    """Set the plan's version; a missing or older one is legacy, with a warning."""
    name = version.field
    if value is None:
        plan.legacy, plan.version = True, LEGACY
        plan.add("VERSION_MISMATCH", f"missing {name}: the plan is read as legacy", line, field=name)
        return
    if not isinstance(value, str):
        plan.add("BAD_TYPE", f"{name} must be text", line, field=name)
        return
    shown = one_line(value, 40)
    said, current = version_parts(value), version_parts(str(version.current))
    if said is None or current is None:
        message = f'{name} must be a version such as {version.current}, not "{shown}"'
        plan.add("BAD_VALUE", message, line, field=name)
    elif said > current:
        message = f"{name} is {shown}; this bundle reads {version.current} and older"
        plan.add("VERSION_UNSUPPORTED", message, line, field=name)
    elif said < current:
        plan.legacy, plan.version = True, LEGACY
        plan.add("VERSION_MISMATCH", f"{name} is {shown}: the plan is read as legacy", line, field=name)
    else:
        plan.version = value


def version_parts(text: str) -> tuple[int, ...] | None:
    """Return the numbers of a version such as 1.7 for comparison, without trailing zeros."""
    parts = text.split(".", 4)
    if len(parts) > 4 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        return None
    numbers = [int(part) for part in parts]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
