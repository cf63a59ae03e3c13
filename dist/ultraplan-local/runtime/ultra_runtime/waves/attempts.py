"""Attempts at a session: what is leased, the client that is started, and what its end means."""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.stages import command_for
from ultra_runtime.engines.choosing import LOCAL
from ultra_runtime.files.digest import sha256
from ultra_runtime.rendered import BUNDLE, launcher
from ultra_runtime.run.state.shell_call import open_logs
from ultra_runtime.run.state.wave_state import LIMITED, LOST, RUNNING, WAITING
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.tables.limits import RATE_LIMIT_MINUTES, SESSION_DOLLARS
from ultra_runtime.waves.client_words import client_words
from ultra_runtime.waves.local_engine import Attempt
from ultra_runtime.waves.recovery import write_recovery
from ultra_runtime.waves.session_tree import make_tree, refuse_strange_branch
from ultra_runtime.waves.stream import OUT_OF_MONEY, Spoken, read_stream
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_engine import WaveEngine
    from ultra_runtime.waves.wave_run import WaveRun

DONE, LATE, MONEY, NOT_STARTED = "done", "time limit", "budget", "not started"
"""How an attempt ended, besides being lost or limited."""
LEAST_DOLLARS = 0.01
MOST_LOST = 3
AGAIN_SECONDS = (5, 20, 60)
"""How long to wait each time before an attempt elsewhere is started again that could not start."""
SHORTEST_WAIT = 60
"""Seconds that a rate limit counts for at least, so that one that never ends is not waited out for ever."""
PRIVATE = 0o700


def start_attempt(run: WaveRun, one: SessionStand, engine: WaveEngine) -> None:
    """Lease the next attempt at a session and start it; one that cannot start has ended."""
    refuse_strange_branch(run, one.number)
    tree, branch = tree_of(run, one.number), run.branch_of(one.number)
    base = run.state.waves[one.wave].base
    dollars = allotted(run, one)
    temporary = _temporary(run, one.number) if engine.is_local else ""
    run.note(
        "lease", session=one.number, attempt=one.attempt + 1, depth=one.depth, tree=tree, branch=branch, base=base,
        dollars=dollars, mark=os.urandom(8).hex(), temporary=temporary,
    )  # fmt: skip
    if dollars is not None and dollars < LEAST_DOLLARS:
        _end(run, one, MONEY, why="the budget is used up")
        return
    try:
        if engine.is_local:
            make_tree(run, tree, base, branch)
            if one.depth:
                write_recovery(run, one)
            _make_private(one.lease["temporary"])
        engine.start(attempt_of(run, one, client_command(run, one)))
    except (RefusedError, OSError) as problem:
        why = one_line(getattr(problem, "error", "") or str(problem), 300)
        if engine.is_local or one.lost >= MOST_LOST:
            _end(run, one, NOT_STARTED, why=why)
        else:  # another machine or the hub does not answer now
            _end(run, one, LOST, why=why, until=round(time.time()) + AGAIN_SECONDS[one.lost])


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
    """Return the client with this bundle, as it runs one session on this machine."""
    begin = run.state.begin
    prompt, dollars = prompt_of(run, one), one.lease.get("dollars")
    return client_words(begin["client"], BUNDLE, prompt, begin["mode"], begin["model"], dollars)


def is_remote(run: WaveRun) -> bool:
    """Tell whether the sessions run on other machines."""
    return bool(run.state.begin.get("on", LOCAL) != LOCAL)


def tree_of(run: WaveRun, session: int) -> str:
    """Return the working tree of a session; of one elsewhere, the folder with the little that is known about it here."""
    return run.journal.place("elsewhere", f"session-{session}") if is_remote(run) else run.tree_of(session)


def start_of(run: WaveRun, one: SessionStand) -> str:
    """Return the commit that an attempt elsewhere starts from: the base, or what the audit saw before a recovery."""
    return (one.tip if one.depth else "") or run.state.waves[one.wave].base


def prompt_of(run: WaveRun, one: SessionStand) -> str:
    """Return the command of a session as a person would type it."""
    slug = run.slugs_of(one)[-1]
    resume = "--resume " if not is_remote(run) and "start" in run.git.refs(slug) else ""
    plan = run.spec_of(one.number, one.depth) if one.depth else run.place.shown
    project = f"--project {run.place.project.shown} " if run.place.project else ""
    return f"{command_for(progress_fields.KIND)} {project}{resume}--session {one.number} {plan}"


def take_end(run: WaveRun, one: SessionStand, engine: WaveEngine) -> bool:
    """Write down how the attempt of a session ended; return whether it has."""
    attempt = attempt_of(run, one)
    end = engine.state(attempt)
    if end is None:
        return False
    spoken = Spoken(**end["spoken"]) if end.get("spoken") else read_stream(attempt.log)
    used: dict[str, Any] = {
        "dollars": spent(one, spoken), "tokens": spoken.tokens, "seconds": end.get("seconds") or 0,
    }  # fmt: skip
    if end.get("machine"):
        used["machine"] = end["machine"]
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


def spent(one: SessionStand, spoken: Spoken) -> float:
    """Return the dollars of an attempt; one that ended before the client could say counts for its whole share."""
    unknown = spoken.answered and not spoken.ended
    return round((one.lease.get("dollars") or 0.0) if unknown else spoken.dollars, 4)


def _meaning(end: Mapping[str, Any], kind: str) -> tuple[str, str]:
    if not end or end.get("lost"):
        return LATE if end.get("late") else LOST, end.get("lost") or "its process ended without a result"
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
