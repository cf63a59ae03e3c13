"""The words of a review that more than one place uses: severities and verdicts."""

from __future__ import annotations

from ultra_runtime.contract.model import UnknownKindError, load_contract


def _severities() -> tuple[str, ...]:
    """Return the words in the names of the sections that hold findings, the gravest first."""
    try:
        sections = load_contract("review").part("details").under
    except UnknownKindError:
        return ()  # a bundle that has no reviews
    return tuple(name.partition("(")[2].rstrip(")") for name in sections)


SEVERITIES = _severities()
VERDICTS = {"BLOCKER": "BLOCK", "MAJOR": "WARN"}
"""Severities that have to be mended, each with the verdict that it brings."""
CLEAN = "ALLOW"
GOALS = " and ".join(VERDICTS)
EARLIER = "earlier-review"
"""Stands among the reviewers of a finding that the review before this one left."""
NOT_SHOWN, PARTLY_SHOWN = "criterion-not-shown", "criterion-partly-shown"
"""Rules of the findings that are made from the brief, anew in every review."""
