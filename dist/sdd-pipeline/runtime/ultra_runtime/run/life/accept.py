"""Accept a plan that was edited during the run, if only steps that are not over were edited."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.plan.reading import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Plan


def refuse_more_than_later_steps(pinned: bytes, edited: bytes, over: set[int]) -> None:
    """Refuse an edit of a step that is over, or of anything outside the steps."""
    old, new = _parts(read(pinned), over), _parts(read(edited), over)
    for number in sorted(over):
        if old.get(number) != new.get(number):
            error = f"the edit changes step {number}, which is over"
            raise RefusedError(error, "undo that edit, or start over with --restart")
    if old[None] != new[None]:
        error = "the edit changes more of the plan than its remaining steps"
        raise RefusedError(error, "undo that part of the edit, or start over with --restart")


def difference(pinned: bytes, edited: bytes) -> list[str]:
    """Return the change of the plan as a unified diff."""
    from difflib import unified_diff

    old, new = (data.decode("utf-8", "replace").splitlines() for data in (pinned, edited))
    return list(unified_diff(old, new, "pinned", "accepted", lineterm=""))


def _parts(plan: Plan, over: set[int]) -> dict[int | None, list[str]]:
    """Return the lines of each step that is over, and under None all lines outside steps; without blank lines."""
    document = plan.document
    parts: dict[int | None, list[str]] = {}
    owned: set[int] = set()
    for step in plan.steps:
        owned.update(range(step.line, step.end))
        if step.number in over:
            parts[step.number] = [
                line.rstrip() for line in document.slice(step.line, step.end) if line.strip()
            ]
    first = document.first_line
    parts[None] = [
        line.rstrip()
        for number, line in enumerate(document.lines, first)
        if number not in owned and line.strip()
    ]
    parts[None].insert(0, repr(sorted((name, str(value)) for name, value in plan.front_matter.items())))
    return parts
