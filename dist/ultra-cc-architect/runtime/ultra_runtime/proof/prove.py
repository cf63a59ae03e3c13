"""Prove a run: completed is a function of the pinned plan, the start, the end and a clean checkout of the end."""

from __future__ import annotations

from ultra_runtime.proof.brought import judge_changed
from ultra_runtime.proof.checks import check_objects
from ultra_runtime.proof.conditions import judge
from ultra_runtime.proof.drift import FORGED
from ultra_runtime.proof.genuine import forged
from ultra_runtime.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ultra_runtime.files.git import Git
    from ultra_runtime.plan.values import Fence, Step
    from ultra_runtime.proof.checks import Ranges
    from ultra_runtime.proof.conditions import Condition, Tried
    from ultra_runtime.proof.drift import Drift
    from ultra_runtime.run.state.claims import Claims


class Proof(Struct):
    """What speaks against a run, and what a person should know; without drifts it holds."""

    drifts: list[Drift]
    notes: list[str]


def prove(
    git: Git,
    steps: Sequence[Step],
    fence: Fence,
    start: str,
    end: str,
    ranges: Ranges,
    conditions: Sequence[Condition] = (),
    tried: Tried | None = None,
    claims: Claims = (),
) -> Proof:
    """Check the completed steps of a pinned plan in git's objects, and its commands as a clean checkout ran them.

    Nothing else counts: not the working tree, not what the run recorded about itself, except which commits each step
    made (`ranges`), because only a step may break what an earlier one promised. What the commits in `claims` made of a
    path is the user's, if the end still has it so.
    """
    objects = check_objects(git, steps, fence, start, end, ranges, claims)
    if tried is None:
        return Proof(objects.drifts, objects.notes)
    drifts, notes = judge(conditions, tried)
    made_anew = [[FORGED, name] for name in forged(git, start, folders=True)]
    changed, named = judge_changed(git, start, end, [*tried.changed, *made_anew])
    return Proof(objects.drifts + drifts + changed, objects.notes + notes + named)
