"""Write the tasks of a work as the steps of a plan, which the executor runs, verifies, commits and proves."""

from __future__ import annotations

from ultra_runtime.contract.rows import DELETE
from ultra_runtime.tables.fields import plan_fields, task_fields
from ultra_runtime.text.jsontext import write

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
