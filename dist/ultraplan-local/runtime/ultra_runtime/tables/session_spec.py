"""Rendered from contracts/session-spec.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Block, Code, Contract, Field, Modes, Section, Version

CONTRACT = Contract(
    artifact="session-spec",
    title="Session spec",
    prefix="SPEC",
    format="markdown",
    version=Version(field="plan_version", current="1.7", accepts=(), legacy=True, block="session_manifest"),
    modes=Modes(write="runtime", read="strict"),
    places=("{project_dir}/sessions/session-{N}.md", "{project_dir}/sessions/session-{N}-recovery-{depth}.md",),
    sections=(
        Section(name="Context", required=True, means="Why this session exists and what it does within the plan, for a reader who knows nothing else."),
        Section(name="Dependencies", required=True, means="What comes before and after.", fields=(Field(name="Depends on", type="text", required=False, means="The sessions that come before, or none."), Field(name="Blocks", type="text", required=False, means="The sessions that wait for this one, or none."), Field(name="Entry condition", type="text", required=True, means="none, git clean, a command in backticks, or session N for the commits of that session."),)),
        Section(name="Scope Fence", required=True, means="What the session may change.", fields=(Field(name="Touch", type="list", required=False, means="The files it may change, in backticks."), Field(name="Never touch", type="list", required=False, means="The files that belong to others, in backticks."),)),
        Section(name="Session Manifest", required=True, means="The union of the steps' manifests.", mild=True),
        Section(name="Steps", required=True, means="Step 0, the sandbox pre-flight, then the plan's steps word for word, with their numbers."),
        Section(name="Exit Condition", required=True, means="Commands that must pass when the session is done, as list items that begin with the command in backticks."),
        Section(name="Failure Handling", required=True, means="What to do when a step fails for good."),
        Section(name="Security Constraints", required=True, means="What no step may do, whatever the step says."),
        Section(name="Handoff State", required=True, means="What the next session needs to know."),
        Section(name="Metadata", required=True, means="Where the session comes from.", fields=(Field(name="Master plan", type="text", required=False, means="The plan."), Field(name="Steps", type="text", required=False, means="The numbers of its steps."), Field(name="Complexity", type="text", required=False, means="low, medium or high."), Field(name="Model", type="text", required=False, means="The model that suits it."),)),
        Section(name="Recovery Metadata", required=False, means="Why a recovery spec exists; only in recovery specs.", fields=(Field(name="recovery_of", type="text", required=True, means="The spec whose steps are missing.", missing="SPEC_RECOVERY"), Field(name="recovery_depth", type="integer", required=True, means="Depth of the recovery.", minimum=1, maximum=2, code="SPEC_RECOVERY", missing="SPEC_RECOVERY"), Field(name="missing_steps", type="text", required=True, means="The numbers of the missing steps.", missing="SPEC_RECOVERY"), Field(name="entry_condition_override", type="text", required=True, means="What must be true instead of the entry condition.", missing="SPEC_RECOVERY"), Field(name="parent_progress_file", type="text", required=True, means="The progress file of the session.", missing="SPEC_RECOVERY"),)),
    ),
    blocks=(
        Block(name="session_manifest", means="What must be true when the session is done.", fields=(Field(name="plan_version", type="text", required=True, means="Version of the contract.", type_code="SPEC_BAD_TYPE"), Field(name="legacy_synthesis", type="boolean", required=True, means="Whether the manifests were generated because the plan had none.", type_code="SPEC_BAD_TYPE"), Field(name="expected_paths", type="list", required=True, means="Files that must exist afterwards.", items="text", type_code="SPEC_BAD_TYPE"), Field(name="commit_count", type="integer", required=True, means="How many steps commit, not counting Step 0.", minimum=0, type_code="SPEC_BAD_TYPE"), Field(name="commit_message_patterns", type="list", required=True, means="The pattern of each commit, in the order of the steps.", items="text", type_code="SPEC_BAD_TYPE"), Field(name="bash_syntax_check", type="list", required=True, means="Shell scripts that `bash -n` must accept.", items="text", type_code="SPEC_BAD_TYPE"), Field(name="scope_touch", type="list", required=True, means="The paths under Touch.", items="text", type_code="SPEC_BAD_TYPE"), Field(name="scope_forbidden", type="list", required=True, means="The paths under Never touch and in the steps' forbidden_paths.", items="text", type_code="SPEC_BAD_TYPE"),)),
    ),
    codes=(
        Code(name="SPEC_NOT_FOUND", severity="error", means="There is no file at this path.", remedy="Generate the specs with `ultra sessions write`, or name an existing one."),
        Code(name="SPEC_READ_ERROR", severity="error", means="The file cannot be read.", remedy="Make it a regular file that you can read."),
        Code(name="SPEC_BAD_TYPE", severity="error", means="A value has the wrong type.", remedy="Generate the spec again with `ultra sessions write`."),
        Code(name="SPEC_BAD_VALUE", severity="error", means="A value is not allowed, out of range or in the wrong form, or something is in a place where it cannot be read.", remedy="Write it as the contract says, or generate the spec again with `ultra sessions write`."),
        Code(name="SPEC_VERSION_MISMATCH", severity="warning", means="The spec was made from a plan of an older version.", remedy="Make a new plan and its specs."),
        Code(name="SPEC_VERSION_UNSUPPORTED", severity="error", means="The spec is newer than this bundle.", remedy="Update the plugin, or generate the spec again with this version."),
        Code(name="SPEC_MISSING_SECTION", severity="error", means="A section is missing; for the Session Manifest this is a warning, because the steps have their own manifests.", remedy="Generate the spec again with `ultra sessions write`."),
        Code(name="SPEC_NO_STEP_ZERO", severity="error", means="The steps do not begin with Step 0, the sandbox pre-flight.", remedy="Generate the spec again with `ultra sessions write`."),
        Code(name="SPEC_MANIFEST_MISMATCH", severity="error", means="The session manifest is not the union of the steps' manifests and the scope fence.", remedy="Generate the spec again with `ultra sessions write` after changing the plan."),
        Code(name="SPEC_RECOVERY", severity="error", means="The recovery metadata is missing or invalid.", remedy="Write every recovery field, a depth of 1 or 2, and only missing steps that are in the spec."),
    ),
)
