"""Rendered from contracts/task.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Section
from ultra_runtime.contract.rules import files_have_actions, verify_is_a_command

CONTRACT = Contract(
    artifact="task",
    title="Task",
    prefix="TASK",
    format="quoted",
    modes=Modes(write="none"),
    places=("{project_dir}/TASK-{NN}.md",),
    fields=(
        Field(name="id", type="text", required=True, form="task-id"),
        Field(name="title", type="text", required=True),
        Field(name="WORK", type="text", required=True, form="work-id"),
        Field(name="Dependencies", type="text", required=True),
    ),
    sections=(
        Section(name="Scope", required=True, names={"ko": "범위", "ja": "範囲"}),
        Section(name="Files", required=True, names={"ko": "파일", "ja": "ファイル"}),
        Section(name="Acceptance Criteria", required=True, names={"ko": "인수 기준", "ja": "受け入れ基準"}),
        Section(name="Verify", required=True, names={"ko": "검증", "ja": "検証"}),
    ),
    rules=(files_have_actions, verify_is_a_command,),
    codes={
        "TASK_NOT_FOUND": Code(name="TASK_NOT_FOUND", severity="error", remedy="Let the planner write it."),
        "TASK_READ_ERROR": Code(name="TASK_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "TASK_PARSE_ERROR": Code(name="TASK_PARSE_ERROR", severity="error", remedy="Begin it with a line `# ` and the title, and save it as UTF-8."),
        "TASK_MISSING_FIELD": Code(name="TASK_MISSING_FIELD", severity="error", remedy="Add it."),
        "TASK_BAD_VALUE": Code(name="TASK_BAD_VALUE", severity="error", remedy="Write one of the allowed values."),
        "TASK_MISSING_SECTION": Code(name="TASK_MISSING_SECTION", severity="error", remedy="Add the section, under its name in the language of the work."),
        "TASK_NO_FILES": Code(name="TASK_NO_FILES", severity="error", remedy="Add one row per file that the task changes."),
        "TASK_BAD_FILE": Code(name="TASK_BAD_FILE", severity="error", remedy="Write `| path | CREATE | what |`, with CREATE, MODIFY or DELETE."),
        "TASK_NO_VERIFY": Code(name="TASK_NO_VERIFY", severity="error", remedy="Add a command that fails before the task and passes after it."),
    },
)
