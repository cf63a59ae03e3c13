"""The exit conditions of a run, and those of the whole plan when its last session ends."""

from __future__ import annotations

from ultra_runtime.plan.session_spec import NO_CHANGES
from ultra_runtime.proof.conditions import conditions_of
from ultra_runtime.run.life.sessions import plan_done_with
from ultra_runtime.run.tree.snapshot import list_paths
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.files.git import Git
    from ultra_runtime.plan.inline import InlineCommand
    from ultra_runtime.proof.conditions import Tried
    from ultra_runtime.run.state.assignment import Assignment
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.run_place import RunPlace


PASS, FAIL, SKIPPED, NO_COMMAND = "pass", "fail", "skipped", "n/a"
MOST_NAMED = 20


class Exits(Struct):
    """The result of the exit conditions: pass, fail, skipped or n/a; which failed, which passed, which no command checks."""

    status: str
    rows: Sequence[str] = ()
    held: Sequence[str] = ()
    to_check: Sequence[str] = ()


def exit_conditions(git: Git, place: RunPlace, assignment: Assignment, end: str) -> list[InlineCommand]:
    """Return the exit conditions of a run; a session that ends last has the Verification of the plan too."""
    conditions = list(assignment.exits)
    plan = plan_done_with(git, place, end) if place.session is not None else None
    known = {(one.command, one.expected) for one in conditions}
    verification = plan.verification if plan else []
    return conditions + [one for one in verification if (one.command, one.expected) not in known]


def judge_exits(
    live: Live, conditions: Sequence[InlineCommand], tried: Tried | None, left: Sequence[str]
) -> Exits:
    """Return how the exit conditions ended; other prose than NO_CHANGES decides nothing, and is listed for a person.

    `left` is what has changed since the last step and is not committed.
    """
    commands = conditions_of([], [one for one in conditions if not is_clean_tree(one)])
    clean = any(map(is_clean_tree, conditions))
    prose = [
        f"for a person to check: {one_line(one.text)}"
        for one in conditions
        if not one.command and not is_clean_tree(one)
    ]
    if tried is None:
        return Exits(SKIPPED if commands or clean else NO_COMMAND)
    if not commands and not clean:
        return Exits(NO_COMMAND, to_check=prose)
    if not (clean or any(one.command in tried.rows for one in commands)):
        return Exits(SKIPPED, to_check=prose)
    uncommitted = [f"{NO_CHANGES}: not committed: {list_paths(left, MOST_NAMED)}"] if clean and left else []
    checked = [(one.command, tried.problem(one)) for one in commands]
    rows = uncommitted + [f"`{one_line(command)}` {problem}" for command, problem in checked if problem]
    held = [
        f"`{one_line(command)}` passes"
        for command, problem in checked
        if not problem and command in tried.rows
    ]
    if clean and not left:
        held.append(NO_CHANGES)
    return Exits(FAIL if rows else PASS, rows, held, prose)


def is_clean_tree(condition: InlineCommand) -> bool:
    """Return whether a condition asks for a tree without uncommitted changes, which code decides."""
    return condition.text.casefold().startswith(NO_CHANGES)
