"""Where waves stand: each line of the journal changes what it names and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from ultra_runtime.run.state.wave_state import WaveState, folded

Row = dict[str, Any]
Rows = list[Row]
PARTS = [
    {"number": number, "title": f"Part {number}", "wave": wave, "steps": [number]}
    for number, wave in ((1, 1), (2, 1), (3, 2))
]
BEGIN: Rows = [{"act": "begin", "parts": PARTS, "branch": "main"}, {"act": "wave", "wave": 1, "base": "base"}]
LEASE: Row = {"act": "lease", "session": 1, "attempt": 1, "depth": 0}
STATES = ("waiting", "running", "ended", "passed", "failed", "partial", "merged", "merge-failed")
AGAIN = {"failed": "waiting", "running": "waiting", "partial": "ended", "merge-failed": "passed"}


def flat(state: WaveState) -> dict[str, Any]:
    """Return every value of a state by its name."""
    found: dict[str, Any] = {"result": state.result, "why": state.why, "begin": state.begin}
    for kind, stands in (("session", state.sessions), ("wave", state.waves)):
        found |= {
            f"{kind} {number} {name}": value
            for number, one in stands.items()
            for name, value in vars(one).items()
        }
    return found


def changed(before: Rows, row: dict[str, Any]) -> dict[str, Any]:
    """Return what a line changes."""
    old, new = flat(folded(before)), flat(folded([*before, row]))
    return {name: value for name, value in new.items() if name not in old or old[name] != value}


ENDED: Rows = [
    *BEGIN,
    LEASE,
    {"act": "end", "session": 1, "how": "done", "dollars": 1.5, "tokens": 7, "seconds": 3},
]
AUDITED: Rows = [
    *ENDED,
    {"act": "audit", "session": 1, "state": "passed", "tip": "tip", "missing": [], "why": ""},
]
MERGED: Rows = [*AUDITED, {"act": "merged", "wave": 1, "session": 1, "commit": "m1"}]
READY: Rows = [*MERGED, {"act": "verified", "wave": 1, "red": []}, {"act": "advance", "wave": 1, "to": "m1"}]
LIMIT: Row = {"act": "end", "session": 1, "how": "rate limit", "until": 99, "wait": 60}
# What was, the line, and what it changes.
ROWS: dict[str, tuple[Rows, dict[str, Any], dict[str, Any]]] = {
    "a lease": (BEGIN, LEASE, {"session 1 state": "running", "session 1 lease": LEASE, "session 1 attempt": 1, "session 1 cleaned": False}),
    "a lost attempt": ([*BEGIN, LEASE], {"act": "end", "session": 1, "how": "lost"}, {"session 1 state": "waiting", "session 1 end": {"act": "end", "session": 1, "how": "lost"}, "session 1 lost": 1}),
    "a rate limit": ([*BEGIN, LEASE], LIMIT, {"session 1 state": "waiting", "session 1 end": LIMIT, "session 1 wait_until": 99, "session 1 waited": 60}),
    "a recovery": (ENDED, {"act": "audit", "session": 1, "state": "waiting", "missing": [1], "why": "w", "depth": 1}, {"session 1 state": "waiting", "session 1 missing": [1], "session 1 why": "w", "session 1 depth": 1}),
    "a verdict": (ENDED, {"act": "audit", "session": 1, "state": "failed", "why": "w", "depth": 5, "tip": "t"}, {"session 1 state": "failed", "session 1 why": "w", "session 1 tip": "t"}),
    "a save": (ENDED, {"act": "rescued", "session": 1, "ref": "r"}, {"session 1 rescued": ["r"]}),
    "a save twice": ([*ENDED, {"act": "rescued", "session": 1, "ref": "r"}], {"act": "rescued", "session": 1, "ref": "r"}, {}),
    "a merge": (AUDITED, {"act": "merge", "wave": 1, "session": 1}, {}),
    "merged": (AUDITED, MERGED[-1], {"wave 1 merges": [(1, "m1")]}),
    "not merged": (AUDITED, {"act": "unmerged", "wave": 1, "session": 1, "why": "w"}, {"session 1 state": "merge-failed", "session 1 why": "w"}),
    "verified": (MERGED, {"act": "verified", "wave": 1, "red": ["x"]}, {"wave 1 red": ["x"]}),
    "onto another commit": (READY, {"act": "onto", "wave": 1, "onto": "new"}, {"wave 1 onto": "new", "wave 1 merges": [], "wave 1 red": None, "wave 1 to": ""}),
    "advanced": (READY, {"act": "advanced", "wave": 1, "to": "m1"}, {"session 1 state": "merged", "session 1 merged": "m1", "wave 1 onto": "m1", "wave 1 merges": [], "wave 1 red": None, "wave 1 to": ""}),
    "cleaned": (ENDED, {"act": "cleaned", "session": 1}, {"session 1 cleaned": True}),
    "over": (ENDED, {"act": "over", "result": "partial", "why": ["w"]}, {"result": "partial", "why": ["w"]}),
    "refused": (BEGIN, {"act": "refused", "why": ["w"]}, {"result": "stopped", "why": ["w"]}),
    "a resume after a kill": ([*BEGIN, LEASE], {"act": "resume"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_line_changes_what_it_names(name: str) -> None:
    before, row, expected = ROWS[name]
    assert changed(before, row) == expected


@pytest.mark.parametrize("state", STATES)
def test_waves_that_were_over_are_resumed_with_fresh_counts(state: str) -> None:
    audit = {"act": "audit", "session": 1, "state": state, "why": "w", "depth": 0}
    lost = {"act": "end", "session": 1, "how": "lost"}
    over = {"act": "over", "result": "failed", "why": ["w"]}
    before = [*BEGIN, LEASE, lost, LEASE, LIMIT, *MERGED[3:], READY[-1], audit, over]
    found = changed(before, {"act": "resume", "options": {"jobs": 2}})
    assert found.pop("begin")["jobs"] == 2
    again = {"session 1 state": AGAIN[state]} if state in AGAIN else {}
    assert found == {
        "result": "", "why": [], "session 1 lost": 0, "session 1 waited": 0, "wave 1 merges": [], "wave 1 to": "", **again,
    }  # fmt: skip


def test_sums_of_several_attempts() -> None:
    state = folded([*ENDED, LEASE, *ENDED[3:]])
    assert (state.sessions[1].dollars, state.sessions[1].tokens, state.sessions[1].seconds) == (3.0, 14, 6)
    assert (state.dollars, state.is_done(1), state.is_done(2)) == (3.0, False, False)
    assert [one.number for one in state.of_wave(1)] == [1, 2]
    assert [one.is_open for one in state.sessions.values()] == [True, True, True]
