"""Where the waves of a plan stand: the lines of the journal, taken one by one."""

from __future__ import annotations

from ultra_runtime.files.run_refs import AROUND
from ultra_runtime.run.state.statuses import COMPLETED, STOPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ultra_runtime.run.state.wave_journal import Journal

WAITING, RUNNING, ENDED, PASSED, FAILED, LACKING, MERGED, CONFLICT = (
    "waiting", "running", "ended", "passed", "failed", "partial", "merged", "merge-failed",
)  # fmt: skip
"""A session: not started, at work, to be audited, and the verdicts on it."""
BROKEN = (FAILED, LACKING, CONFLICT)
AGAIN = {FAILED: WAITING, RUNNING: WAITING, LACKING: ENDED, CONFLICT: PASSED}
"""What a session is when a person resumes waves that were over."""
LOST, LIMITED = "lost", "rate limit"
"""Ends of an attempt that are nobody's fault: another attempt follows."""


class SessionStand:
    """One session: its attempts and the verdict on them."""

    def __init__(self, number: int, title: str, wave: int, steps: list[int]) -> None:
        self.number = number
        self.title = title
        self.wave = wave
        self.steps = steps
        self.state = WAITING
        self.attempt = 0
        self.depth = 0
        """How many recoveries were dispatched."""
        self.missing: list[int] = []
        self.lost = 0
        self.lease: Mapping[str, Any] = {}
        self.end: Mapping[str, Any] = {}
        self.why = ""
        self.tip = ""
        """The commit that the audit passed."""
        self.merged = ""
        self.dollars = 0.0
        self.tokens = 0
        self.seconds = 0
        self.rescued: list[str] = []
        self.cleaned = True
        self.wait_until = 0
        self.waited = 0
        """Seconds that it has waited for rate limits."""

    @property
    def is_open(self) -> bool:
        """Whether something is left to do before its wave can be integrated."""
        return self.state in (WAITING, RUNNING, ENDED)


class WaveStand:
    """One wave: the commit that its sessions start from, and what came out of them."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.onto = base
        """Where the user's branch was moved last, and what the next merge goes onto."""
        self.merges: list[tuple[int, str]] = []
        """Session and merge commit, in order."""
        self.red: list[str] | None = None
        """What is wrong with the integrated copy; None before it was tried."""
        self.to = ""
        """The commit that the user's branch is moved to."""

    @property
    def tip(self) -> str:
        """The integrated commit so far."""
        return self.merges[-1][1] if self.merges else self.onto


class WaveState:
    """The waves of one plan."""

    def __init__(self) -> None:
        self.begin: dict[str, Any] = {}
        self.sessions: dict[int, SessionStand] = {}
        self.waves: dict[int, WaveStand] = {}
        self.result = ""
        self.why: list[str] = []

    @property
    def begun(self) -> bool:
        return bool(self.begin)

    @property
    def unfinished(self) -> bool:
        """Whether there is something to resume."""
        return self.begun and self.result != COMPLETED

    @property
    def dollars(self) -> float:
        return sum(one.dollars for one in self.sessions.values())

    def of_wave(self, wave: int) -> list[SessionStand]:
        """Return the sessions of a wave in the order of the plan."""
        return [one for one in self.sessions.values() if one.wave == wave]

    def is_done(self, wave: int) -> bool:
        """Tell whether every session of a wave is on the user's branch."""
        return all(one.state == MERGED for one in self.of_wave(wave))

    def take(self, row: Mapping[str, Any]) -> None:
        """Take one line of the journal."""
        getattr(self, f"_take_{row['act']}")(row)

    def _take_begin(self, row: Mapping[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self.begin = dict(row)
        for one in row["parts"]:
            stand = SessionStand(one["number"], one["title"], one["wave"], one["steps"])
            if one.get("done"):
                stand.state, stand.merged = MERGED, one["done"]
            self.sessions[stand.number] = stand

    def _take_refused(self, row: Mapping[str, Any]) -> None:
        self.result, self.why = STOPPED, list(row["why"])

    def _take_resume(self, row: Mapping[str, Any]) -> None:
        self.begin.update(row.get("options") or {})
        if not self.result:  # the supervisor was killed: it goes on exactly where it was
            return
        self.result, self.why = "", []
        for one in self.sessions.values():
            one.lost = one.waited = 0
            one.state = AGAIN.get(one.state, one.state)
        for wave in self.waves.values():
            wave.merges, wave.red, wave.to = [], None, ""

    def _take_around(self, row: Mapping[str, Any]) -> None:
        self.begin[AROUND] = row[AROUND]

    def _take_onto(self, row: Mapping[str, Any]) -> None:
        wave = self.waves[row["wave"]]
        wave.onto, wave.merges, wave.red, wave.to = row["onto"], [], None, ""

    def _take_wave(self, row: Mapping[str, Any]) -> None:
        self.waves[row["wave"]] = WaveStand(row["base"])

    def _take_lease(self, row: Mapping[str, Any]) -> None:
        one = self.sessions[row["session"]]
        one.state, one.lease, one.attempt, one.depth = RUNNING, row, row["attempt"], row["depth"]
        one.cleaned = False

    def _take_end(self, row: Mapping[str, Any]) -> None:
        one = self.sessions[row["session"]]
        one.state, one.end = ENDED, row
        one.dollars += row.get("dollars") or 0
        one.tokens += row.get("tokens") or 0
        one.seconds += row.get("seconds") or 0
        if row["how"] in (LOST, LIMITED):
            one.state = WAITING
            one.lost += row["how"] == LOST
            one.wait_until = row.get("until") or 0
            one.waited += row.get("wait") or 0

    def _take_audit(self, row: Mapping[str, Any]) -> None:
        one = self.sessions[row["session"]]
        one.state, one.why, one.missing = row["state"], row.get("why") or "", row.get("missing") or []
        one.tip = row.get("tip") or ""
        if one.state == WAITING:  # a recovery follows
            one.depth = row["depth"]

    def _take_rescued(self, row: Mapping[str, Any]) -> None:
        rescued = self.sessions[row["session"]].rescued
        if row["ref"] not in rescued:
            rescued.append(row["ref"])

    def _take_merge(self, row: Mapping[str, Any]) -> None:
        """The act before a merge: it counts when it is done."""

    _take_clean = _take_merge

    def _take_merged(self, row: Mapping[str, Any]) -> None:
        self.waves[row["wave"]].merges.append((row["session"], row["commit"]))

    def _take_unmerged(self, row: Mapping[str, Any]) -> None:
        one = self.sessions[row["session"]]
        one.state, one.why = CONFLICT, row["why"]

    def _take_verified(self, row: Mapping[str, Any]) -> None:
        self.waves[row["wave"]].red = list(row["red"])

    def _take_advance(self, row: Mapping[str, Any]) -> None:
        self.waves[row["wave"]].to = row["to"]

    def _take_advanced(self, row: Mapping[str, Any]) -> None:
        wave = self.waves[row["wave"]]
        for number, commit in wave.merges:
            one = self.sessions[number]
            one.state, one.merged, one.why, one.cleaned = MERGED, commit, "", False
        wave.onto, wave.merges, wave.red, wave.to = row["to"], [], None, ""

    def _take_cleaned(self, row: Mapping[str, Any]) -> None:
        one = self.sessions[row["session"]]
        one.cleaned = True
        one.dollars += row.get("dollars") or 0  # of an attempt that was ended

    def _take_over(self, row: Mapping[str, Any]) -> None:
        self.result, self.why = row["result"], list(row["why"])


def read_wave_state(journal: Journal) -> WaveState:
    """Return where the waves stand."""
    return folded(journal.rows())


def folded(rows: Iterable[Mapping[str, Any]]) -> WaveState:
    """Return the state that the lines of a journal lead to."""
    state = WaveState()
    for row in rows:
        state.take(row)
    return state
