"""Rendered from contracts/work-plan.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Part, Section
from ultra_runtime.contract.rules import mode_fits_tasks, tasks_resolve

CONTRACT = Contract(
    artifact="work-plan",
    title="Work plan",
    prefix="WORKPLAN",
    format="quoted",
    modes=Modes(write="none"),
    places=("{project_dir}/PLAN.md",),
    fields=(
        Field(name="id", type="text", required=True, form="work-id"),
        Field(name="title", type="text", required=True),
        Field(name="Created", type="date", required=True),
        Field(name="Requirement", type="text", required=True),
        Field(name="Execution-Mode", type="text", required=True, values={"direct": "One small task, TASK-00, that the specifier plans along the way.", "pipeline": "One task.", "full": "Two tasks or more, with a scheduler."}),
        Field(name="Project", type="text", required=True),
        Field(name="Tech Stack", type="text", required=True),
        Field(name="Language", type="text", required=True, values={"en": "English", "ko": "Korean", "ja": "Japanese"}),
        Field(name="Status", type="text", required=True, values={"PLANNED": "The plan is written."}),
    ),
    sections=(
        Section(name="Goal", required=True, names={"ko": "목표", "ja": "目標"}),
        Section(name="Task Dependency Graph", required=True, names={"ko": "작업 의존성 그래프", "ja": "タスク依存グラフ"}),
        Section(name="Tasks", required=True, names={"ko": "작업", "ja": "タスク"}),
    ),
    parts=(
        Part(name="tasks", heading="TASK-{id}: {title}", under=("Tasks",), level=3, fields=(Field(name="Depends on", type="text", required=True), Field(name="Scope", type="text", required=True), Field(name="Files", type="text", required=True),)),
    ),
    rules=(tasks_resolve, mode_fits_tasks,),
    codes={
        "WORKPLAN_NOT_FOUND": Code(name="WORKPLAN_NOT_FOUND", severity="error", remedy="Let the planner write it."),
        "WORKPLAN_READ_ERROR": Code(name="WORKPLAN_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "WORKPLAN_PARSE_ERROR": Code(name="WORKPLAN_PARSE_ERROR", severity="error", remedy="Begin it with a line `# ` and the title, and save it as UTF-8."),
        "WORKPLAN_MISSING_FIELD": Code(name="WORKPLAN_MISSING_FIELD", severity="error", remedy="Add it."),
        "WORKPLAN_BAD_VALUE": Code(name="WORKPLAN_BAD_VALUE", severity="error", remedy="Write one of the allowed values."),
        "WORKPLAN_MISSING_SECTION": Code(name="WORKPLAN_MISSING_SECTION", severity="error", remedy="Add the section, under its name in the language of the work."),
        "WORKPLAN_UNKNOWN_TASK": Code(name="WORKPLAN_UNKNOWN_TASK", severity="error", remedy="Name a task of the plan, or none."),
        "WORKPLAN_CYCLE": Code(name="WORKPLAN_CYCLE", severity="error", remedy="Remove one of the dependencies."),
        "WORKPLAN_MODE_MISMATCH": Code(name="WORKPLAN_MODE_MISMATCH", severity="error", remedy="Write direct for TASK-00 alone, pipeline for one task, full for more."),
    },
)
