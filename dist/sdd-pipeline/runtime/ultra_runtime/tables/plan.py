"""Rendered from contracts/plan.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Block, Code, Contract, Field, Modes, Part, Section, Version

CONTRACT = Contract(
    artifact="plan",
    title="Plan",
    prefix="PLAN",
    format="markdown",
    version=Version(field="plan_version", current="1.7", accepts=()),
    modes=Modes(write="strict"),
    places=("{project_dir}/plan.md", ".claude/plans/ultraplan-{date}-{slug}.md",),
    fields=(
        Field(name="plan_version", type="text", required=False, form="version"),
        Field(name="source_findings", type="list", required=False, form="sha1", items="text"),
    ),
    sections=(
        Section(name="Implementation Plan", required=True),
        Section(name="Execution Strategy", required=False),
        Section(name="Verification", required=False),
    ),
    parts=(
        Part(name="steps", heading="Step {number}: {title}", under=("Implementation Plan",), level=3, fields=(Field(name="Files", type="list", required=False), Field(name="Changes", type="text", required=False), Field(name="Reuses", type="text", required=False), Field(name="Test first", type="text", required=False), Field(name="Verify", type="text", required=True, missing="PLAN_MISSING_VERIFY"), Field(name="On failure", type="text", required=True, values={"revert": "Three attempts in all; then undo this step's changes and stop.", "retry": "Three attempts in all, as instructed here; then undo this step's changes and stop.", "skip": "Undo this step's changes and continue.", "escalate": "Commit what has passed and stop."}, missing="PLAN_MISSING_ON_FAILURE"), Field(name="Checkpoint", type="text", required=True, missing="PLAN_CHECKPOINT_FORM"), Field(name="Manifest", type="text", required=True, missing="MANIFEST_MISSING"),)),
        Part(name="sessions", heading="Session {number}: {title}", under=("Execution Strategy",), level=3, fields=(Field(name="Steps", type="text", required=True), Field(name="Wave", type="integer", required=False, minimum=1), Field(name="Depends on", type="text", required=False), Field(name="Scope fence", type="text", required=False),)),
    ),
    blocks=(
        Block(name="manifest", fields=(Field(name="expected_paths", type="list", required=True, items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="min_file_count", type="integer", required=True, minimum=0, type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="commit_message_pattern", type="text", required=True, form="pattern", code="MANIFEST_PATTERN_INVALID", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="bash_syntax_check", type="list", required=True, items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="forbidden_paths", type="list", required=True, items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="must_contain", type="list", required=True, items="object", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY", fields=(Field(name="path", type="text", required=True), Field(name="pattern", type="text", required=True, form="pattern", code="MANIFEST_PATTERN_INVALID"),)), Field(name="sandbox_preflight", type="boolean", required=False, type_code="MANIFEST_BAD_TYPE"),)),
    ),
    forbidden_headings=("Fase", "Phase", "Stage", "Steg",),
    stats=(
        Field(name="ts", type="timestamp", required=True),
        Field(name="slug", type="text", required=True, form="slug"),
        Field(name="steps", type="integer", required=True, minimum=0),
        Field(name="sessions", type="integer", required=True, minimum=0),
        Field(name="self_check_rounds", type="integer", required=True, minimum=0),
        Field(name="source", type="text", required=True, values={"brief": "A brief.", "review": "The findings of a review."}),
    ),
    codes={
        "PLAN_NOT_FOUND": Code(name="PLAN_NOT_FOUND", severity="error", remedy="Name an existing plan, or make one."),
        "PLAN_READ_ERROR": Code(name="PLAN_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "PLAN_UNRECOGNIZED": Code(name="PLAN_UNRECOGNIZED", severity="error", remedy="Name a file with a section Implementation Plan and steps in it."),
        "PLAN_BAD_TYPE": Code(name="PLAN_BAD_TYPE", severity="error", remedy="Give it the type that the contract requires."),
        "PLAN_BAD_VALUE": Code(name="PLAN_BAD_VALUE", severity="error", remedy="Write it as the contract says."),
        "PLAN_VERSION_MISMATCH": Code(name="PLAN_VERSION_MISMATCH", severity="warning", remedy="Make a new plan, or add manifests and the current version."),
        "PLAN_VERSION_UNSUPPORTED": Code(name="PLAN_VERSION_UNSUPPORTED", severity="error", remedy="Update the plugin, or make a new plan with this version."),
        "PLAN_NO_SECTION": Code(name="PLAN_NO_SECTION", severity="error", remedy="Put the steps under a heading of level 2 with that title."),
        "PLAN_FORBIDDEN_HEADING": Code(name="PLAN_FORBIDDEN_HEADING", severity="error", remedy="Make it a step, or a heading without a number."),
        "PLAN_NO_STEPS": Code(name="PLAN_NO_STEPS", severity="error", remedy="Write at least one step under Implementation Plan."),
        "PLAN_STEP_NUMBERING": Code(name="PLAN_STEP_NUMBERING", severity="error", remedy="Number the steps 1, 2, 3 and write each heading as `### Step N: title`."),
        "MANIFEST_MISSING": Code(name="MANIFEST_MISSING", severity="error", remedy="Add the item Manifest with its fenced block of YAML."),
        "PLAN_MANIFEST_COUNT_MISMATCH": Code(name="PLAN_MANIFEST_COUNT_MISMATCH", severity="error", remedy="Keep one manifest in each step and none elsewhere."),
        "MANIFEST_PARSE": Code(name="MANIFEST_PARSE", severity="error", remedy="Write the key manifest, below it one key per line, lists with dashes or in brackets, and quote text with special characters."),
        "MANIFEST_MISSING_KEY": Code(name="MANIFEST_MISSING_KEY", severity="error", remedy="Write every key; an empty list is [] and an empty pattern is \"\"."),
        "MANIFEST_BAD_TYPE": Code(name="MANIFEST_BAD_TYPE", severity="error", remedy="Give it the type that the contract requires."),
        "MANIFEST_PATTERN_INVALID": Code(name="MANIFEST_PATTERN_INVALID", severity="error", remedy="Correct it; write a backslash twice inside double quotes, or use single quotes."),
        "PLAN_SCOPE_OVERLAP": Code(name="PLAN_SCOPE_OVERLAP", severity="error", remedy="Put them into different waves, or give the file to one of them."),
        "PLAN_SESSION_STEPS": Code(name="PLAN_SESSION_STEPS", severity="error", remedy="Put every step into exactly one session."),
        "PLAN_CYCLE": Code(name="PLAN_CYCLE", severity="error", remedy="Remove one dependency."),
        "PLAN_UNKNOWN_FINDING": Code(name="PLAN_UNKNOWN_FINDING", severity="warning", remedy="Copy the id from the review, or remove it."),
        "PLAN_MISSING_VERIFY": Code(name="PLAN_MISSING_VERIFY", severity="warning", remedy="Add the item Verify with one command in backticks."),
        "PLAN_MISSING_ON_FAILURE": Code(name="PLAN_MISSING_ON_FAILURE", severity="warning", remedy="Add the item On failure."),
        "PLAN_CHECKPOINT_FORM": Code(name="PLAN_CHECKPOINT_FORM", severity="warning", remedy="Write the commit in backticks with its message in quotes after -m."),
    },
)
