"""Findings of the previous review: kept while their evidence is in the files, so that none gets lost."""

from __future__ import annotations

from ultra_runtime.contract.stages import file_of
from ultra_runtime.files.project import Project
from ultra_runtime.files.regular_file import read_if_any
from ultra_runtime.review.findings import unproved
from ultra_runtime.review.severities import EARLIER, NOT_SHOWN, PARTLY_SHOWN, SECTIONS, SEVERITIES
from ultra_runtime.tables.fields import review_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.text.markdown import Document, TextSection, parse
from ultra_runtime.typed import Any

FOUND_BY = " (found by "

FIELDS = {
    "rule": review_fields.DETAILS_RULE,
    "location": review_fields.DETAILS_LOCATION,
    "message": review_fields.DETAILS_MESSAGE,
    "evidence": review_fields.DETAILS_EVIDENCE,
    "fix": review_fields.DETAILS_FIX,
}
"""Key of a finding -> its field in the review."""


def carried_on(project: Project, diff: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the earlier findings whose evidence still exists, and the ids of the others."""
    held, gone = [], []
    for one in _findings(project):
        if unproved(project.root, one, diff):
            gone.append(str(one["id"]))
        else:
            held.append(one)
    return held, gone


def _findings(project: Project) -> list[dict[str, Any]]:
    """Return the findings of the review, without those made from the brief: each review makes them again."""
    data = frontmatter.parse(read_if_any(project.path(file_of(review_fields.KIND))))
    document = parse(data.body, data.body_line)
    found = []
    for severity in SEVERITIES:
        section = document.section(SECTIONS[severity])
        for heading in document.below(section) if section else ():
            one = _finding(document, heading, severity)
            if one and one["rule"] not in (NOT_SHOWN, PARTLY_SHOWN):
                found.append(one)
    return found


def _finding(document: Document, heading: TextSection, severity: str) -> dict[str, Any] | None:
    fields = {key: heading.field(name) for key, name in FIELDS.items()}
    texts = {key: item.value if item else "" for key, item in fields.items()}
    evidence = fields["evidence"]
    if evidence and not evidence.value and evidence.blocks:
        texts["evidence"] = evidence.blocks[0].text
    else:
        texts["evidence"] = texts["evidence"].strip("`")
    path, _, line = texts.pop("location").rpartition(":")
    if not path or not line.isdigit() or not all(texts.values()):
        return None
    texts["message"] = texts["message"].partition(FOUND_BY)[0]
    own = {"id": heading.title.strip(), **texts, "path": path, "line": int(line)}
    return {**own, "severity": severity, "reviewers": [EARLIER]}
