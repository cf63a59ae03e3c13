"""Rendered from contracts/plan.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Block, Code, Contract, Field, Modes, Part, Section, Version

CONTRACT = Contract(
    artifact="plan",
    title="Plan",
    prefix="PLAN",
    format="markdown",
    version=Version(field="plan_version", current="1.7", accepts=(), legacy=True),
    modes=Modes(write="strict", read="strict"),
    places=("{project_dir}/plan.md", ".claude/plans/ultraplan-{date}-{slug}.md",),
    fields=(
        Field(name="plan_version", type="text", required=False, means="Version of this contract; without it the plan is read as legacy.", form="version"),
        Field(name="source_findings", type="list", required=False, means="Ids of the findings that the plan fixes, when it was made from a review.", form="sha1", items="text"),
    ),
    sections=(
        Section(name="Implementation Plan", required=True, means="The steps."),
        Section(name="Execution Strategy", required=False, means="The sessions that divide the steps, and the waves in which they run; without it one session does all steps."),
        Section(name="Verification", required=False, means="Commands that check the whole, as list items that begin with the command in backticks."),
    ),
    parts=(
        Part(name="steps", heading="Step {number}: {title}", under=("Implementation Plan",), level=3, means="One change that is verified and committed separately; steps are numbered from 1 without gaps.", fields=(Field(name="Files", type="list", required=False, means="The files that the step changes or creates, in backticks; nothing else may change."), Field(name="Changes", type="text", required=False, means="What to do."), Field(name="Reuses", type="text", required=False, means="What already exists and should be used."), Field(name="Test first", type="text", required=False, means="A command in backticks at the beginning is run before the change. Other text is for the person or model that does the step and is never run, even if it quotes commands."), Field(name="Verify", type="text", required=True, means="The command in backticks, then optionally `-> expected:` and what it prints. Expected text in backticks must be in the output; other text is for people.", missing="PLAN_MISSING_VERIFY"), Field(name="On failure", type="text", required=True, means="The action, then instructions; the default is escalate.", values={"revert": "Three attempts in all; then undo this step's changes and stop.", "retry": "Three attempts in all, as instructed here; then undo this step's changes and stop.", "skip": "Undo this step's changes and continue.", "escalate": "Commit what has passed and stop."}, missing="PLAN_MISSING_ON_FAILURE"), Field(name="Checkpoint", type="text", required=True, means="The commit in backticks; only its message counts.", missing="PLAN_CHECKPOINT_FORM"), Field(name="Manifest", type="text", required=True, means="A fenced block of YAML, indented below the item, with the key manifest.", missing="MANIFEST_MISSING"),)),
        Part(name="sessions", heading="Session {number}: {title}", under=("Execution Strategy",), level=3, means="Steps that one session does on its own. Waves run one after the other, the sessions of a wave in parallel.", fields=(Field(name="Steps", type="text", required=True, means="Numbers and ranges of its steps; every step must be in exactly one session."), Field(name="Wave", type="integer", required=False, means="The wave in which it runs, starting at 1; a list of waves under Execution Order may give it instead.", minimum=1), Field(name="Depends on", type="text", required=False, means="The sessions that must be done before, all from earlier waves; or none."), Field(name="Scope fence", type="text", required=False, means="Two nested items, Touch and Never touch, each with paths in backticks."),)),
    ),
    blocks=(
        Block(name="manifest", means="What must be true when the step is done; every key is required.", fields=(Field(name="expected_paths", type="list", required=True, means="Files that must exist afterwards.", items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="min_file_count", type="integer", required=True, means="The minimum number of these files that must exist; at most as many as are expected.", minimum=0, type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="commit_message_pattern", type="text", required=True, means="A regular expression that must match in the subject of the commit; empty matches anything.", form="pattern", code="MANIFEST_PATTERN_INVALID", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="bash_syntax_check", type="list", required=True, means="Shell scripts that `bash -n` must accept.", items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="forbidden_paths", type="list", required=True, means="Paths that the step must not change.", items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="must_contain", type="list", required=True, means="Files, each with a pattern that must match in it.", items="object", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY", fields=(Field(name="path", type="text", required=True, means="The file."), Field(name="pattern", type="text", required=True, means="A regular expression, searched with MULTILINE.", form="pattern", code="MANIFEST_PATTERN_INVALID"),)), Field(name="sandbox_preflight", type="boolean", required=False, means="Only in Step 0 of a session spec.", type_code="MANIFEST_BAD_TYPE"),)),
    ),
    forbidden_headings=("Fase", "Phase", "Stage", "Steg",),
    stats=(
        Field(name="ts", type="timestamp", required=True, means="When the line was written."),
        Field(name="slug", type="text", required=True, means="Short name of the task.", form="slug"),
        Field(name="steps", type="integer", required=True, means="How many steps the plan has.", minimum=0),
        Field(name="sessions", type="integer", required=True, means="How many sessions it has.", minimum=0),
        Field(name="self_check_rounds", type="integer", required=True, means="How many rounds it took to pass the self-check.", minimum=0),
        Field(name="source", type="text", required=True, means="What it was made from.", values={"brief": "A brief.", "review": "The findings of a review."}),
    ),
    codes=(
        Code(name="PLAN_NOT_FOUND", severity="error", means="There is no file at this path.", remedy="Name an existing plan, or make one."),
        Code(name="PLAN_READ_ERROR", severity="error", means="The file cannot be read.", remedy="Make it a regular file that you can read."),
        Code(name="PLAN_UNRECOGNIZED", severity="error", means="The file is neither a plan nor a session spec.", remedy="Name a file with a section Implementation Plan and steps in it."),
        Code(name="PLAN_BAD_TYPE", severity="error", means="A field of the front matter has the wrong type.", remedy="Give it the type that the contract requires."),
        Code(name="PLAN_BAD_VALUE", severity="error", means="A value is not allowed, out of range or in the wrong form, or something is in a place where it cannot be read.", remedy="Write it as the contract says."),
        Code(name="PLAN_VERSION_MISMATCH", severity="warning", means="The plan has no version or an older one; it is read as legacy, with generated manifests.", remedy="Make a new plan, or add manifests and the current version."),
        Code(name="PLAN_VERSION_UNSUPPORTED", severity="error", means="The plan is newer than this bundle.", remedy="Update the plugin, or make a new plan with this version."),
        Code(name="PLAN_NO_SECTION", severity="error", means="There is no section Implementation Plan.", remedy="Put the steps under a heading of level 2 with that title."),
        Code(name="PLAN_FORBIDDEN_HEADING", severity="error", means="A numbered heading says Phase, Stage, Fase or Steg instead of Step, so it would not be executed.", remedy="Make it a step, or a heading without a number."),
        Code(name="PLAN_NO_STEPS", severity="error", means="The plan has no step.", remedy="Write at least one step under Implementation Plan."),
        Code(name="PLAN_STEP_NUMBERING", severity="error", means="The steps are not numbered from 1 without gaps, or a heading only looks like a step.", remedy="Number the steps 1, 2, 3 and write each heading as `### Step N: title`."),
        Code(name="MANIFEST_MISSING", severity="error", means="A step has no manifest.", remedy="Add the item Manifest with its fenced block of YAML."),
        Code(name="PLAN_MANIFEST_COUNT_MISMATCH", severity="error", means="A step has two manifests, or a manifest is outside the steps.", remedy="Keep one manifest in each step and none elsewhere."),
        Code(name="MANIFEST_PARSE", severity="error", means="The block is not in the supported YAML subset.", remedy="Write the key manifest, below it one key per line, lists with dashes or in brackets, and quote text with special characters."),
        Code(name="MANIFEST_MISSING_KEY", severity="error", means="A manifest lacks a key.", remedy="Write every key; an empty list is [] and an empty pattern is \"\"."),
        Code(name="MANIFEST_BAD_TYPE", severity="error", means="A value of a manifest has the wrong type.", remedy="Give it the type that the contract requires."),
        Code(name="MANIFEST_PATTERN_INVALID", severity="error", means="A pattern is not a valid Python regular expression, or takes too long.", remedy="Correct it; write a backslash twice inside double quotes, or use single quotes."),
        Code(name="PLAN_SCOPE_OVERLAP", severity="error", means="Two sessions of one wave touch the same file.", remedy="Put them into different waves, or give the file to one of them."),
        Code(name="PLAN_SESSION_STEPS", severity="error", means="A step is in no session or in two, or a session names a step that does not exist.", remedy="Put every step into exactly one session."),
        Code(name="PLAN_CYCLE", severity="error", means="Sessions depend on each other in a circle.", remedy="Remove one dependency."),
        Code(name="PLAN_UNKNOWN_FINDING", severity="warning", means="The plan lists a finding that the review does not have.", remedy="Copy the id from the review, or remove it."),
        Code(name="PLAN_MISSING_VERIFY", severity="warning", means="A step has no command that verifies it, so its manifest alone decides.", remedy="Add the item Verify with one command in backticks."),
        Code(name="PLAN_MISSING_ON_FAILURE", severity="warning", means="A step does not say what to do when it fails; escalate is used.", remedy="Add the item On failure."),
        Code(name="PLAN_CHECKPOINT_FORM", severity="warning", means="The Checkpoint is not a git commit with a message.", remedy="Write the commit in backticks with its message in quotes after -m."),
    ),
)
