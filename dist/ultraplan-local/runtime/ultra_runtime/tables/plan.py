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
        Field(name="source_findings", type="list", required=False, means="Ids of the findings that the plan takes up, when it was made from a review.", form="sha1", items="text"),
    ),
    sections=(
        Section(name="Implementation Plan", required=True, means="The steps."),
        Section(name="Execution Strategy", required=False, means="Sessions that share the steps among them, and the waves in which they run; without it one session does all."),
        Section(name="Verification", required=False, means="Commands for the whole, as list items that begin with the command in backticks."),
    ),
    parts=(
        Part(name="steps", heading="Step {number}: {title}", under=("Implementation Plan",), level=3, means="One change that is verified and committed by itself; numbered from 1 without a gap.", fields=(Field(name="Files", type="list", required=False, means="The files that the step changes or makes, in backticks; nothing else may change."), Field(name="Changes", type="text", required=False, means="What to do."), Field(name="Reuses", type="text", required=False, means="What is there already and should be used."), Field(name="Test first", type="text", required=False, means="When it is, or begins with, a command in backticks, that is run before the change; prose is for whoever does the step and is never run, whatever it quotes."), Field(name="Verify", type="text", required=True, means="The command in backticks, then optionally `-> expected:` and what it prints. Expected text in backticks has to be in the output; prose is for people.", missing="PLAN_MISSING_VERIFY"), Field(name="On failure", type="text", required=True, means="The action, then instructions; left out, it reads as escalate.", values={"revert": "Three attempts in all; then undo this step's changes and stop.", "retry": "Three attempts in all, as instructed here; then undo this step's changes and stop.", "skip": "Undo this step's changes and go on.", "escalate": "Commit what has passed and stop."}, missing="PLAN_MISSING_ON_FAILURE"), Field(name="Checkpoint", type="text", required=True, means="The commit in backticks; only its message counts.", missing="PLAN_CHECKPOINT_FORM"), Field(name="Manifest", type="text", required=True, means="A fenced block of YAML, indented below the item, with the key manifest.", missing="MANIFEST_MISSING"),)),
        Part(name="sessions", heading="Session {number}: {title}", under=("Execution Strategy",), level=3, means="Steps that one session does by itself. Waves run one after the other, the sessions of a wave side by side.", fields=(Field(name="Steps", type="text", required=True, means="Numbers and ranges of its steps; every step is in exactly one session."), Field(name="Wave", type="integer", required=False, means="The wave in which it runs, from 1 on; a list of waves under Execution Order may say it instead.", minimum=1), Field(name="Depends on", type="text", required=False, means="The sessions that have to be done before, all of earlier waves; or none."), Field(name="Scope fence", type="text", required=False, means="Two nested items, Touch and Never touch, each with paths in backticks."),)),
    ),
    blocks=(
        Block(name="manifest", means="What has to be true when the step is done; every key is needed.", fields=(Field(name="expected_paths", type="list", required=True, means="Files that exist afterwards.", items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="min_file_count", type="integer", required=True, means="How many of them exist at least.", minimum=0, type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="commit_message_pattern", type="text", required=True, means="A regular expression that is found in the subject of the commit; empty matches all.", form="pattern", code="MANIFEST_PATTERN_INVALID", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="bash_syntax_check", type="list", required=True, means="Shell scripts that `bash -n` passes.", items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="forbidden_paths", type="list", required=True, means="Paths that the step does not change.", items="text", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY"), Field(name="must_contain", type="list", required=True, means="Files and the pattern that is found in each, line by line.", items="object", type_code="MANIFEST_BAD_TYPE", missing="MANIFEST_MISSING_KEY", fields=(Field(name="path", type="text", required=True, means="The file."), Field(name="pattern", type="text", required=True, means="A regular expression, searched with MULTILINE.", form="pattern", code="MANIFEST_PATTERN_INVALID"),)), Field(name="sandbox_preflight", type="boolean", required=False, means="Only in Step 0 of a session spec.", type_code="MANIFEST_BAD_TYPE"),)),
    ),
    forbidden_headings=("Fase", "Phase", "Stage", "Steg",),
    stats=(
        Field(name="ts", type="timestamp", required=True, means="When the line was written."),
        Field(name="slug", type="text", required=True, means="Short name of the task.", form="slug"),
        Field(name="steps", type="integer", required=True, means="How many steps the plan has.", minimum=0),
        Field(name="sessions", type="integer", required=True, means="How many sessions it has.", minimum=0),
        Field(name="self_check_rounds", type="integer", required=True, means="How often it was put before it passed.", minimum=0),
        Field(name="source", type="text", required=True, means="What it was made from.", values={"brief": "A brief.", "review": "The findings of a review."}),
    ),
    codes=(
        Code(name="PLAN_NOT_FOUND", severity="error", means="There is no file at this path.", remedy="Name an existing plan, or make one."),
        Code(name="PLAN_READ_ERROR", severity="error", means="The file cannot be read.", remedy="Make it a regular file that you may read."),
        Code(name="PLAN_UNRECOGNIZED", severity="error", means="The file is neither a plan nor a session spec.", remedy="Name a file with a section Implementation Plan and steps in it."),
        Code(name="PLAN_BAD_TYPE", severity="error", means="A field of the front matter has the wrong type.", remedy="Give it the type that the contract says."),
        Code(name="PLAN_BAD_VALUE", severity="error", means="A value is outside its set, range or form, or something stands where it cannot be read.", remedy="Write it as the contract says."),
        Code(name="PLAN_VERSION_MISMATCH", severity="warning", means="The plan has no version or an older one and is read as legacy, with manifests made up.", remedy="Make the plan anew, or add manifests and the current version."),
        Code(name="PLAN_VERSION_UNSUPPORTED", severity="error", means="The plan is newer than this bundle.", remedy="Update the plugin, or make the plan anew with this one."),
        Code(name="PLAN_NO_SECTION", severity="error", means="There is no section Implementation Plan.", remedy="Put the steps under a heading of level 2 with that title."),
        Code(name="PLAN_FORBIDDEN_HEADING", severity="error", means="A heading counts in phases, stages or another language, which nobody would execute.", remedy="Make it a step, or a heading without a number."),
        Code(name="PLAN_NO_STEPS", severity="error", means="The plan has no step.", remedy="Write at least one step under Implementation Plan."),
        Code(name="PLAN_STEP_NUMBERING", severity="error", means="The steps are not numbered from 1 without a gap, or a heading only looks like a step.", remedy="Number the steps 1, 2, 3 and write each heading at level 3 as the word Step, its number, a colon and a title."),
        Code(name="MANIFEST_MISSING", severity="error", means="A step has no manifest.", remedy="Add the item Manifest with its fenced block of YAML."),
        Code(name="PLAN_MANIFEST_COUNT_MISMATCH", severity="error", means="A step has two manifests, or one stands outside the steps.", remedy="Keep one manifest in each step and none elsewhere."),
        Code(name="MANIFEST_PARSE", severity="error", means="The block is not the small YAML that a manifest is.", remedy="Write the key manifest, below it one key a line, lists with dashes or in brackets, and odd text in quotes."),
        Code(name="MANIFEST_MISSING_KEY", severity="error", means="A manifest lacks a key.", remedy="Write every key; an empty list is [] and an empty pattern is \"\"."),
        Code(name="MANIFEST_BAD_TYPE", severity="error", means="A value of a manifest has the wrong type.", remedy="Give it the type that the contract says."),
        Code(name="MANIFEST_PATTERN_INVALID", severity="error", means="A pattern does not compile as a regular expression of Python, or takes too long.", remedy="Correct it; a backslash in double quotes is written twice, or use single quotes."),
        Code(name="PLAN_SCOPE_OVERLAP", severity="error", means="Two sessions of one wave touch one file.", remedy="Put them into different waves, or give the file to one of them."),
        Code(name="PLAN_SESSION_STEPS", severity="error", means="A step is in no session or in two, or a session names a step that is not there.", remedy="Put every step into exactly one session."),
        Code(name="PLAN_CYCLE", severity="error", means="Sessions depend on each other in a circle.", remedy="Take one dependency out."),
        Code(name="PLAN_UNKNOWN_FINDING", severity="warning", means="The plan takes up a finding that the review does not have.", remedy="Copy the id from the review, or drop it."),
        Code(name="PLAN_MISSING_VERIFY", severity="warning", means="A step has no command that verifies it, so its manifest alone decides.", remedy="Add the item Verify with one command in backticks."),
        Code(name="PLAN_MISSING_ON_FAILURE", severity="warning", means="A step does not say what to do when it fails; that reads as escalate.", remedy="Add the item On failure."),
        Code(name="PLAN_CHECKPOINT_FORM", severity="warning", means="The Checkpoint is not a git commit with a message.", remedy="Write the commit in backticks with its message in quotes after -m."),
    ),
)
