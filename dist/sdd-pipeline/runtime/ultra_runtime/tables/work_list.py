"""Rendered from contracts/work-list.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Section

CONTRACT = Contract(
    artifact="work-list",
    title="Work list",
    prefix="WORKLIST",
    format="quoted",
    modes=Modes(write="runtime"),
    places=("works/WORK-LIST.md",),
    fields=(
        Field(name="title", type="text", required=False),
    ),
    sections=(
        Section(name="Works", required=True),
    ),
    codes={
        "WORKLIST_NOT_FOUND": Code(name="WORKLIST_NOT_FOUND", severity="error", remedy="Nothing; the runtime writes it when a work is made."),
        "WORKLIST_READ_ERROR": Code(name="WORKLIST_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "WORKLIST_PARSE_ERROR": Code(name="WORKLIST_PARSE_ERROR", severity="error", remedy="Begin it with a line `# ` and the title, and save it as UTF-8."),
        "WORKLIST_MISSING_SECTION": Code(name="WORKLIST_MISSING_SECTION", severity="error", remedy="Add the section, under its name in the language of the work."),
    },
)
