"""Show every work of the repository, or the tasks, attempts and agents of one."""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.contract.dependencies import states
from ultra_runtime.run.state.progress import read_progress
from ultra_runtime.run.state.statuses import COMPLETED, SKIPPED
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.works.task_standing import spawns
from ultra_runtime.works.work_documents import read_work
from ultra_runtime.works.work_place import find_work
from ultra_runtime.works.written import read_list

USAGE = "work status [WORK-NN] [--json]"
FOR_PEOPLE = "look"


def run(args: Args) -> Answer:
    """Answer with the list of works, or with one of them."""
    if not args.get("WORK-NN"):
        rows = read_list(find_workspace())
        works = [{"work": row[0], "title": row[1], "status": row[2]} for row in rows]
        words = [f"{row[0]}  {row[2]}  {row[1]}" for row in rows] or ["There is no work yet."]
        return Answer({"ok": True, "works": works}, "\n".join(words))
    work = find_work(args.get("WORK-NN"))
    plan, problems = read_work(work)
    progress = read_progress(work.run_place.progress)[0]
    made, planned = spawns(work.read_state(), plan)
    data: dict[str, Any] = {
        "ok": True,
        "work": work.name,
        "run": progress.status if progress else "not started",
    }
    lines = [f"{work.name}: {data['run']}"]
    if plan:
        over = [
            task.name
            for at, task in enumerate(plan.tasks, 1)
            if progress and progress.state(at) in (COMPLETED, SKIPPED)
        ]
        known = states(plan.graph, over)
        data.update(mode=plan.mode, tasks=known, spawns=made, planned=planned)
        lines += [f"{task.name}  {known[task.name]}  {task.title}" for task in plan.tasks]
        lines.append(f"Mode {plan.mode}; agents spawned: {made}, planned: {planned}")
    else:
        data["problems"] = problems
    return Answer(data, "\n".join([*lines, *problems]))
