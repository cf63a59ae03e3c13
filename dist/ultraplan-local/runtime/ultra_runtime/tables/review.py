"""Rendered from contracts/review.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Part, Section, Version
from ultra_runtime.contract.rules import findings_have_details

CONTRACT = Contract(
    artifact="review",
    title="Review",
    prefix="REVIEW",
    format="frontmatter",
    version=Version(field="review_version", current="1.0", accepts=()),
    modes=Modes(write="strict", read="soft"),
    places=("{project_dir}/review.md",),
    fields=(
        Field(name="type", type="text", required=True, means="Marks this file as a review.", values={"ultrareview": "A review of this pipeline."}, code="REVIEW_WRONG_TYPE"),
        Field(name="review_version", type="text", required=True, means="Version of this contract."),
        Field(name="task", type="text", required=True, means="The task of the brief."),
        Field(name="slug", type="text", required=True, means="Slug of the project.", form="slug"),
        Field(name="project_dir", type="text", required=True, means="The folder of the project, relative to the root of the repository.", form="project-dir"),
        Field(name="brief_path", type="text", required=True, means="The brief that the work was compared with."),
        Field(name="scope_sha_end", type="text", required=True, means="Last commit reviewed.", form="commit"),
        Field(name="reviewed_files_count", type="integer", required=True, means="How many files were reviewed.", minimum=0),
        Field(name="findings", type="list", required=True, means="The ids of all findings; an empty list when there are none.", form="sha1", items="text", code="REVIEW_BAD_FINDING_ID", type_code="REVIEW_BAD_FINDINGS_TYPE"),
        Field(name="created", type="date", required=False, means="The day of the review."),
        Field(name="scope_sha_start", type="text", required=False, means="Commit at which the review starts; null when files were chosen by their modification time.", form="commit"),
        Field(name="verdict", type="text", required=False, means="The verdict.", values={"BLOCK": "The work must not be used as it is.", "WARN": "It can be used, but something needs fixing.", "ALLOW": "It can be used."}),
    ),
    sections=(
        Section(name="Executive Summary", required=True, means="The verdict and its reasons."),
        Section(name="Coverage", required=True, means="Every file in scope, listed by how it was reviewed.", fields=(Field(name="deep-reviewed", type="text", required=False, means="Files that were read in full."), Field(name="summary-only", type="text", required=False, means="Files that were skimmed."), Field(name="skipped", type="text", required=False, means="Files that were left out, with the reason."),)),
        Section(name="Remediation Summary", required=True, means="What must be done, most urgent first."),
        Section(name="Findings (BLOCKER)", required=False, means="The work cannot be used: wrong results, lost data, a security hole, an unmet criterion."),
        Section(name="Findings (MAJOR)", required=False, means="Must be fixed before anyone builds on it."),
        Section(name="Findings (MINOR)", required=False, means="Should be fixed, but nothing breaks until then."),
        Section(name="Findings (SUGGESTION)", required=False, means="Could be better."),
    ),
    parts=(
        Part(name="details", heading="{id}", under=("Findings (BLOCKER)", "Findings (MAJOR)", "Findings (MINOR)", "Findings (SUGGESTION)",), level=3, means="One finding.", listed_by="findings", fields=(Field(name="Rule", type="text", required=True, means="The rule that is broken."), Field(name="Location", type="text", required=True, means="Path and line, separated by a colon.", form="location"), Field(name="Message", type="text", required=True, means="What is wrong."), Field(name="Evidence", type="text", required=True, means="The text of the file that shows it."), Field(name="Fix", type="text", required=True, means="What to do."),)),
    ),
    rules=(findings_have_details,),
    stats=(
        Field(name="ts", type="timestamp", required=True, means="When the line was written."),
        Field(name="slug", type="text", required=True, means="Slug of the project.", form="slug"),
        Field(name="files", type="integer", required=True, means="How many files were reviewed.", minimum=0),
        Field(name="findings", type="object", required=True, means="How many findings of each severity there are.", fields=(Field(name="BLOCKER", type="integer", required=True, means="Findings that make the work unusable.", minimum=0), Field(name="MAJOR", type="integer", required=True, means="Findings that must be fixed.", minimum=0), Field(name="MINOR", type="integer", required=True, means="Findings that should be fixed.", minimum=0), Field(name="SUGGESTION", type="integer", required=True, means="What could be better.", minimum=0),)),
        Field(name="verdict", type="text", required=True, means="The verdict.", values={"BLOCK": "Not to be used.", "WARN": "Needs fixes.", "ALLOW": "Can be used."}),
    ),
    codes=(
        Code(name="REVIEW_NOT_FOUND", severity="error", means="There is no file at this path.", remedy="Name the review or its project, or review the work first."),
        Code(name="REVIEW_READ_ERROR", severity="error", means="The file cannot be read.", remedy="Make it a regular file that you can read."),
        Code(name="REVIEW_WRONG_TYPE", severity="error", means="The front matter says that this is not a review.", remedy="Name a review, or correct the type."),
        Code(name="REVIEW_VERSION_FORMAT", severity="warning", means="The version is not two numbers separated by a dot.", remedy="Write the current version in quotes."),
        Code(name="REVIEW_VERSION_MISMATCH", severity="warning", means="The review has an older version that can still be read.", remedy="Update it to the current version before support for the older one ends."),
        Code(name="REVIEW_VERSION_UNSUPPORTED", severity="error", means="The review has a version that cannot be read.", remedy="Write the review in the current version, or use the plugin version that wrote it."),
        Code(name="REVIEW_MISSING_FIELD", severity="error", means="A required field of the front matter or of a finding is missing.", remedy="Add the field.", soft=True),
        Code(name="REVIEW_BAD_TYPE", severity="error", means="A field has the wrong type.", remedy="Write a value of the type that the contract requires."),
        Code(name="REVIEW_BAD_VALUE", severity="error", means="A field has a value that is not allowed, out of range or in the wrong form.", remedy="Write a value that the message allows."),
        Code(name="REVIEW_BAD_FINDINGS_TYPE", severity="error", means="The findings are not a list.", remedy="Write one id per line, each after a hyphen, or [] when there are none."),
        Code(name="REVIEW_BAD_FINDING_ID", severity="error", means="An id is not one that `ultra finding-id` makes, forty hexadecimal digits.", remedy="Let `ultra finding-id` make the id from path, rule and evidence."),
        Code(name="REVIEW_MISSING_SECTION", severity="error", means="A required section is missing.", remedy="Add the section with a level 2 heading (##).", soft=True),
        Code(name="REVIEW_FINDING_ORPHAN", severity="warning", means="An id is in the front matter but not in the body, or in the body but not in the front matter.", remedy="List every finding in both."),
    ),
)
