"""The same steps one by one, for people who drive their own terminals: next, open, close."""

from __future__ import annotations

import os
import time

from ultra_runtime.answer import RefusedError
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.statuses import COMPLETED
from ultra_runtime.run.state.wave_state import ENDED, MERGED, PASSED, RUNNING, WAITING
from ultra_runtime.waves.advancing import advance, moved
from ultra_runtime.waves.attempts import DONE, prompt_of
from ultra_runtime.waves.cleanup import clean_session, clean_up
from ultra_runtime.waves.local_engine import LocalEngine
from ultra_runtime.waves.merging import integrate
from ultra_runtime.waves.recovery import write_recovery
from ultra_runtime.waves.session_tree import make_tree, refuse_strange_branch
from ultra_runtime.waves.verdicts import judge_attempt
from ultra_runtime.waves.wave_around import pin_again
from ultra_runtime.waves.wave_proof import prove_wave
from ultra_runtime.waves.wave_report import write_end
from ultra_runtime.waves.wave_start import begin
from ultra_runtime.words import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.run.state.wave_state import SessionStand
    from ultra_runtime.waves.wave_run import WaveRun
    from ultra_runtime.waves.wave_start import WaveOptions

NAP = 0.05


def begin_by_hand(run: WaveRun, options: WaveOptions, accepts_settings: bool) -> None:
    """Begin or continue waves without a supervisor; nothing headless is started, so billing is not asked about."""
    if not run.state.begun:
        begin(run, options, accepts_billing=True, by_hand=True)
        return
    changed = pin_again(run, accepts_settings)
    if changed:
        run.note("around", **changed)


def stand_of(run: WaveRun, number: int) -> SessionStand:
    """Return a session of the plan, or refuse."""
    if number not in run.state.sessions:
        known = listed(map(str, run.state.sessions))
        raise RefusedError(f"the plan has no session {number}: it has {known}", "choose one of these")
    return run.state.sessions[number]


def open_session(run: WaveRun, number: int) -> str:
    """Make the working tree of a session ready, and return what to type there."""
    held = run.take_turn()
    try:
        return _open(run, number)
    finally:
        os.close(held)


def _open(run: WaveRun, number: int) -> str:
    one = stand_of(run, number)
    if one.state in (PASSED, MERGED):
        raise RefusedError(f"session {number} is {one.state}", "open another one")
    before = [
        wave for wave in sorted({other.wave for other in run.state.sessions.values()}) if wave < one.wave
    ]
    early = next((wave for wave in before if not run.state.is_done(wave)), None)
    if early is not None:
        raise RefusedError(
            f"wave {early} is not merged yet", f"close its sessions first: `{verb('session next')}`"
        )
    if one.wave not in run.state.waves:
        run.note("wave", wave=one.wave, base=run.git.head())
    if one.state != RUNNING:
        refuse_strange_branch(run, number)
        tree, branch = run.tree_of(number), run.branch_of(number)
        base = run.state.waves[one.wave].base
        run.note(
            "lease",
            session=number,
            attempt=one.attempt + 1,
            depth=one.depth,
            tree=tree,
            branch=branch,
            base=base,
        )
    make_tree(run, run.tree_of(number), run.state.waves[one.wave].base, run.branch_of(number))
    if one.depth:
        write_recovery(run, one)
    return prompt_of(run, one)


def close_session(run: WaveRun, number: int) -> SessionStand:
    """Audit a session, merge it, move the user's branch and clean up; the returned session has the result."""
    held = run.take_turn()
    try:
        return _close(run, number)
    finally:
        os.close(held)


def _close(run: WaveRun, number: int) -> SessionStand:
    one = stand_of(run, number)
    if one.state == MERGED:
        raise RefusedError(f"session {number} is merged already", f"`{verb('session next')}`")
    if one.state == WAITING and not one.attempt:
        raise RefusedError(f"session {number} was not opened", f"`{verb('session open')} {number}`")
    if one.state != PASSED:
        run.note("end", session=number, attempt=one.attempt, how=DONE, why="", status=0)
    while one.state == ENDED:
        judge_attempt(run, one)
        time.sleep(NAP)
    if one.state == PASSED:
        _bring_in(run, one)
    return one


def _bring_in(run: WaveRun, one: SessionStand) -> None:
    """Integrate one session onto the user's branch as it is."""
    stand, engine, head = run.state.waves[one.wave], LocalEngine(run.settings), run.git.head()
    why = moved(run, head if run.git.is_ancestor(stand.onto, head) else stand.onto, head)
    if why:
        raise RefusedError(why, "then close the session again")
    run.note("onto", wave=one.wave, onto=head)
    if not integrate(run, one.wave, [one]):
        return
    if not prove_wave(run, one.wave, lambda: False):
        raise RefusedError(
            "; ".join(stand.red or ()),
            f"fix this in the session, then `{verb('session close')} {one.number}`",
        )
    why = advance(run, one.wave)
    if why:
        raise RefusedError(why, "then close the session again")
    clean_session(run, one, engine)
    if all(other.state == MERGED for other in run.state.sessions.values()):
        write_end(run, COMPLETED, clean_up(run, engine))
