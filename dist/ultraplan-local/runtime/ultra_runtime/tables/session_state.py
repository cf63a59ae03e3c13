"""Rendered from contracts/session-state.yaml: edit that file, not this one."""

from ultra_runtime.contract.model import Code, Contract, Field, Modes, Version

CONTRACT = Contract(
    artifact="session-state",
    title="Session state",
    prefix="STATE",
    format="json",
    version=Version(field="schema_version", current=1, accepts=()),
    modes=Modes(write="runtime", read="resume"),
    places=("{project_dir}/.session-state.local.json", "{plan_dir}/.session-state.local.json",),
    fields=(
        Field(name="schema_version", type="integer", required=True, means="Version of this contract."),
        Field(name="project", type="text", required=True, means="The project directory, relative to the root of the repository."),
        Field(name="next_session_brief_path", type="text", required=True, means="What the next session reads first, relative to the root of the repository."),
        Field(name="next_session_label", type="text", required=True, means="The next session's title; Continue when the same session continues, Complete after the last one."),
        Field(name="status", type="text", required=True, means="How the run ended.", values={"completed": "Every step and the audit passed.", "failed": "A step failed three times and its changes were undone.", "stopped": "The run was ended before its last step, by an escalation, an entry condition or an abort.", "partial": "The steps are done, but the audit or an exit condition is not satisfied.", "blocked": "The sandbox refused what the first step needs, so nothing was done.", "in_progress": "The run has not ended; it was interrupted."}),
        Field(name="updated_at", type="timestamp", required=True, means="When this was written, ISO 8601."),
    ),
    rules=("next_brief_exists",),
    codes=(
        Code(name="STATE_NOT_FOUND", severity="error", means="There is no file at this path.", remedy="Name the project directory of a run, or start one."),
        Code(name="STATE_READ_ERROR", severity="error", means="The file cannot be read.", remedy="Make it a regular file that you can read."),
        Code(name="STATE_PARSE_ERROR", severity="error", means="The file is not one JSON object.", remedy="Remove the file; the next run writes it again."),
        Code(name="STATE_SCHEMA_MISMATCH", severity="error", means="This runtime cannot read this version of the contract.", remedy="Use the plugin version that wrote it, or remove the file and resume the run."),
        Code(name="STATE_VERSION_MISMATCH", severity="warning", means="The file has an older version that can still be read.", remedy="Nothing; the next run writes the current version."),
        Code(name="STATE_MISSING_FIELD", severity="error", means="A required field is missing.", remedy="Remove the file and resume the run, which writes it again."),
        Code(name="STATE_BAD_TYPE", severity="error", means="A field has the wrong type.", remedy="Remove the file and resume the run, which writes it again."),
        Code(name="STATE_BAD_VALUE", severity="error", means="A field has a value outside its set or form.", remedy="Remove the file and resume the run, which writes it again."),
        Code(name="STATE_BRIEF_MISSING", severity="warning", means="The brief of the next session does not exist.", remedy="Restore the file, or name the brief yourself when you continue."),
    ),
)
