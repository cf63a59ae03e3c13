"""Where the sessions of waves stand, in lines for a person; from the journal and the progress in their working trees."""

from __future__ import annotations

import os
import time

from ultra_runtime.files.project import Project
from ultra_runtime.run.state.progress import read_progress
from ultra_runtime.run.state.run_place import RECOVERY, SESSIONS, RunPlace
from ultra_runtime.run.state.statuses import OVER
from ultra_runtime.run.state.wave_state import MERGED, RUNNING, WAITING
from ultra_runtime.text.timestamp import instant
from ultra_runtime.words import counted, listed, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.progress import Progress
    from ultra_runtime.run.state.wave_state import SessionStand, WaveState

NANO = 1_000_000_000
FEW = 8
LONGEST_STATE = max(map(len, (MERGED, RUNNING, WAITING)))


def head_line(state: WaveState, result: str) -> str:
    """Return the state of all sessions in one line."""
    stands = state.sessions.values()
    merged = sum(one.state == MERGED for one in stands)
    words = f"Waves {result or 'in progress'}: {merged} of {counted(len(stands), 'session')} merged"
    if result:
        return words
    waves = sorted({one.wave for one in stands})
    at = next((turn for turn, wave in enumerate(waves, 1) if not state.is_done(wave)), len(waves))
    used = f", ${state.dollars:.2f} used" if state.dollars else ""
    return f"{words}, wave {at} of {len(waves)}{used}"


def stand_lines(state: WaveState) -> list[str]:
    """Return a line for each session in columns; of many sessions only those that are neither merged nor waiting."""
    stands = list(state.sessions.values())
    shown = stands if len(stands) <= FEW else [one for one in stands if one.state not in (MERGED, WAITING)]
    width = len(str(max(state.sessions, default=0)))
    lines = [f"session {one.number:>{width}}  {stand_words(state, one)}" for one in shown]
    hidden = [one.state for one in stands if one not in shown]
    counts = [f"{hidden.count(name)} {name}" for name in (MERGED, WAITING) if name in hidden]
    return [*lines, *([f"{listed(counts)}"] if counts else [])]


def stand_words(state: WaveState, one: SessionStand) -> str:
    """Return one session: where it stands, its step, its attempt, its time and its money."""
    parts = [f"{one.state:<{LONGEST_STATE}}", *stand_details(state, one)]
    if one.why and one.state != MERGED:
        parts.append(one_line(one.why, 200))
    return "  ".join(parts).rstrip()


def stand_details(state: WaveState, one: SessionStand) -> list[str]:
    """Return the step, the attempt, the time and the money of a session, as far as there are any."""
    parts = []
    seconds = one.seconds
    if one.state == RUNNING:
        progress = progress_in_tree(state, one, one.depth)
        if progress:
            over = sum(progress.state(number) in OVER for number in one.steps)
            parts.append(f"step {min(over + 1, len(one.steps))}/{len(one.steps)}")
        seconds += max(0, round(time.time() - (instant(str(one.lease["at"])) or 0) / NANO))
    if one.attempt:
        parts.append(f"attempt {one.attempt}")
        parts.append(f"{seconds // 60} min" if seconds >= 60 else f"{seconds} s")
    if one.dollars:
        parts.append(f"${one.dollars:.2f}")
    return parts


def place_in_tree(state: WaveState, one: SessionStand, depth: int) -> RunPlace:
    """Return the place of a session's run, or of a recovery, in its own working tree."""
    tree, given = one.lease["tree"], state.begin["project"]
    project = Project(tree, os.path.basename(given)) if given else None
    plan = os.path.join(tree, state.begin["plan"])
    place = RunPlace(tree, plan, project, one.number)
    if not depth:
        return place
    return place.with_plan(os.path.join(place.folder, SESSIONS, f"session-{one.number}{RECOVERY}{depth}.md"))


def progress_in_tree(state: WaveState, one: SessionStand, depth: int) -> Progress | None:
    """Return the progress of the run that an attempt at a session made, if it made one."""
    return read_progress(place_in_tree(state, one, depth).progress)[0] if one.lease else None
