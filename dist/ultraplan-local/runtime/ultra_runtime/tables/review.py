"""Rendered from contracts/review.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Part, Section, Version
from ultra_runtime.contract.rules import findings_have_details

CONTRACT = Contract(
    artifact="review",
    title="Review",
    prefix="REVIEW",
    format="frontmatter",
    version=Version(field="review_version", current="1.0", accepts=()),
    modes=Modes(write="strict"),
    places=("{project_dir}/review.md",),
    fields=(
        Field(name="type", type="text", required=True, values={"ultrareview": "A review of this pipeline."}, code="REVIEW_WRONG_TYPE"),
        Field(name="review_version", type="text", required=True),
        Field(name="task", type="text", required=True),
        Field(name="slug", type="text", required=True, form="slug"),
        Field(name="project_dir", type="text", required=True, form="project-dir"),
        Field(name="brief_path", type="text", required=True),
        Field(name="scope_sha_end", type="text", required=True, form="commit"),
        Field(name="reviewed_files_count", type="integer", required=True, minimum=0),
        Field(name="findings", type="list", required=True, form="sha1", items="text", code="REVIEW_BAD_FINDING_ID", type_code="REVIEW_BAD_FINDINGS_TYPE"),
        Field(name="created", type="date", required=False),
        Field(name="scope_sha_start", type="text", required=False, form="commit"),
        Field(name="verdict", type="text", required=False, values={"BLOCK": "The work must not be used as it is.", "WARN": "It can be used, but something needs fixing.", "ALLOW": "It can be used."}),
    ),
    sections=(
        Section(name="Executive Summary", required=True),
        Section(name="Coverage", required=True, fields=(Field(name="deep-reviewed", type="text", required=False), Field(name="summary-only", type="text", required=False), Field(name="skipped", type="text", required=False),)),
        Section(name="Remediation Summary", required=True),
        Section(name="Findings (BLOCKER)", required=False),
        Section(name="Findings (MAJOR)", required=False),
        Section(name="Findings (MINOR)", required=False),
        Section(name="Findings (SUGGESTION)", required=False),
    ),
    parts=(
        Part(name="details", heading="{id}", under=("Findings (BLOCKER)", "Findings (MAJOR)", "Findings (MINOR)", "Findings (SUGGESTION)",), level=3, fields=(Field(name="Rule", type="text", required=True), Field(name="Location", type="text", required=True, form="location"), Field(name="Message", type="text", required=True), Field(name="Evidence", type="text", required=True), Field(name="Fix", type="text", required=True),)),
    ),
    rules=(findings_have_details,),
    stats=(
        Field(name="ts", type="timestamp", required=True),
        Field(name="slug", type="text", required=True, form="slug"),
        Field(name="files", type="integer", required=True, minimum=0),
        Field(name="findings", type="object", required=True, fields=(Field(name="BLOCKER", type="integer", required=True, minimum=0), Field(name="MAJOR", type="integer", required=True, minimum=0), Field(name="MINOR", type="integer", required=True, minimum=0), Field(name="SUGGESTION", type="integer", required=True, minimum=0),)),
        Field(name="verdict", type="text", required=True, values={"BLOCK": "Not to be used.", "WARN": "Needs fixes.", "ALLOW": "Can be used."}),
    ),
    codes={
        "REVIEW_NOT_FOUND": Code(name="REVIEW_NOT_FOUND", severity="error", remedy="Name the review or its project, or review the work first."),
        "REVIEW_READ_ERROR": Code(name="REVIEW_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "REVIEW_WRONG_TYPE": Code(name="REVIEW_WRONG_TYPE", severity="error", remedy="Name a review, or correct the type."),
        "REVIEW_VERSION_FORMAT": Code(name="REVIEW_VERSION_FORMAT", severity="warning", remedy="Write the current version in quotes."),
        "REVIEW_VERSION_MISMATCH": Code(name="REVIEW_VERSION_MISMATCH", severity="warning", remedy="Update it to the current version before support for the older one ends."),
        "REVIEW_VERSION_UNSUPPORTED": Code(name="REVIEW_VERSION_UNSUPPORTED", severity="error", remedy="Write the review in the current version, or use the plugin version that wrote it."),
        "REVIEW_MISSING_FIELD": Code(name="REVIEW_MISSING_FIELD", severity="error", remedy="Add the field.", soft=True),
        "REVIEW_BAD_TYPE": Code(name="REVIEW_BAD_TYPE", severity="error", remedy="Write a value of the type that the contract requires."),
        "REVIEW_BAD_VALUE": Code(name="REVIEW_BAD_VALUE", severity="error", remedy="Write a value that the message allows."),
        "REVIEW_BAD_FINDINGS_TYPE": Code(name="REVIEW_BAD_FINDINGS_TYPE", severity="error", remedy="Write one id per line, each after a hyphen, or [] when there are none."),
        "REVIEW_BAD_FINDING_ID": Code(name="REVIEW_BAD_FINDING_ID", severity="error", remedy="Let `ultra finding-id` make the id from path, rule and evidence."),
        "REVIEW_MISSING_SECTION": Code(name="REVIEW_MISSING_SECTION", severity="error", remedy="Add the section with a level 2 heading (##).", soft=True),
        "REVIEW_FINDING_ORPHAN": Code(name="REVIEW_FINDING_ORPHAN", severity="warning", remedy="List every finding in both."),
    },
)
