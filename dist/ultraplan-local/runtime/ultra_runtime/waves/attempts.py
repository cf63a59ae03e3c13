"""Attempts at a session: what is leased, the client that is started, and what its end means."""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.stages import command_for
from ultra_runtime.files.digest import sha256
from ultra_runtime.rendered import BUNDLE, launcher
from ultra_runtime.run.state.shell_call import open_logs
from ultra_runtime.run.state.wave_state import LIMITED, LOST, RUNNING, WAITING
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.tables.limits import RATE_LIMIT_MINUTES, SESSION_DOLLARS
from ultra_runtime.waves.local_engine import Attempt
from ultra_runtime.waves.recovery import write_recovery
from ultra_runtime.waves.session_tree import make_tree
from ultra_runtime.waves.stream import OUT_OF_MONEY, read_stream
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.local_engine import LocalEngine
    from ultra_runtime.waves.wave_run import WaveRun

TOOLS = "Bash,Read,Edit,Write,Grep,Glob"
DONE, LATE, MONEY, NOT_STARTED = "done", "time limit", "budget", "not started"
"""How an attempt ended, besides being lost or limited."""
LEAST_DOLLARS = 0.01
MOST_LOST = 3
SHORTEST_WAIT = 60
"""Seconds that a rate limit counts for at least, so that one that never ends is not waited out for ever."""
PRIVATE = 0o700


def start_attempt(run: WaveRun, one: SessionStand, engine: LocalEngine) -> None:
    """Lease the next attempt at a session and start it; one that cannot start has ended."""
    tree, branch = run.tree_of(one.number), run.branch_of(one.number)
    base = run.state.waves[one.wave].base
    dollars = allotted(run, one)
    run.note(
        "lease", session=one.number, attempt=one.attempt + 1, depth=one.depth, tree=tree, branch=branch, base=base,
        dollars=dollars, mark=os.urandom(8).hex(), temporary=_temporary(run, one.number),
    )  # fmt: skip
    if dollars is not None and dollars < LEAST_DOLLARS:
        _end(run, one, MONEY, why="the budget is used up")
        return
    try:
        make_tree(run, tree, base, branch)
        if one.depth:
            write_recovery(run, one)
        _make_private(one.lease["temporary"])
        engine.start(attempt_of(run, one, client_command(run, one)))
    except (RefusedError, OSError) as problem:
        _end(run, one, NOT_STARTED, why=one_line(getattr(problem, "error", "") or str(problem), 300))


def attempt_of(run: WaveRun, one: SessionStand, command: Sequence[str] = ()) -> Attempt:
    """Return the leased attempt of a session; the command is needed to start it only."""
    lease, begin = one.lease, run.state.begin
    return Attempt(
        one.number,
        lease["attempt"],
        lease["tree"],
        command,
        f"{run.place.slug}-session-{one.number}",
        lease["temporary"],
        lease["mark"],
        begin["minutes"] * 60,
        log_of(run, one.number, lease["attempt"]),
        run.journal.folder,
    )


def log_of(run: WaveRun, session: int, attempt: int) -> str:
    """Return the log of an attempt, in the project."""
    return os.path.join(open_logs(run.place, "waves"), f"session-{session}-attempt-{attempt}.log")


def client_command(run: WaveRun, one: SessionStand) -> list[str]:
    """Return the client with this bundle, as it runs one session."""
    begin = run.state.begin
    words = [begin["client"], "-p", prompt_of(run, one), "--plugin-dir", BUNDLE, "--tools", TOOLS]
    words += ["--output-format", "stream-json", "--verbose"]
    if begin["mode"]:
        words += ["--permission-mode", begin["mode"]]
    if begin["model"]:
        words += ["--model", begin["model"]]
    if one.lease.get("dollars") is not None:
        words += ["--max-budget-usd", f"{one.lease['dollars']:.2f}"]
    return words


def prompt_of(run: WaveRun, one: SessionStand) -> str:
    """Return the command of a session as a person would type it."""
    slug = run.slugs_of(one)[-1]
    resume = "--resume " if "start" in run.git.refs(slug) else ""
    plan = run.spec_of(one.number, one.depth) if one.depth else run.place.shown
    project = f"--project {run.place.project.shown} " if run.place.project else ""
    return f"{command_for(progress_fields.KIND)} {project}{resume}--session {one.number} {plan}"


def take_end(run: WaveRun, one: SessionStand, engine: LocalEngine) -> bool:
    """Write down how the attempt of a session ended; return whether it has."""
    attempt = attempt_of(run, one)
    end = engine.stands(attempt)
    if end is None:
        return False
    spoken = read_stream(attempt.log)
    used: dict[str, Any] = {
        "dollars": round(spoken.dollars, 4), "tokens": spoken.tokens, "seconds": end.get("seconds") or 0,
    }  # fmt: skip
    how, why = _meaning(end, spoken.kind)
    if end and spoken.resets:
        how, why = LIMITED, "the client's rate limit was reached"
        wait = spoken.resets - time.time()
        used.update(until=spoken.resets, wait=max(round(wait), SHORTEST_WAIT))
        if one.waited + used["wait"] > RATE_LIMIT_MINUTES * 60:
            how, why = LATE, f"{why}, and it resets in {max(wait, 0) / 60:.0f} minutes"
    if how == LOST and one.lost >= MOST_LOST:
        how, why = NOT_STARTED, f"its process was lost {MOST_LOST + 1} times"
    if how == DONE and end["status"]:
        why = spoken.last
    _end(run, one, how, why=why, status=end.get("status"), **used)
    return True


def _meaning(end: Mapping[str, Any], kind: str) -> tuple[str, str]:
    if not end:
        return LOST, "its process is gone without a word"
    if (end["status"] or 0) < 0 and not end["late"]:
        return LOST, f"its process was killed by signal {-end['status']}"
    if end["why"]:
        return NOT_STARTED, one_line(end["why"], 300)
    if end["late"]:
        return LATE, "it was still running at its time limit"
    if kind == OUT_OF_MONEY:
        return MONEY, "it had used its share of the budget"
    return DONE, ""


def _end(run: WaveRun, one: SessionStand, how: str, **values: object) -> None:
    run.note("end", session=one.number, attempt=one.lease["attempt"], how=how, **values)


def budget_of(run: WaveRun) -> float:
    """Return the ceiling of a run in dollars."""
    asked: float | None = run.state.begin["budget"]
    return asked if asked is not None else SESSION_DOLLARS * len(run.state.sessions)


def allotted(run: WaveRun, one: SessionStand) -> float:
    """Return the share of the budget that an attempt may use, so that all together stay below the ceiling."""
    others = [other for other in run.state.sessions.values() if other.is_open and other is not one]
    reserved = sum(other.lease.get("dollars") or 0 for other in others if other.state == RUNNING)
    waiting = sum(other.state == WAITING for other in others) + 1
    return round(max(0.0, budget_of(run) - run.state.dollars - reserved) / waiting, 2)


def _temporary(run: WaveRun, session: int) -> str:
    """Return the path of the session's own folder for temporary files: short, since sockets are made in it."""
    name = f"{launcher()}-{sha256(os.fsencode(run.journal.folder))[:10]}-{session}"
    return os.path.join(os.path.realpath(os.environ.get("TMPDIR") or "/tmp"), name)  # noqa: S108


def _make_private(folder: str) -> None:
    try:
        os.mkdir(folder, PRIVATE)
    except FileExistsError:
        found = os.lstat(folder)
        if os.path.islink(folder) or found.st_uid != os.getuid():
            raise RefusedError(f"{one_line(folder)} belongs to somebody else", "remove it") from None
        os.chmod(folder, PRIVATE)
