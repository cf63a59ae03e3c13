"""Severities and verdicts of a review."""

from __future__ import annotations

from ultra_runtime.contract.model import UnknownKindError, load_contract
from ultra_runtime.tables.fields import review_fields


def _sections() -> dict[str, str]:
    """Return severity -> the section of its findings, most severe first; the section's name contains it."""
    try:
        sections = load_contract(review_fields.KIND).part(review_fields.PART_DETAILS).under
    except UnknownKindError:
        return {}  # a bundle without reviews
    return {name.partition("(")[2].rstrip(")"): name for name in sections}


SECTIONS = _sections()
SEVERITIES = tuple(SECTIONS)
VERDICTS: dict[str, str] = dict(zip(SEVERITIES, (review_fields.VERDICT_BLOCK, review_fields.VERDICT_WARN)))
"""The two highest severities, which must be fixed, each with its verdict."""
CLEAN: str = review_fields.VERDICT_ALLOW
GOALS = " and ".join(VERDICTS)
EARLIER = "earlier-review"
"""Listed as a reviewer of a finding that comes from the previous review."""
NOT_SHOWN, PARTLY_SHOWN = "criterion-not-shown", "criterion-partly-shown"
"""Rules of the findings that every review makes from the brief."""
