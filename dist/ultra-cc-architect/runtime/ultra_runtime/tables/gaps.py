"""Rendered from contracts/gaps.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Part, Section

CONTRACT = Contract(
    artifact="gaps",
    title="Architecture gaps",
    prefix="GAPS",
    format="frontmatter",
    modes=Modes(write="strict"),
    places=("{project_dir}/architecture/gaps.md",),
    fields=(
        Field(name="type", type="text", required=True, values={"ultra-architecture-gaps": "What a decision leaves open."}, code="GAPS_WRONG_TYPE"),
        Field(name="created", type="date", required=True),
        Field(name="slug", type="text", required=True, form="slug"),
    ),
    sections=(
        Section(name="Gaps", required=True),
    ),
    parts=(
        Part(name="gaps", heading="Gap {number}: {title}", under=("Gaps",), level=3, code="GAPS_INCOMPLETE", fields=(Field(name="Unknown", type="text", required=True), Field(name="Settled by", type="text", required=True), Field(name="Assume", type="text", required=True), Field(name="Owner", type="text", required=True),)),
    ),
    codes={
        "GAPS_NOT_FOUND": Code(name="GAPS_NOT_FOUND", severity="error", remedy="Name the gaps file of a project."),
        "GAPS_READ_ERROR": Code(name="GAPS_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "GAPS_WRONG_TYPE": Code(name="GAPS_WRONG_TYPE", severity="error", remedy="Name a file with gaps, or correct the type."),
        "GAPS_MISSING_FIELD": Code(name="GAPS_MISSING_FIELD", severity="error", remedy="Add the field to the front matter."),
        "GAPS_BAD_TYPE": Code(name="GAPS_BAD_TYPE", severity="error", remedy="Write a value of the type that the contract requires."),
        "GAPS_BAD_VALUE": Code(name="GAPS_BAD_VALUE", severity="error", remedy="Write a value that the message allows."),
        "GAPS_MISSING_SECTION": Code(name="GAPS_MISSING_SECTION", severity="error", remedy="Add the section with a level 2 heading (##)."),
        "GAPS_INCOMPLETE": Code(name="GAPS_INCOMPLETE", severity="error", remedy="Give every gap Unknown, Settled by, Assume and Owner."),
    },
)
