"""Choose how a plan is run; until waves are built, every plan runs in one session."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Plan

SINGLE, SEQUENTIAL, PARALLEL = "single", "sequential", "parallel"


def choose_strategy(plan: Plan, alone: bool) -> str:
    """Return single, sequential or parallel; `alone` when the call asks for one session, one step or a resume."""
    if alone or len(plan.sessions) < 2:
        return SINGLE
    return PARALLEL if any(len(sessions) > 1 for _, sessions in plan.waves) else SEQUENTIAL


def strategy_note(strategy: str, plan: Plan) -> str:
    """Return a note about a strategy that is not available yet."""
    if strategy == SINGLE:
        return ""
    return f"the plan has {len(plan.sessions)} sessions ({strategy}); all steps run in this session"
