"""Serve the waves of one plan until they are over: straight through the plan, each act only if it is not done yet."""

from __future__ import annotations

import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.files.git import GitError
from ultra_runtime.run.state.statuses import COMPLETED, FAILED, PARTIAL, STOPPED
from ultra_runtime.run.state.wave_journal import STOP_NOW
from ultra_runtime.run.state.wave_state import (
    BROKEN,
    ENDED,
    LACKING,
    MERGED,
    PASSED,
    RUNNING,
    WAITING,
)
from ultra_runtime.tables.limits import RATE_LIMIT_MINUTES
from ultra_runtime.waves.advancing import advance, moved
from ultra_runtime.waves.attempts import start_attempt, take_end
from ultra_runtime.waves.cleanup import clean_sessions, clean_up
from ultra_runtime.waves.merging import integrate
from ultra_runtime.waves.verdicts import judge_attempt
from ultra_runtime.waves.wave_engine import engine_of
from ultra_runtime.waves.wave_proof import prove_wave
from ultra_runtime.waves.wave_report import told, write_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_run import WaveRun

NAP = 0.05
BETWEEN_STARTS = 0.3
BY_A_PERSON = "a person stopped it"


def need_not_wait(one: SessionStand, now: float) -> bool:
    """Tell whether a rate limit is over; a time that is further ahead than any wait is from before the clock was set back."""
    return not now < one.wait_until <= now + RATE_LIMIT_MINUTES * 60


class Supervisor:
    """The one process that serves a plan."""

    def __init__(self, run: WaveRun) -> None:
        self.run = run
        self.engine = engine_of(run)
        self.signalled = False
        self.last_start = 0.0

    def serve(self) -> None:
        """Run the waves, clean up whatever happened, and write the end."""
        result, why = FAILED, ["the supervisor ended unexpectedly"]
        try:
            result, why = self._waves()
        except (
            RefusedError,
            GitError,
            OSError,
        ) as problem:  # a full disk, a repository that somebody has moved
            result, why = STOPPED, [f"the supervisor cannot continue: {told(problem)}"]
        finally:
            why += clean_up(self.run, self.engine)
            write_end(self.run, result, why)

    def asked(self) -> bool:
        """Tell whether no further session should start."""
        return self.signalled or bool(self.run.journal.asked())

    def asked_now(self) -> bool:
        """Tell whether the running sessions should be ended too."""
        return self.signalled or self.run.journal.asked() == STOP_NOW

    def _waves(self) -> tuple[str, list[str]]:
        run = self.run
        for wave in sorted({one.wave for one in run.state.sessions.values()}):
            if run.state.is_done(wave):
                continue
            if self.asked():
                return STOPPED, [BY_A_PERSON]
            why = self._pin(wave)
            if why:
                return STOPPED, [why]
            self._sessions(wave)
            stopped = self._verdict(wave)
            if stopped:
                return stopped
            ended = self._integrate(wave)
            if ended:
                return ended
            clean_sessions(run, run.state.of_wave(wave), self.engine)
        return COMPLETED, []

    def _pin(self, wave: int) -> str:
        """Pin the commit that the sessions of a wave start from; it is the user's branch as the last wave left it."""
        run = self.run
        if wave in run.state.waves:
            return ""
        head = run.git.head()
        before = [one.onto for number, one in sorted(run.state.waves.items()) if number < wave]
        known = before[-1] if before else run.state.begin["start"]
        if not run.git.is_ancestor(known, head) or run.git.branch() != run.state.begin["branch"]:
            return moved(run, known, known)
        run.note("wave", wave=wave, base=head)
        return ""

    def _sessions(self, wave: int) -> None:
        """Run the sessions of a wave side by side until each has a verdict, or nothing more may start."""
        run = self.run
        while True:
            own = run.state.of_wave(wave)
            if self.asked_now():
                return
            for one in own:
                if one.state == RUNNING:
                    take_end(run, one, self.engine)
            open_ = (RUNNING, ENDED) if self.asked() else (RUNNING, ENDED, WAITING)
            waits = [one for one in own if one.state == WAITING and WAITING in open_]
            if waits and sum(one.state == RUNNING for one in own) < run.state.begin["jobs"]:
                self._start(waits)
            for one in own:
                if one.state == ENDED:
                    judge_attempt(run, one)
            if not any(one.state in open_ for one in own):
                return
            time.sleep(NAP)

    def _start(self, waits: list[SessionStand]) -> None:
        """Start the next session that need not wait, some time after the one before it."""
        ready = [one for one in waits if need_not_wait(one, time.time())]
        pause = BETWEEN_STARTS if self.engine.is_local else 0
        if ready and time.monotonic() - self.last_start >= pause:
            self.last_start = time.monotonic()
            start_attempt(self.run, ready[0], self.engine)

    def _verdict(self, wave: int) -> tuple[str, list[str]] | None:
        """Return the end of a run whose wave cannot be integrated."""
        own = self.run.state.of_wave(wave)
        why = [f"session {one.number}: {one.why}" for one in own if one.state in BROKEN]
        if any(one.is_open for one in own):
            return STOPPED, [BY_A_PERSON, *why]
        if why:
            lacking = all(one.state == LACKING for one in own if one.state in BROKEN)
            return PARTIAL if lacking else FAILED, why
        return None

    def _integrate(self, wave: int) -> tuple[str, list[str]] | None:
        run = self.run
        own = [one for one in run.state.of_wave(wave) if one.state != MERGED]
        stand = run.state.waves[wave]
        kept = (
            f"{run.state.begin['branch']} is as it was; what was merged is kept in {run.ref(f'wave-{wave}')}"
        )
        why = moved(run, stand.onto, stand.to or stand.onto)
        if why:
            return STOPPED, [why]
        if not integrate(run, wave, own):
            rows = [f"session {one.number}: {one.why}" for one in own if one.state in BROKEN]
            merged = dict(stand.merges)
            left = [
                f"session {one.number} is not merged"
                for one in own
                if one.state == PASSED and one.number not in merged
            ]
            return FAILED, [*rows, *left, kept]
        if stand.red is None:
            prove_wave(run, wave, self.asked_now)
        if stand.red is None:
            return STOPPED, [BY_A_PERSON]
        if stand.red:
            return PARTIAL, [*stand.red, kept]
        why = advance(run, wave)
        return (STOPPED, [why]) if why else None
