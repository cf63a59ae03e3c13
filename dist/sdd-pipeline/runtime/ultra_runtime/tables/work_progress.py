"""Rendered from contracts/work-progress.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Section

CONTRACT = Contract(
    artifact="work-progress",
    title="Work progress",
    prefix="WPROGRESS",
    format="quoted",
    modes=Modes(write="runtime"),
    places=("{project_dir}/PROGRESS.md",),
    fields=(
        Field(name="id", type="text", required=True, form="work-id"),
        Field(name="title", type="text", required=True),
        Field(name="Updated", type="timestamp", required=True),
    ),
    sections=(
        Section(name="Tasks", required=True, names={"ko": "작업", "ja": "タスク"}),
    ),
    codes={
        "WPROGRESS_NOT_FOUND": Code(name="WPROGRESS_NOT_FOUND", severity="error", remedy="Nothing; the runtime writes it when the work is approved."),
        "WPROGRESS_READ_ERROR": Code(name="WPROGRESS_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "WPROGRESS_PARSE_ERROR": Code(name="WPROGRESS_PARSE_ERROR", severity="error", remedy="Begin it with a line `# ` and the title, and save it as UTF-8."),
        "WPROGRESS_MISSING_FIELD": Code(name="WPROGRESS_MISSING_FIELD", severity="error", remedy="Add it."),
        "WPROGRESS_BAD_VALUE": Code(name="WPROGRESS_BAD_VALUE", severity="error", remedy="Write one of the allowed values."),
        "WPROGRESS_MISSING_SECTION": Code(name="WPROGRESS_MISSING_SECTION", severity="error", remedy="Add the section, under its name in the language of the work."),
    },
)
