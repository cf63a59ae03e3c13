"""Choose how a plan is run: in this session, or in waves of sessions side by side."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.rendered import has_verb, verb
from ultra_runtime.run.life.asked import RESUME
from ultra_runtime.run.state.wave_journal import Journal
from ultra_runtime.run.state.wave_state import read_wave_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.plan.values import Plan
    from ultra_runtime.run.life.asked import StartRequest
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.state.wave_state import WaveState
    from ultra_runtime.run.tree.workspace import Workspace

SINGLE, SEQUENTIAL, PARALLEL = "single", "sequential", "parallel"


def choose_strategy(plan: Plan, alone: bool) -> str:
    """Return single, sequential or parallel; `alone` when the call asks for one session, one step or a resume."""
    if alone or len(plan.sessions) < 2:
        return SINGLE
    return PARALLEL if any(len(sessions) > 1 for _, sessions in plan.waves) else SEQUENTIAL


def strategy_note(strategy: str, plan: Plan) -> str:
    """Return a note about a strategy that this plugin does not offer."""
    if strategy == SINGLE:
        return ""
    return f"the plan has {len(plan.sessions)} sessions ({strategy}); all steps run in this session"


def strategy_of(
    workspace: Workspace, place: RunPlace, plan: Plan, asked: StartRequest, waves: WaveState
) -> str:
    """Return the strategy of a start; refuse one in this tree while waves of the plan are under way."""
    here = waves.begun and waves.begin["root"] == workspace.root
    if asked.mode == RESUME and place.session is None and here and waves.unfinished:
        return choose_strategy(plan, False)
    if here and Journal(workspace.git.common, place.base).lives():
        error = "the waves of this plan are under way"
        raise RefusedError(
            error, f"wait with `{verb('waves wait')}`, or end them with `{verb('waves stop')}`"
        )
    begun = "start" in workspace.git.refs(place.slug)
    alone = asked.alone or asked.restart or begun or place.session is not None or not has_verb("waves show")
    return choose_strategy(plan, alone)


def waves_of_plan(workspace: Workspace, place: RunPlace) -> WaveState:
    """Return where the waves of a plan stand."""
    return read_wave_state(Journal(workspace.git.common, place.base))
