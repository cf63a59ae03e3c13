"""Where the sessions stand, in lines for a person."""

from __future__ import annotations

import time

from ultra_runtime.run.state.statuses import OVER
from ultra_runtime.run.state.wave_state import MERGED, RUNNING, WAITING
from ultra_runtime.text.timestamp import instant
from ultra_runtime.waves.verdicts import progress_in_tree
from ultra_runtime.words import counted, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_run import WaveRun

NANO = 1_000_000_000


def head_line(run: WaveRun, result: str) -> str:
    """Return the result in one line."""
    stands = run.state.sessions.values()
    merged = sum(one.state == MERGED for one in stands)
    return f"Waves {result or 'in progress'}: {merged} of {counted(len(stands), 'session')} merged"


def stand_lines(run: WaveRun) -> list[str]:
    """Return a line for each session; of many sessions only those that are neither merged nor waiting."""
    stands = list(run.state.sessions.values())
    shown = stands if len(stands) <= FEW else [one for one in stands if one.state not in (MERGED, WAITING)]
    lines = [stand_line(run, one) for one in shown]
    hidden = len(stands) - len(shown)
    return [*lines, *([f"{hidden} more are merged or waiting"] if hidden else [])]


FEW = 8


def stand_line(run: WaveRun, one: SessionStand) -> str:
    """Return one session: where it stands, its step, its attempt, its time and its money."""
    parts = [f"session {one.number}", one.state]
    if one.state == RUNNING:
        progress = progress_in_tree(run, one)
        if progress:
            own = run.assignment(one.number).numbers
            over = sum(progress.state(number) in OVER for number in own)
            parts.append(f"step {min(over + 1, len(own))}/{len(own)}")
        since = time.time() - (instant(str(one.lease["at"])) or 0) / NANO
        parts.append(f"{since / 60:.0f} min")
    elif one.seconds:
        parts.append(f"{one.seconds / 60:.0f} min")
    if one.attempt > 1:
        parts.append(f"attempt {one.attempt}")
    if one.dollars:
        parts.append(f"${one.dollars:.2f}")
    if one.why and one.state != MERGED:
        parts.append(one_line(one.why, 200))
    return "  ".join(parts)
