"""Run attempts on other machines: an engine starts a worker, and the hub says how it stands.

An attempt is lost when the engine says that it is gone and there is no result, when it gives no sign of life, or when it
is past its deadline. It is then ended as far as it can be reached, and whatever it pushes later is fenced off.
"""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.engines.choosing import engine_named
from ultra_runtime.engines.engine import GONE, QUEUED, RUNNING, UNREACHED, EngineTask
from ultra_runtime.files.git import GitError
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.quick_write import make_folder, put
from ultra_runtime.rendered import launcher
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.tables.limits import LOST_SECONDS, QUEUE_SECONDS
from ultra_runtime.text.jsontext import write
from ultra_runtime.waves.hub import (
    ATTEMPT,
    BASE,
    BEAT,
    BUNDLE_REF,
    LEASE,
    HubError,
    HubWatch,
    bundle_commit,
    hub_of,
    told_by,
    told_commit,
)
from ultra_runtime.waves.leasing import job_of
from ultra_runtime.waves.taking import keep_ghost, show_progress, take_result
from ultra_runtime.waves.worker_line import worker_line
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ultra_runtime.waves.local_engine import Attempt
    from ultra_runtime.waves.wave_run import WaveRun

HANDLES = "handles"
LONGER_SECONDS = 1800.0
"""What an attempt may take besides its session: to fetch, to set up and to push."""
BEATS = 6
"""How many signs of life fit into the time after which an attempt is lost."""
LONGEST_BEAT = 30.0
ASK_SECONDS = 2.0
"""How often an engine is asked for the state of an attempt at most."""


class Followed(Struct):
    """What is known about an attempt that runs elsewhere, by this machine's clock."""

    beat: str
    alive_at: float
    """When it was last seen alive."""
    asked_at: float
    queued_at: float
    running_at: float
    gone_at: float = 0.0


class RemoteEngine:
    """Attempts on other machines."""

    is_local = False

    def __init__(self, run: WaveRun) -> None:
        self.run = run
        self.engine = engine_named(run.state.begin["on"], run.settings)
        self.hub = hub_of(run.git, run.settings.hub, run.place.slug)
        self.watch = HubWatch(self.hub)
        self.lost_seconds = float(run.settings.limits.get(fields.LIMITS_LOST_SECONDS, LOST_SECONDS))
        self.queue_seconds = float(run.settings.limits.get(fields.LIMITS_QUEUE_SECONDS, QUEUE_SECONDS))
        self.beat_seconds = min(LONGEST_BEAT, self.lost_seconds / BEATS)
        self.bundle = ""
        self.followed: dict[int, Followed] = {}
        self.settled: set[str] = set()
        """The results at the hub that were taken or kept."""

    def start(self, attempt: Attempt) -> None:
        """Put the lease of an attempt into the hub, then let the engine start its worker."""
        self.followed.pop(attempt.session, None)
        job = {**job_of(self.run, attempt), "prefix": self.hub.prefix, "beat_seconds": self.beat_seconds}
        words = f"attempt {attempt.number} at session {attempt.session}"
        lease = told_commit(self.run.git, job, [job["start"]], words)
        try:
            self._publish(
                {self.hub.of(LEASE, attempt.session, attempt.number): lease, self.hub.ref(BASE): job["base"]}
            )
        except HubError as problem:
            raise RefusedError(
                f"the hub does not answer: {one_line(problem.said, 200)}", "resume later"
            ) from None
        setup = self.run.settings.worker_setup
        text = worker_line(self.hub, attempt.session, attempt.number, lease, self.bundle, setup)
        turn = attempt.session + attempt.number
        handle = self.engine.start(EngineTask(self._name(attempt), text, attempt.seconds, turn))
        make_folder(os.path.dirname(self._handle_file(attempt)))
        kept = {"name": self._name(attempt), "handle": handle}
        put(self._handle_file(attempt), (write(kept) + "\n").encode())

    def _publish(self, refs: dict[str, str]) -> None:
        """Set refs at the hub, and the bundle once."""
        if not self.bundle:
            bundle = bundle_commit(self.run.git)
            self.hub.put({**refs, self.hub.ref(BUNDLE_REF): bundle})
            self.bundle = bundle
        else:
            self.hub.put(refs)

    def state(self, attempt: Attempt) -> Mapping[str, Any] | None:
        """Return how an attempt ended, None while it runs; what it did is then in this repository."""
        if self.watch.look():
            self.fence()
        ref = self.hub.of(ATTEMPT, attempt.session, attempt.number)
        if ref in self.watch.refs:
            return self._taken(attempt, ref)
        return self._lost(attempt)

    def _taken(self, attempt: Attempt, ref: str) -> Mapping[str, Any] | None:
        try:
            self.hub.fetch([ref])
        except HubError:
            return None
        commit = self.watch.refs[ref]
        told = told_by(self.run.git, commit)
        if told.get("mark") != attempt.mark:  # of an earlier run of this plan, which had the same numbers
            keep_ghost(self.run, attempt.session, attempt.number, commit, told)
            self._drop({ref: commit})
            return None
        end = take_result(self.run, self.run.state.sessions[attempt.session], told)
        self._forget(attempt.session, attempt.number)
        return end

    def _lost(self, attempt: Attempt) -> Mapping[str, Any] | None:
        """Return why an attempt without a result is given up; None while there is hope."""
        now = time.monotonic()
        one = self.followed.setdefault(attempt.session, Followed("", now, 0.0, now, 0.0))
        if self.watch.problem:
            one.alive_at = now  # nobody can see signs of life now
        beat = self.watch.refs.get(self.hub.of(BEAT, attempt.session, attempt.number), "")
        if beat != one.beat:
            one.beat, one.alive_at, one.running_at = beat, now, one.running_at or now
            self._show(attempt)
        silent = now - one.alive_at
        if one.running_at and now - one.running_at > attempt.seconds + LONGER_SECONDS:
            return self._give_up(attempt, "it is past its deadline", late=True)
        is_fresh = bool(one.running_at) and silent < 2 * self.beat_seconds and not one.gone_at
        if now - one.asked_at < min(self.beat_seconds, ASK_SECONDS) or (
            is_fresh and not self.engine.is_quick
        ):
            return None
        one.asked_at = now
        found = self.engine.state(self._name(attempt), self._handle(attempt))
        if found.state == QUEUED:
            one.alive_at = now
            if now - one.queued_at > self.queue_seconds:
                return self._give_up(
                    attempt, f"it waited {self.queue_seconds:.0f} s for a machine ({found.why})"
                )
            return None
        if found.state == RUNNING:
            one.running_at, one.gone_at = one.running_at or now, 0.0
        if found.state == GONE and not self.watch.problem:
            if one.gone_at and self.watch.seen_at > one.gone_at:
                return self._give_up(attempt, found.why)
            one.gone_at = one.gone_at or now
            return None
        if silent > self.lost_seconds:
            words = f"it gave no sign of life for {self.lost_seconds:.0f} s"
            return self._give_up(attempt, f"{words} ({found.why})" if found.state == UNREACHED else words)
        return None

    def _give_up(self, attempt: Attempt, why: str, late: bool = False) -> Mapping[str, Any]:
        self.followed.pop(attempt.session, None)
        problem = self.end(attempt)
        why = f"{why}; {problem}" if problem else why
        return {"status": None, "late": late, "why": "", "lost": one_line(why, 300), "seconds": 0}

    def _show(self, attempt: Attempt) -> None:
        """Let people see the step that an attempt is at."""
        ref = self.hub.of(BEAT, attempt.session, attempt.number)
        try:
            self.hub.fetch([ref])
        except HubError:
            return
        show_progress(self.run.state.sessions[attempt.session], told_by(self.run.git, self.watch.refs[ref]))

    def end(self, attempt: Attempt) -> str:
        """End an attempt; return why it may still run, or nothing."""
        path = self._handle_file(attempt)
        if not os.path.exists(path) and self._is_over(attempt):
            return ""
        return self._end_task(path, self._name(attempt), self._handle(attempt))

    def _end_task(self, path: str, name: str, handle: str) -> str:
        try:
            problem = self.engine.end(name, handle)
        except RefusedError as refusal:
            problem = refusal.error
        if not problem and os.path.exists(path):
            os.unlink(path)
        return problem

    def _is_over(self, attempt: Attempt) -> bool:
        """Tell whether an attempt has ended before, so that there is nothing to end."""
        one = self.run.state.sessions[attempt.session]
        return one.end.get("attempt") == attempt.number

    def fence(self, is_over: bool = False) -> None:
        """Keep and name the results of attempts that are not leased; they change nothing else.

        When everything is over, nobody takes the result of a leased attempt any more: it is kept, too.
        """
        for ref, commit in self.watch.refs.items():
            session, attempt = _numbers(ref[len(self.hub.prefix) + 1 :], ATTEMPT)
            one = self.run.state.sessions.get(session)
            is_leased = one is not None and one.attempt == attempt and one.end.get("attempt") != attempt
            if one is None or (is_leased and not is_over) or f"{ref} {commit}" in self.settled:
                continue
            if self.run.git.ref(ref) != commit:  # not taken before
                try:
                    self.hub.fetch([ref])
                    keep_ghost(self.run, session, attempt, commit, told_by(self.run.git, commit))
                except GitError:
                    continue
                self._forget(session, attempt)
            self.settled.add(f"{ref} {commit}")

    def close(self) -> list[str]:
        """Look for late results once more, remove what is ours from the hub, and return what could not be reached."""
        problems = self._end_all()
        try:
            self.watch.next_at = 0.0
            self.watch.look()
            self.fence(is_over=True)
            self._drop({ref: old for ref, old in self.watch.refs.items() if ref not in self._still_leased()})
        except GitError as problem:
            problems.append(
                f"the refs {self.hub.prefix}/* are still on the hub: {one_line(problem.said, 200)}"
            )
        if self.watch.problem:
            problems.append(
                f"the hub does not answer, so late results were not looked for: {self.watch.problem}"
            )
        return problems

    def _end_all(self) -> list[str]:
        """End what could not be reached before, and return what still cannot."""
        folder, problems = self.run.journal.place(HANDLES), []
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            told = read_json(path)
            why = self._end_task(path, str(told.get("name")), str(told.get("handle") or ""))
            if why:
                problems.append(
                    f"{os.path.splitext(name)[0]} may still run, and what it pushes is not taken: {why}"
                )
        return problems

    def _still_leased(self) -> set[str]:
        """Return the leases of attempts that could not be ended: a hub with rules takes their results later, too."""
        folder = self.run.journal.place(HANDLES)
        names = os.listdir(folder) if os.path.isdir(folder) else ()
        numbers = (name[: -len(".json")].split("-") for name in names)
        return {self.hub.of(LEASE, int(one[1]), int(one[3])) for one in numbers}

    def _drop(self, refs: Mapping[str, str]) -> None:
        self.hub.drop(refs)
        for ref in list(refs):
            self.watch.refs.pop(ref, None)

    def _name(self, attempt: Attempt) -> str:
        return f"{launcher()}-{attempt.session}-{attempt.number}-{attempt.mark}"

    def _forget(self, session: int, attempt: int) -> None:
        """Forget where an attempt runs that has pushed its result: it ends by itself."""
        path = self._place(session, attempt)
        if os.path.exists(path):
            os.unlink(path)

    def _place(self, session: int, attempt: int) -> str:
        return self.run.journal.place(HANDLES, f"session-{session}-attempt-{attempt}.json")

    def _handle_file(self, attempt: Attempt) -> str:
        return self._place(attempt.session, attempt.number)

    def _handle(self, attempt: Attempt) -> str:
        """Return where the engine put an attempt; nothing if the start was cut off before that was written."""
        return str(read_json(self._handle_file(attempt)).get("handle") or "")


def _numbers(name: str, kind: str) -> tuple[int, int]:
    """Return session and attempt of a ref of a kind; zeros for any other ref."""
    folder, _, last = name.partition("/")
    session, attempt = folder[len("session-") :], last[len(kind) + 1 :]
    if (
        folder.startswith("session-")
        and last.startswith(f"{kind}-")
        and session.isdigit()
        and attempt.isdigit()
    ):
        return int(session), int(attempt)
    return 0, 0
