"""Decide the entry condition of a session: none, git clean, a command, or the commits of other sessions."""

from __future__ import annotations

import os

from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import PLAN
from ultra_runtime.run.state.judging import why_blocked
from ultra_runtime.run.state.run_place import PLAN_FILE
from ultra_runtime.run.state.shell_call import SECONDS, run_command
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import EntryCondition, Plan
    from ultra_runtime.run.state.assignment import Assignment
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.tree.git import Git


def entry_problem(git: Git, place: RunPlace, assignment: Assignment, accepted: bool) -> str:
    """Return why a run must not begin; nothing when it may."""
    entry = assignment.entry
    if entry.kind == "none":
        return ""
    if entry.kind == "git-clean":
        return _dirty(git, place)
    if entry.kind == "command":
        return _command(place, entry)
    if entry.kind == "sessions":
        return _sessions(git, place, assignment.plan, entry)
    if accepted:
        return ""
    return f'only a person can tell whether this holds: "{one_line(entry.text, 300)}"'


def _dirty(git: Git, place: RunPlace) -> str:
    own = [place.show(place.folder) if place.project else place.shown, *place.own_files()]
    pathspec = [".", *(f":(exclude,top,literal){path}" for path in own)]
    said = git.ask("status", "--porcelain", "-z", "--", *pathspec)
    count = sum(bool(row) for row in said.split(b"\0"))
    return f"git clean: {count} paths are changed and not committed" if count else ""


def _command(place: RunPlace, entry: EntryCondition) -> str:
    reason = why_blocked(place, entry.command)
    if reason:
        return f"its command is blocked and was not run: {reason}"
    outcome = run_command(place, entry.command, "entry-condition.log", SECONDS)
    if outcome.late:
        return f"`{one_line(entry.command)}` did not end in time"
    return f"`{one_line(entry.command)}` ended with exit status {outcome.status}" if outcome.status else ""


def _sessions(git: Git, place: RunPlace, plan: Plan, entry: EntryCondition) -> str:
    whole = plan if plan.kind == PLAN else _master_plan(place)
    head = git.head()
    single = git.refs(place.slug_of(None))
    for number in entry.sessions:
        refs = git.refs(place.slug_of(number))
        steps = next((one.steps for one in whole.sessions if one.number == number), ()) if whole else ()
        if steps:
            found = [{**single, **refs}.get(f"step-{step}", "") for step in steps]
        else:
            found = [refs.get("end", "")]
        if not all(commit and git.is_ancestor(commit, head) for commit in found):
            return f"session {number} has not been committed here"
    return ""


def _master_plan(place: RunPlace) -> Plan | None:
    """Return the plan from which a session spec was made, where it is expected."""
    folder = place.folder if place.project else os.path.dirname(os.path.dirname(place.plan))
    try:
        return read(read_regular(os.path.join(folder, PLAN_FILE)), PLAN)
    except UnreadableError:
        return None
