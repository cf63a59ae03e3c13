"""The words of a review that more than one place uses: severities, verdicts, and who looks."""

from __future__ import annotations

SEVERITIES = ("BLOCKER", "MAJOR", "MINOR", "SUGGESTION")
VERDICTS = {"BLOCKER": "BLOCK", "MAJOR": "WARN"}
"""Severities that have to be mended, each with the verdict that it brings."""
CLEAN = "ALLOW"
GOALS = " and ".join(VERDICTS)
CONFORMANCE = "conformance-reviewer"
REVIEWERS = (
    "correctness-reviewer",
    CONFORMANCE,
    "security-reviewer",
    "test-reviewer",
    "maintainability-reviewer",
)
COORDINATOR = "review-coordinator"
EARLIER = "earlier-review"
"""Stands among the reviewers of a finding that the review before this one left."""
NOT_SHOWN, PARTLY_SHOWN = "criterion-not-shown", "criterion-partly-shown"
"""Rules of the findings that are made from the brief, anew in every review."""
