"""Rendered from contracts/session-state.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Version
from ultra_runtime.contract.rules import next_brief_exists

CONTRACT = Contract(
    artifact="session-state",
    title="Session state",
    prefix="STATE",
    format="json",
    version=Version(field="schema_version", current=1, accepts=()),
    modes=Modes(write="runtime"),
    places=("{project_dir}/.session-state.local.json", "{plan_dir}/.session-state.local.json",),
    fields=(
        Field(name="schema_version", type="integer", required=True),
        Field(name="project", type="text", required=True),
        Field(name="next_session_brief_path", type="text", required=True),
        Field(name="next_session_label", type="text", required=True),
        Field(name="status", type="text", required=True, values={"completed": "Every step is over, and the proof of the run holds.", "failed": "The run failed; what a failed step had changed was undone.", "stopped": "The run was ended before its last step, by an escalation, an entry condition or an abort.", "partial": "The steps are done, but the audit or an exit condition is not satisfied.", "blocked": "The sandbox refused what the first step needs, so nothing was done.", "in_progress": "The run has not ended."}),
        Field(name="updated_at", type="timestamp", required=True),
    ),
    rules=(next_brief_exists,),
    codes={
        "STATE_NOT_FOUND": Code(name="STATE_NOT_FOUND", severity="error", remedy="Name the project directory of a run, or start one."),
        "STATE_READ_ERROR": Code(name="STATE_READ_ERROR", severity="error", remedy="Make it a regular file that you can read."),
        "STATE_PARSE_ERROR": Code(name="STATE_PARSE_ERROR", severity="error", remedy="Remove the file; the next run writes it again."),
        "STATE_SCHEMA_MISMATCH": Code(name="STATE_SCHEMA_MISMATCH", severity="error", remedy="Use the plugin version that wrote it, or remove the file and resume the run."),
        "STATE_VERSION_MISMATCH": Code(name="STATE_VERSION_MISMATCH", severity="warning", remedy="Nothing; the next run writes the current version."),
        "STATE_MISSING_FIELD": Code(name="STATE_MISSING_FIELD", severity="error", remedy="Remove the file and resume the run, which writes it again."),
        "STATE_BAD_TYPE": Code(name="STATE_BAD_TYPE", severity="error", remedy="Remove the file and resume the run, which writes it again."),
        "STATE_BAD_VALUE": Code(name="STATE_BAD_VALUE", severity="error", remedy="Remove the file and resume the run, which writes it again."),
        "STATE_BRIEF_MISSING": Code(name="STATE_BRIEF_MISSING", severity="warning", remedy="Restore the file, or name the brief yourself when you continue."),
    },
)
