"""The statuses of a run and of its steps, as the contract of the progress file names them."""

from __future__ import annotations

from ultra_runtime.tables.fields import progress_fields as fields

PENDING: str = fields.STATUS_PENDING
IN_PROGRESS: str = fields.STATUS_IN_PROGRESS
COMPLETED: str = fields.STATUS_COMPLETED
PARTIAL: str = fields.STATUS_PARTIAL
FAILED: str = fields.STATUS_FAILED
STOPPED: str = fields.STATUS_STOPPED
BLOCKED: str = fields.STATUS_BLOCKED
SKIPPED: str = fields.STEPS_STATUS_SKIPPED
DEFERRED: str = fields.STEPS_STATUS_DEFERRED
"""Of a step that belongs to another session."""
OVER = (COMPLETED, SKIPPED)
"""Of a step that needs no more work."""
ENDED = (FAILED, STOPPED, BLOCKED)
"""Of a run that a step has ended: only its finish is left."""
SENTENCES = {
    COMPLETED: "is completed",
    IN_PROGRESS: "was interrupted",
    PARTIAL: "is partial",
    FAILED: "failed",
    STOPPED: "was stopped",
    BLOCKED: "was blocked",
}
"""What is said about a run with a status."""


def sentence(status: str, at: str = "") -> str:
    """Return the sentence for a run that can be resumed, with what to do first; `at` says where it ended."""
    first = ": first do what its report says" if status == PARTIAL else ""
    return f"the run {SENTENCES.get(status, 'is unreadable')}{at}{first}"


FAILED_BEFORE = "failed after"
"""Begins the finding about a step whose attempts a resume has reset."""
