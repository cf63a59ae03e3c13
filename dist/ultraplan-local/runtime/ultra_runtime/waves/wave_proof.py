"""Prove an integrated wave in a clean checkout, and find the merge that turned a command red."""

from __future__ import annotations

import time

from ultra_runtime.proof.brought import judge_changed
from ultra_runtime.proof.conditions import conditions_of
from ultra_runtime.run.state.wave_state import MERGED
from ultra_runtime.waves.branch_audit import may_skip, proof_job, proof_of, red_rows
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ultra_runtime.proof.conditions import Condition
    from ultra_runtime.waves.wave_run import WaveRun

WHOLE = "integration"
NAP = 0.05


def prove_wave(run: WaveRun, wave: int, asked: Callable[[], bool]) -> bool:
    """Run what must pass after a wave, record what fails, and return whether nothing does; `asked` tells when to stop."""
    stand = run.state.waves[wave]
    numbers = {number for number, _ in stand.merges}
    merged = [one for one in run.state.sessions.values() if one.state == MERGED or one.number in numbers]
    is_last = len(merged) == len(run.state.sessions)
    own = {step for one in merged for step in one.steps}
    steps = [step for step in run.plan.steps if step.number in own and not may_skip(step)]
    conditions = conditions_of(steps, run.plan.verification)
    changed: list[Sequence[str]] = []
    at = _at(run, conditions, asked, changed)
    red = dict(at(stand.tip))
    drifts, _ = judge_changed(run.git, run.state.begin["start"], stand.tip, changed)
    if red and not is_last:
        # A Verification that a later wave makes true is red before this one as well.
        whole = {one.command for one in conditions if one.step is None}
        before = at(stand.onto)
        red = {command: why for command, why in red.items() if command not in whole or command not in before}
    rows = [f"`{one_line(command)}` {why}{_culprit(run, wave, command, at)}" for command, why in red.items()]
    rows += [str(drift) for drift in drifts]
    if asked():
        return False
    run.note("verified", wave=wave, commit=stand.tip, red=rows)
    return not rows


def _at(
    run: WaveRun, conditions: list[Condition], asked: Callable[[], bool], changed: list[Sequence[str]]
) -> Callable[[str], Mapping[str, str]]:
    """Return a function that says what is red at a commit; each commit is tried once.

    Differences between a checkout and what the waves are pinned to are added to `changed`.
    """
    known: dict[str, Mapping[str, str]] = {}

    def at(commit: str) -> Mapping[str, str]:
        job = proof_job(run, None, commit, conditions)
        while commit not in known and not asked():
            tried = proof_of(run, WHOLE).run(job, 0)
            if tried is None:
                time.sleep(NAP)
            else:
                known[commit] = red_rows(conditions, tried)
                changed.extend(one for one in tried.changed if one not in changed)
        proof_of(run, WHOLE).stop()
        return known.get(commit, {})

    return at


def _culprit(run: WaveRun, wave: int, command: str, at: Callable[[str], Mapping[str, str]]) -> str:
    """Say which merge turned a command red."""
    stand = run.state.waves[wave]
    if command in at(stand.onto):
        return "; it was red before this wave"
    for number, commit in stand.merges:
        if command in at(commit):
            return f"; the merge of session {number} ({commit[:12]}) turned it red"
    return ""
