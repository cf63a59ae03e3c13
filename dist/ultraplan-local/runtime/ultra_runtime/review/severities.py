"""The words of a review that more than one place uses: severities and verdicts."""

from __future__ import annotations

from ultra_runtime.contract.model import UnknownKindError, load_contract
from ultra_runtime.tables.fields import review_fields


def _sections() -> dict[str, str]:
    """Return severity -> the section that holds its findings, the gravest first; the section's name says it."""
    try:
        sections = load_contract(review_fields.KIND).part(review_fields.PART_DETAILS).under
    except UnknownKindError:
        return {}  # a bundle that has no reviews
    return {name.partition("(")[2].rstrip(")"): name for name in sections}


SECTIONS = _sections()
SEVERITIES = tuple(SECTIONS)
VERDICTS: dict[str, str] = dict(zip(SEVERITIES, (review_fields.VERDICT_BLOCK, review_fields.VERDICT_WARN)))
"""Severities that have to be fixed, the two gravest, each with the verdict that it brings."""
CLEAN: str = review_fields.VERDICT_ALLOW
GOALS = " and ".join(VERDICTS)
EARLIER = "earlier-review"
"""Stands among the reviewers of a finding that the review before this one left."""
NOT_SHOWN, PARTLY_SHOWN = "criterion-not-shown", "criterion-partly-shown"
"""Rules of the findings that are made from the brief, anew in every review."""
