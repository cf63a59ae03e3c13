"""Start the run of an approved work, or resume it."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.asked import RESUME, StartRequest
from ultra_runtime.run.life.start import InWaves, Started, start
from ultra_runtime.run.tree.workspace import make_folder, replace
from ultra_runtime.works.compiled import plan_text
from ultra_runtime.works.handoffs import SPECIFIER
from ultra_runtime.works.messages import PASS
from ultra_runtime.works.task_standing import APPROVED, RESUMED, edited, write_standing
from ultra_runtime.works.work_documents import digests, read_work
from ultra_runtime.works.work_place import RUN, WORK, works_folder
from ultra_runtime.works.written import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.works.work_place import WorkOrder


def start_work(work: WorkOrder, restart: bool, accepts_edits: bool, settings: bool) -> Started:
    """Write the tasks as a plan and start its run; a run that was begun before continues where it stopped.

    `accepts_edits` and `settings` accept tasks and settings of the project that differ from those of the start.
    """
    state = work.read_state()
    specified = [one for one in state["dispatches"] if one["agent"] == SPECIFIER and one["state"] == PASS]
    plan, problems = read_work(work)
    if plan is None or not specified:
        why = "; ".join(problems[:3]) or f"{work.name} is not specified yet"
        raise RefusedError(why, f"ask what comes next: `{verb('work next')} {work.name}`")
    changed = [] if accepts_edits else edited(work, state, plan)
    if changed:
        hint = "ask the user; undo the edit, or add --accept-plan-change if only tasks that are not done were changed"
        raise RefusedError("; ".join(changed[:3]), hint)
    place = work.run_place
    begun = bool(state.get("started")) and not restart
    make_folder(works_folder(place.root, work.name, RUN))
    replace(place.plan, plan_text(work, plan).encode("utf-8", "surrogateescape"))
    mode = RESUME if begun else ""
    started = start(StartRequest(place.plan, mode, None, None, None, restart, accepts_edits, False, settings))
    if isinstance(started, InWaves):
        raise RefusedError(f"{work.name} has sessions", "run its tasks one by one")
    started.live.lock[WORK] = work.name
    started.live.save_lock()
    for one in state["dispatches"]:
        one.pop("owner", None)  # the agents of an earlier session have ended with it
    state["started"] = True
    state[APPROVED] = digests(work, plan)
    state[RESUMED] = started.resumed
    work.write_state(state)
    write_standing(work, started.live, plan)
    log(work, "main", "resumed" if started.resumed else f"approved, {plan.mode}")
    return started
