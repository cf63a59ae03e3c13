"""What the generator adds to the runtime, written by hand until dist/ has a rendered bundle."""

from __future__ import annotations

MEANINGS = {
    "completed": "Every step and the audit passed.",
    "failed": "A step failed three times and its changes were undone.",
    "stopped": "The run was ended before its last step.",
    "partial": "The steps are done, but the audit is not satisfied.",
    "blocked": "The sandbox refused what the first step needs.",
    "in_progress": "The run has not ended; it was interrupted.",
}
CODES = (
    "NOT_FOUND",
    "READ_ERROR",
    "PARSE_ERROR",
    "SCHEMA_MISMATCH",
    "MISSING_FIELD",
    "BAD_TYPE",
    "BAD_VALUE",
)
TEXTS = ("project", "next_session_brief_path", "next_session_label")
SESSION_STATE = f'''"""Stands in for the rendered table."""

from ultra_runtime.contract import Code, Contract, Field, Version

CONTRACT = Contract(
    artifact="session-state", title="Session state", prefix="STATE", format="json",
    version=Version(field="schema_version", current=1, accepts=()),
    fields=(
        Field(name="schema_version", type="integer", required=True, means="Version.", values=None),
        *[Field(name=name, type="text", required=True, means="Text.", values=None) for name in {TEXTS!r}],
        Field(name="status", type="text", required=True, means="How it ended.", values={MEANINGS!r}),
        Field(name="updated_at", type="timestamp", required=True, means="When.", values=None),
    ),
    rules=("next_brief_exists",),
    codes=(
        *[Code(name="STATE_" + name, severity="error", means="m", remedy="Remove it.") for name in {CODES!r}],
        Code(name="STATE_BRIEF_MISSING", severity="warning", means="No brief.", remedy="Restore it."),
    ),
)
'''
NAMES = '''"""Stands in for the rendered table."""

PLUGIN = "ultraplan-local"
VERSION = "0.1.0"
OLDEST_CLIENT = "2.1.197"
COMMANDS = {
    "brief": "/ultraplan-local:ultrabrief-local",
    "research": "/ultraplan-local:ultraresearch-local",
    "plan": "/ultraplan-local:ultraplan-local",
    "execute": "/ultraplan-local:ultraexecute-local",
    "review": "/ultraplan-local:ultrareview-local",
    "continue": "/ultraplan-local:ultracontinue",
}
CARRIED = ("continue",)
'''
TABLES = {
    "runtime/ultra_runtime/tables/__init__.py": '"""Stands in for the rendered tables."""\n',
    "runtime/ultra_runtime/tables/session_state.py": SESSION_STATE,
    "runtime/ultra_runtime/tables/names.py": NAMES,
}
GUIDES = {
    "guides/continue/none.md": "# Nothing to continue\n",
    "guides/continue/broken.md": "# The session state cannot be read\n",
    "guides/continue/ambiguous.md": "# Two runs are equally new\n",
}
