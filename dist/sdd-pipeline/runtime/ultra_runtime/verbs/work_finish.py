"""End a work: prove it in a clean checkout, write the report, and set it to completed in the list.

A proof that needs longer than --wait allows continues in the background; the same call asks again.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.finish import Proving, finish
from ultra_runtime.run.state.live import open_live
from ultra_runtime.run.state.statuses import COMPLETED
from ultra_runtime.run.step.numbers import seconds
from ultra_runtime.tables.fields import progress_fields as fields
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.task_standing import pinned_plan, spawns, write_standing
from ultra_runtime.works.work_place import find_work
from ultra_runtime.works.written import COMPLETED as LISTED
from ultra_runtime.works.written import list_work, log

USAGE = "work finish [--wait SECONDS] [--json]"


def run(args: Args) -> Answer:
    """Answer with the result, and what to tell the user."""
    wait = seconds(args, "--wait", 0)
    work = find_work(None, in_progress=True)
    busy, live = open_live("work finish", None, None)
    with busy:
        plan = pinned_plan(work)
        done = finish(live, None, wait or None)
        if isinstance(done, Proving):
            words = f"{done.standing} have run"
            again = f"`{verb('work finish')}` again: the proof continues meanwhile"
            return Answer(
                {"ok": True, "proof": words, "next": again}, f"The proof continues: {words}.\n{again}"
            )
        result = done.summary[fields.STATS_RESULT]
        write_standing(work, live, plan)
        log(work, "main", f"finished: {result}")
        if result == COMPLETED:
            list_work(work, work.read_state(), plan.title, LISTED)
    made, planned = spawns(work.read_state(), plan)
    data: dict[str, Any] = {"ok": True, "work": work.name, "result": result, "tasks": done.steps}
    data.update({name: rows for name, rows in (("why", done.why), ("findings", done.findings)) if rows})
    data.update(spawns=made, planned=planned, report=done.path)
    resume = f"; to continue: `{verb('work start')} {work.name}`"
    data["next"] = (
        "tell the user; they push it themselves" if result == COMPLETED else f"tell the user why{resume}"
    )
    return Answer(data, "\n".join([done.report, f"Spawns: {made}, planned: {planned}"]))
