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
        Field(name="type", type="text", required=True, means="Says that this file is a review.", values={"ultrareview": "A review of this pipeline."}, code="REVIEW_WRONG_TYPE"),
        Field(name="review_version", type="text", required=True, means="Version of this contract."),
        Field(name="task", type="text", required=True, means="The task of the brief."),
        Field(name="slug", type="text", required=True, means="Slug of the project.", form="slug"),
        Field(name="project_dir", type="text", required=True, means="The folder of the project, seen from the root of the repository.", form="project-dir"),
        Field(name="brief_path", type="text", required=True, means="The brief that the work was held against."),
        Field(name="scope_sha_end", type="text", required=True, means="The commit up to which was looked.", form="commit"),
        Field(name="reviewed_files_count", type="integer", required=True, means="How many files were looked at.", minimum=0),
        Field(name="findings", type="list", required=True, means="The ids of all findings; an empty list when there are none.", form="sha1", items="text", code="REVIEW_BAD_FINDING_ID", type_code="REVIEW_BAD_FINDINGS_TYPE"),
        Field(name="created", type="date", required=False, means="The day of the review."),
        Field(name="scope_sha_start", type="text", required=False, means="The commit from which on was looked; null when times of files decided.", form="commit"),
        Field(name="verdict", type="text", required=False, means="What follows.", values={"BLOCK": "The work is not to be used as it is.", "WARN": "It can be used, and something is to be mended.", "ALLOW": "It can be used."}),
    ),
    sections=(
        Section(name="Executive Summary", required=True, means="The verdict and what it rests on."),
        Section(name="Coverage", required=True, means="Every file in scope under what was done with it.", fields=(Field(name="deep-reviewed", type="text", required=False, means="Files that were read whole."), Field(name="summary-only", type="text", required=False, means="Files that were skimmed."), Field(name="skipped", type="text", required=False, means="Files that were left out, with the reason."),)),
        Section(name="Remediation Summary", required=True, means="What has to be done, the most urgent first."),
        Section(name="Findings (BLOCKER)", required=False, means="The work cannot be used: wrong results, lost data, a hole, a criterion that is not met."),
        Section(name="Findings (MAJOR)", required=False, means="Has to be mended before somebody builds on it."),
        Section(name="Findings (MINOR)", required=False, means="Should be mended, and nothing breaks meanwhile."),
        Section(name="Findings (SUGGESTION)", required=False, means="Would be better otherwise."),
    ),
    parts=(
        Part(name="details", heading="{id}", under=("Findings (BLOCKER)", "Findings (MAJOR)", "Findings (MINOR)", "Findings (SUGGESTION)",), level=3, means="One finding.", listed_by="findings", fields=(Field(name="Rule", type="text", required=True, means="The rule that is broken."), Field(name="Location", type="text", required=True, means="Path and line, divided by a colon.", form="location"), Field(name="Message", type="text", required=True, means="What is wrong."), Field(name="Evidence", type="text", required=True, means="The words of the file that show it."), Field(name="Fix", type="text", required=True, means="What to do."),)),
    ),
    rules=(findings_have_details,),
    stats=(
        Field(name="ts", type="timestamp", required=True, means="When the line was written."),
        Field(name="slug", type="text", required=True, means="Slug of the project.", form="slug"),
        Field(name="files", type="integer", required=True, means="How many files were looked at.", minimum=0),
        Field(name="findings", type="object", required=True, means="How many findings of each severity there are.", fields=(Field(name="BLOCKER", type="integer", required=True, means="Findings that make the work unusable.", minimum=0), Field(name="MAJOR", type="integer", required=True, means="Findings that have to be mended.", minimum=0), Field(name="MINOR", type="integer", required=True, means="Findings that should be mended.", minimum=0), Field(name="SUGGESTION", type="integer", required=True, means="What could be better.", minimum=0),)),
        Field(name="verdict", type="text", required=True, means="What follows.", values={"BLOCK": "Not to be used.", "WARN": "To be mended.", "ALLOW": "To be used."}),
    ),
    codes=(
        Code(name="REVIEW_NOT_FOUND", severity="error", means="There is no file at this path.", remedy="Name the review or its project, or review the work first."),
        Code(name="REVIEW_READ_ERROR", severity="error", means="The file cannot be read.", remedy="Make it a regular file that you may read."),
        Code(name="REVIEW_WRONG_TYPE", severity="error", means="The front matter says that this is something else than a review.", remedy="Name a review, or correct the type."),
        Code(name="REVIEW_VERSION_FORMAT", severity="warning", means="The version is not two numbers divided by a dot.", remedy="Write the current version in quotes."),
        Code(name="REVIEW_VERSION_MISMATCH", severity="warning", means="The review has an older version that is still read.", remedy="Bring it to the current version before the older one is dropped."),
        Code(name="REVIEW_VERSION_UNSUPPORTED", severity="error", means="The review has a version that is not read.", remedy="Write the review in the current version, or use the plugin version that wrote it."),
        Code(name="REVIEW_MISSING_FIELD", severity="error", means="A required field of the front matter or of a finding is missing.", remedy="Add the field.", soft=True),
        Code(name="REVIEW_BAD_TYPE", severity="error", means="A field has the wrong type.", remedy="Write a value of the type that the contract asks for."),
        Code(name="REVIEW_BAD_VALUE", severity="error", means="A field has a value outside its set, range or form.", remedy="Write a value that the message allows."),
        Code(name="REVIEW_BAD_FINDINGS_TYPE", severity="error", means="The findings are not a list.", remedy="Write one id a line, each after a hyphen, or [] when there are none."),
        Code(name="REVIEW_BAD_FINDING_ID", severity="error", means="An id is not the one that `ultra finding-id` makes, forty digits of base sixteen.", remedy="Let `ultra finding-id` make the id from path, rule and evidence."),
        Code(name="REVIEW_MISSING_SECTION", severity="error", means="A required section is missing.", remedy="Add the section with a heading of two signs.", soft=True),
        Code(name="REVIEW_FINDING_ORPHAN", severity="warning", means="An id stands in the front matter and not in the body, or the other way round.", remedy="List every finding in both."),
    ),
)
