"""Rendered from contracts/requirement.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Section

CONTRACT = Contract(
    artifact="requirement",
    title="Requirement",
    prefix="REQ",
    format="quoted",
    modes=Modes(write="none"),
    places=("{project_dir}/Requirement.md",),
    fields=(
        Field(name="id", type="text", required=True, form="work-id"),
        Field(name="title", type="text", required=True),
        Field(name="Created", type="date", required=True),
        Field(name="Language", type="text", required=True, values={"en": "English", "ko": "Korean", "ja": "Japanese"}),
    ),
    sections=(
        Section(name="Request", required=True, names={"ko": "요청", "ja": "依頼"}),
        Section(name="Requirements", required=True, names={"ko": "요구사항", "ja": "要件"}),
        Section(name="Acceptance Criteria", required=True, names={"ko": "인수 기준", "ja": "受け入れ基準"}),
        Section(name="Out of Scope", required=False, names={"ko": "범위 외", "ja": "対象外"}),
    ),
    codes={
        "REQ_NOT_FOUND": Code(name="REQ_NOT_FOUND", severity="error", remedy="Let the specifier write it."),
        "REQ_READ_ERROR": Code(name="REQ_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "REQ_PARSE_ERROR": Code(name="REQ_PARSE_ERROR", severity="error", remedy="Begin it with a line `# ` and the title, and save it as UTF-8."),
        "REQ_MISSING_FIELD": Code(name="REQ_MISSING_FIELD", severity="error", remedy="Add it."),
        "REQ_BAD_VALUE": Code(name="REQ_BAD_VALUE", severity="error", remedy="Write one of the allowed values."),
        "REQ_MISSING_SECTION": Code(name="REQ_MISSING_SECTION", severity="error", remedy="Add the section, under its name in the language of the work."),
    },
)
