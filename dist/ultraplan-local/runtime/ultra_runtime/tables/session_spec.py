"""Rendered from contracts/session-spec.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Block, Code, Contract, Field, Modes, Section, Version

CONTRACT = Contract(
    artifact="session-spec",
    title="Session spec",
    prefix="SPEC",
    format="markdown",
    reader="plan.check",
    version=Version(field="plan_version", current="1.7", accepts=()),
    modes=Modes(write="runtime"),
    places=("{project_dir}/sessions/session-{N}.md", "{project_dir}/sessions/session-{N}-recovery-{depth}.md",),
    sections=(
        Section(name="Context", required=True),
        Section(name="Dependencies", required=True, fields=(Field(name="Depends on", type="text", required=False), Field(name="Blocks", type="text", required=False), Field(name="Entry condition", type="text", required=True),)),
        Section(name="Scope Fence", required=True, fields=(Field(name="Touch", type="list", required=False), Field(name="Never touch", type="list", required=False),)),
        Section(name="Session Manifest", required=True, mild=True),
        Section(name="Steps", required=True),
        Section(name="Exit Condition", required=True),
        Section(name="Failure Handling", required=True),
        Section(name="Security Constraints", required=True),
        Section(name="Handoff State", required=True),
        Section(name="Metadata", required=True, fields=(Field(name="Master plan", type="text", required=False), Field(name="Plan digest", type="text", required=False), Field(name="Steps", type="text", required=False), Field(name="Complexity", type="text", required=False), Field(name="Model", type="text", required=False),)),
        Section(name="Recovery Metadata", required=False, fields=(Field(name="recovery_of", type="text", required=True, missing="SPEC_RECOVERY"), Field(name="recovery_depth", type="integer", required=True, minimum=1, maximum=2, code="SPEC_RECOVERY", missing="SPEC_RECOVERY"), Field(name="missing_steps", type="text", required=True, missing="SPEC_RECOVERY"), Field(name="entry_condition_override", type="text", required=True, missing="SPEC_RECOVERY"), Field(name="parent_progress_file", type="text", required=True, missing="SPEC_RECOVERY"),)),
    ),
    blocks=(
        Block(name="session_manifest", fields=(Field(name="plan_version", type="text", required=True, type_code="SPEC_BAD_TYPE"), Field(name="legacy_synthesis", type="boolean", required=True, type_code="SPEC_BAD_TYPE"), Field(name="expected_paths", type="list", required=True, items="text", type_code="SPEC_BAD_TYPE"), Field(name="commit_count", type="integer", required=True, minimum=0, type_code="SPEC_BAD_TYPE"), Field(name="commit_message_patterns", type="list", required=True, items="text", type_code="SPEC_BAD_TYPE"), Field(name="bash_syntax_check", type="list", required=True, items="text", type_code="SPEC_BAD_TYPE"), Field(name="scope_touch", type="list", required=True, items="text", type_code="SPEC_BAD_TYPE"), Field(name="scope_forbidden", type="list", required=True, items="text", type_code="SPEC_BAD_TYPE"),)),
    ),
    codes={
        "SPEC_NOT_FOUND": Code(name="SPEC_NOT_FOUND", severity="error", remedy="Generate the specs with `ultra sessions write`, or name an existing one."),
        "SPEC_READ_ERROR": Code(name="SPEC_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "SPEC_BAD_TYPE": Code(name="SPEC_BAD_TYPE", severity="error", remedy="Generate the spec again with `ultra sessions write`."),
        "SPEC_BAD_VALUE": Code(name="SPEC_BAD_VALUE", severity="error", remedy="Write it as the contract says, or generate the spec again with `ultra sessions write`."),
        "SPEC_VERSION_MISMATCH": Code(name="SPEC_VERSION_MISMATCH", severity="warning", remedy="Make a new plan and its specs."),
        "SPEC_VERSION_UNSUPPORTED": Code(name="SPEC_VERSION_UNSUPPORTED", severity="error", remedy="Update the plugin, or generate the spec again with this version."),
        "SPEC_MISSING_SECTION": Code(name="SPEC_MISSING_SECTION", severity="error", remedy="Generate the spec again with `ultra sessions write`."),
        "SPEC_NO_STEP_ZERO": Code(name="SPEC_NO_STEP_ZERO", severity="error", remedy="Generate the spec again with `ultra sessions write`."),
        "SPEC_MANIFEST_MISMATCH": Code(name="SPEC_MANIFEST_MISMATCH", severity="error", remedy="Generate the spec again with `ultra sessions write` after changing the plan."),
        "SPEC_RECOVERY": Code(name="SPEC_RECOVERY", severity="error", remedy="Write every recovery field, a depth from 1 to 2, and only missing steps that are in the spec."),
    },
)
