"""Rendered from contracts/task-progress.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Section

CONTRACT = Contract(
    artifact="task-progress",
    title="Task progress",
    prefix="TPROGRESS",
    format="quoted",
    modes=Modes(write="none"),
    places=("{project_dir}/TASK-{NN}_progress.md",),
    fields=(
        Field(name="id", type="text", required=True, form="task-id"),
        Field(name="title", type="text", required=True),
        Field(name="Status", type="text", required=True, values={"PENDING": "Not begun.", "STARTED": "The builder has begun.", "IN_PROGRESS": "Some files are changed.", "COMPLETED": "Everything is done."}),
        Field(name="Started", type="timestamp", required=True),
        Field(name="Updated", type="timestamp", required=True),
    ),
    sections=(
        Section(name="Files changed", required=True, names={"ko": "변경 파일", "ja": "変更ファイル"}),
    ),
    codes={
        "TPROGRESS_NOT_FOUND": Code(name="TPROGRESS_NOT_FOUND", severity="error", remedy="Let the builder write it."),
        "TPROGRESS_READ_ERROR": Code(name="TPROGRESS_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "TPROGRESS_PARSE_ERROR": Code(name="TPROGRESS_PARSE_ERROR", severity="error", remedy="Begin it with a line `# ` and the title, and save it as UTF-8."),
        "TPROGRESS_MISSING_FIELD": Code(name="TPROGRESS_MISSING_FIELD", severity="error", remedy="Add it."),
        "TPROGRESS_BAD_VALUE": Code(name="TPROGRESS_BAD_VALUE", severity="error", remedy="Write one of the allowed values."),
        "TPROGRESS_MISSING_SECTION": Code(name="TPROGRESS_MISSING_SECTION", severity="error", remedy="Add the section, under its name in the language of the work."),
    },
)
