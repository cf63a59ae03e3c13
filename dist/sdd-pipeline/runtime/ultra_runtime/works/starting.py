"""Start the run of an approved work, or resume it: its tasks are the steps of a plan, which the executor runs and proves."""

from __future__ import annotations

from ultra_runtime.answer import RefusedError
from ultra_runtime.contract.rows import DELETE
from ultra_runtime.run.life.asked import RESUME, StartRequest
from ultra_runtime.run.life.start import InWaves, Started, start
from ultra_runtime.run.tree.workspace import make_folder, replace
from ultra_runtime.tables.fields import plan_fields, task_fields
from ultra_runtime.text.jsontext import write
from ultra_runtime.works.messages import PASS, SPECIFIER
from ultra_runtime.works.task_standing import APPROVED, RESUMED, edited, write_standing
from ultra_runtime.works.work_documents import digests, read_work
from ultra_runtime.works.work_place import RUN, WORK, works_folder
from ultra_runtime.works.written import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.works.work_documents import Task, WorkPlan
    from ultra_runtime.works.work_place import WorkOrder

VERSION = "1.7"
QUOTED = str.maketrans({sign: f"\\{sign}" for sign in '\\"$`'})
"""What a backslash keeps from the shell within double quotes."""


def plan_text(work: WorkOrder, plan: WorkPlan) -> str:
    """Return the plan of a work; step N is the Nth task in the order of the dependencies."""
    lines = ["---", f'{plan_fields.PLAN_VERSION}: "{VERSION}"', "---", f"# {work.name}: {plan.title}", ""]
    lines += [f"## {plan_fields.SECTION_IMPLEMENTATION_PLAN}"]
    for number, task in enumerate(plan.tasks, 1):
        lines += ["", *_step(work, number, task)]
    return "\n".join([*lines, ""])


def _step(work: WorkOrder, number: int, task: Task) -> list[str]:
    kept = [path for path, action in task.files.items() if action != DELETE]
    message = f"{task.title} ({work.name} {task.name})".translate(QUOTED)
    commit = f'git commit -m "{message}"'
    manifest = {
        plan_fields.MANIFEST_EXPECTED_PATHS: kept,
        plan_fields.MANIFEST_MIN_FILE_COUNT: len(kept),
        plan_fields.MANIFEST_COMMIT_MESSAGE_PATTERN: "",
        plan_fields.MANIFEST_BASH_SYNTAX_CHECK: [path for path in kept if path.endswith(".sh")],
        plan_fields.MANIFEST_FORBIDDEN_PATHS: [],
        plan_fields.MANIFEST_MUST_CONTAIN: [],
    }
    return [
        f"### Step {number}: {task.name}: {task.title}",
        "",
        f"- **{plan_fields.STEPS_FILES}:** {', '.join(f'`{path}`' for path in task.files)}",
        f"- **{plan_fields.STEPS_CHANGES}:** as `{work.show(task_fields.KIND, task.name)}` says",
        f"- **{plan_fields.STEPS_VERIFY}:** {_code(task.command)}",
        f"- **{plan_fields.STEPS_ON_FAILURE}:** {plan_fields.STEPS_ON_FAILURE_RETRY} - fix the cause in the files of the task",
        f"- **{plan_fields.STEPS_CHECKPOINT}:** {_code(commit)}",
        f"- **{plan_fields.STEPS_MANIFEST}:**",
        "",
        "  ```yaml",
        f"  {plan_fields.BLOCK_MANIFEST}:",
        *(f"    {name}: {write(value)}" for name, value in manifest.items()),
        "  ```",
    ]


def _code(text: str) -> str:
    """Return a code span; its ticks are more than any that the text has in a row."""
    ticks = "`"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{text}{ticks}"


def start_work(work: WorkOrder, restart: bool, accepts_edits: bool, settings: bool) -> Started:
    """Write the tasks as a plan and start its run; a run that was begun before continues where it stopped.

    `accepts_edits` and `settings` accept tasks and settings of the project that differ from those of the start.
    """
    state = work.read_state()
    specified = [one for one in state["dispatches"] if one["agent"] == SPECIFIER and one["state"] == PASS]
    plan, problems = read_work(work)
    if plan is None or not specified:
        raise work.refusal("; ".join(problems[:3]) or f"{work.name} is not specified yet")
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
