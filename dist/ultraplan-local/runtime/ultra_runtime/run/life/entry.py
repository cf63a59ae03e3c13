"""Check the entry condition of a session: none, git clean, a command, or the commits of other sessions."""

from __future__ import annotations

import os

from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.plan.reading import read
from ultra_runtime.plan.values import CLEAN_ENTRY, COMMAND_ENTRY, NO_ENTRY, PLAN, SESSIONS_ENTRY
from ultra_runtime.run.state.judging import why_blocked
from ultra_runtime.run.state.shell_call import run_command
from ultra_runtime.run.state.supervised import supervise_beside
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.git import Git
    from ultra_runtime.plan.values import EntryCondition, Plan
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.run_place import RunPlace


def entry_problem(live: Live, accepted: bool) -> str:
    """Return why a run must not start; empty when it may."""
    git, place, assignment = live.git, live.place, live.assignment
    entry = assignment.entry
    if entry.kind == NO_ENTRY:
        return ""
    if entry.kind == CLEAN_ENTRY:
        return _dirty(git, place)
    if entry.kind == COMMAND_ENTRY:
        return _command(live, entry)
    if entry.kind == SESSIONS_ENTRY:
        return _sessions(git, place, assignment.plan, entry)
    if accepted:
        return ""
    return f'only a person can check this: "{one_line(entry.text, 300)}"'


def _dirty(git: Git, place: RunPlace) -> str:
    own = [place.show(place.folder) if place.project else place.shown, *place.own_files()]
    pathspec = [".", *(f":(exclude,top,literal){path}" for path in own)]
    said = git.ask("status", "--porcelain", "-z", "--", *pathspec)
    count = sum(bool(row) for row in said.split(b"\0"))
    return f"git clean: {counted(count, 'path')} with uncommitted changes" if count else ""


def _command(live: Live, entry: EntryCondition) -> str:
    reason = why_blocked(live.place, entry.command)
    if reason:
        return f"its command is blocked and was not run: {reason}"
    ran = supervise_beside(
        live.workspace,
        live.place,
        lambda: run_command(live.place, entry.command, "entry-condition.log", live.command_seconds()),
    )
    outcome = ran.outcome
    live.notes += ran.notes("the entry condition")
    if outcome.late:
        return f"`{one_line(entry.command)}` timed out"
    return f"`{one_line(entry.command)}` failed with exit status {outcome.status}" if outcome.status else ""


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
            return f"the steps of session {number} are not all committed here"
    return ""


def _master_plan(place: RunPlace) -> Plan | None:
    """Return the plan from which a session spec was made, where it is expected."""
    folder = place.folder if place.project else os.path.dirname(os.path.dirname(place.plan))
    try:
        return read(read_regular(os.path.join(folder, PLAN_FILE)), PLAN)
    except UnreadableError:
        return None
