"""Accept a plan that was edited during the run, if only steps that are not over were edited."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.run_refs import DONE, SKIP
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.session_spec import EXIT_CONDITION, SESSION_MANIFEST
from ultra_runtime.plan.spec_text import CONTEXT, HANDOFF, exit_condition
from ultra_runtime.plan.values import SESSION_SPEC
from ultra_runtime.tables.fields import session_spec_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.plan.values import Plan

MADE = (CONTEXT, SESSION_MANIFEST, HANDOFF, session_spec_fields.SECTION_METADATA)
"""Sections of a session spec that follow from its steps or decide nothing."""


def change_problem(git: Git, slug: str, edited: bytes) -> str:
    """Return why a run cannot continue with an edited plan; empty if it can as soon as the change is accepted."""
    refs = git.refs(slug)
    if "plan" not in refs:
        return "the plan as it was before the edit is not available here"
    ends = [name[len(start) :] for start in (DONE, SKIP) for name in refs if name.startswith(start)]
    try:
        refuse_more_than_later_steps(
            git.blob(refs["plan"]), edited, {int(one) for one in ends if one.isdigit()}
        )
    except RefusedError as problem:
        return str(problem)
    return ""


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
    owned = _made_lines(plan)
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


def _made_lines(plan: Plan) -> set[int]:
    """Return the lines of a session spec that change with its steps; an exit condition of its own is not one of them."""
    if plan.kind != SESSION_SPEC:
        return set()
    sections = [plan.document.section(name) for name in MADE]
    exits = plan.document.section(EXIT_CONDITION)
    own = [step for step in plan.steps if step.number]
    if exits and "\n".join(plan.document.body(exits)).strip() == exit_condition(own):
        sections.append(exits)
    return {line for one in sections if one for line in range(one.line, one.end)}
