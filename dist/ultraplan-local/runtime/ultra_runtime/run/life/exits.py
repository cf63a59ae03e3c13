"""Check the exit conditions of a run, and those of the whole plan when its last session ends."""

from __future__ import annotations

import os

from ultra_runtime.files.digest import sha256
from ultra_runtime.files.regular_file import UnreadableError, read_regular
from ultra_runtime.files.run_files import PLAN_FILE
from ultra_runtime.run.life.sessions import plan_done_with
from ultra_runtime.run.state.judging import why_blocked
from ultra_runtime.run.state.shell_call import run_command
from ultra_runtime.struct import Struct
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.plan.inline import InlineCommand
    from ultra_runtime.run.state.live import Live
    from ultra_runtime.run.state.run_place import RunPlace


PASS, FAIL, SKIPPED, NO_COMMAND = "pass", "fail", "skipped", "n/a"


class Exits(Struct):
    """The result of the exit conditions: pass, fail, skipped or n/a, which failed, and which passed."""

    status: str
    rows: list[str]
    held: Sequence[str] = ()


def check_exits(live: Live) -> Exits:
    """Run the exit conditions when every step is over; prose is listed and decides nothing."""
    over = not live.ended and live.all_over()
    conditions, problems = list(live.assignment.exits), []
    if over and live.place.session is not None:
        problems = _of_plan(live, conditions)
    commands = [one for one in conditions if one.command]
    if not commands and not problems:
        return Exits(NO_COMMAND, [])
    if not over:
        return Exits(SKIPPED, [])
    checked = [(one, _problem(live, number, one)) for number, one in enumerate(commands, 1)]
    rows = problems + [problem for _, problem in checked if problem]
    held = [f"`{one_line(one.command or '')}` passes" for one, problem in checked if not problem]
    prose = [f"for a person to check: {one_line(one.text)}" for one in conditions if not one.command]
    return Exits(FAIL if rows else PASS, [*rows, *prose], held)


def _of_plan(live: Live, conditions: list[InlineCommand]) -> list[str]:
    """Add the Verification of the plan when this session ends last, and return why it cannot be run."""
    plan = plan_done_with(live.git, live.place)
    if plan is None or not plan.verification:
        return []
    known = {(one.command, one.expected) for one in conditions}
    conditions += [one for one in plan.verification if (one.command, one.expected) not in known]
    pinned = live.lock.get("whole")
    if pinned and pinned != digest_of_plan(live.place):
        return [f"{PLAN_FILE} was edited during the run, so its Verification proves nothing"]
    return []


def digest_of_plan(place: RunPlace) -> str | None:
    """Return the digest of the plan that a session spec belongs to; the run is pinned to it as well."""
    path = os.path.join(place.folder, PLAN_FILE)
    if place.session is None or not place.project or place.plan == path:
        return None
    try:
        return sha256(read_regular(path))
    except UnreadableError:
        return None


def _problem(live: Live, number: int, one: InlineCommand) -> str:
    command = one.command or ""
    reason = why_blocked(live.place, command)
    if reason:
        return f"`{one_line(command)}` is blocked and was not run: {reason}"
    outcome = run_command(live.place, command, f"exit-condition-{number}.log", live.command_seconds())
    if outcome.late:
        return f"`{one_line(command)}` timed out"
    if outcome.status:
        return f"`{one_line(command)}` failed with exit status {outcome.status}, see {outcome.log}"
    if one.literal and not outcome.contains(one.expected):
        return f"`{one_line(command)}` did not print {one_line(one.expected, 120)}, see {outcome.log}"
    return ""
