"""The findings of a review: read from the reviewers' answers and checked against the files.

Those of the previous review are kept while their evidence is in the files, so that none gets lost.
"""

from __future__ import annotations

import os

from ultra_runtime.contract.stages import file_of
from ultra_runtime.errors import UltraError
from ultra_runtime.files.atomic import write_file
from ultra_runtime.files.json_file import read_json
from ultra_runtime.files.project import Project
from ultra_runtime.files.regular_file import read_if_any, read_text
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.files.secret_scan import find_secrets
from ultra_runtime.review.finding import FindingError, finding_id
from ultra_runtime.review.scope import DIFF_FILE, FINDINGS_FILE
from ultra_runtime.review.severities import EARLIER, NOT_SHOWN, PARTLY_SHOWN, SECTIONS, SEVERITIES
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import review_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.text.jsontext import write
from ultra_runtime.text.markdown import Document, TextSection, parse
from ultra_runtime.typed import Any, Mapping, Sequence
from ultra_runtime.words import one_line

TEXTS = ("path", "rule", "message", "evidence", "fix")
LONGEST = 2000
QUOTED = "it quotes what looks like"
FOUND_BY = " (found by "

FIELDS = {
    "rule": review_fields.DETAILS_RULE,
    "location": review_fields.DETAILS_LOCATION,
    "message": review_fields.DETAILS_MESSAGE,
    "evidence": review_fields.DETAILS_EVIDENCE,
    "fix": review_fields.DETAILS_FIX,
}
"""Key of a finding -> its field in the review."""


class AnswerError(UltraError):
    """An answer that does not have the form its agent was asked for."""


class Kept(Struct):
    """What the reviewers have reported so far."""

    reviewers: list[str]
    findings: list[dict[str, Any]]
    criteria: list[dict[str, Any]]


def read_kept(project: Project) -> Kept:
    """Return what is stored; empty lists when there is nothing yet."""
    values = read_json(project.path(LOGS, FINDINGS_FILE))
    return Kept(values.get("reviewers", []), values.get("findings", []), values.get("criteria", []))


def keep(project: Project, kept: Kept) -> None:
    """Write what the reviewers reported, one finding per line, for the coordinator."""
    parts = [
        f'"reviewers":{write(kept.reviewers)}',
        '"criteria":[' + ",".join("\n" + write(one) for one in kept.criteria) + "]",
        '"findings":[' + ",".join("\n" + write(one) for one in kept.findings) + "]",
    ]
    write_file(project.path(LOGS, FINDINGS_FILE), ("{" + ",\n".join(parts) + "}\n").encode())


def check_findings(
    project: Project, items: Sequence[Mapping[str, Any]], reviewer: str
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Return the proved findings, each with its id, and the others, each with the reason."""
    held, dropped = [], []
    diff = read_text(project.path(LOGS, DIFF_FILE))
    for finding in items:
        why = _secret(finding) or unproved(project.root, finding, diff)
        if not why:
            try:
                held.append(
                    {"id": finding_id(finding), **_finding(project.root, finding), "reviewers": [reviewer]}
                )
                continue
            except FindingError as problem:
                why = str(problem)
        told = finding["rule"] if why.startswith(QUOTED) else one_line(finding["message"])
        dropped.append({"finding": told, "why": why})
    return held, dropped


def _secret(finding: Mapping[str, Any]) -> str:
    """Return what to quote instead of a secret; empty when no secret is quoted."""
    found = find_secrets("\n".join(str(finding[name]) for name in TEXTS))
    if not found:
        return ""
    return f"{QUOTED} {found[0][1]}: quote the part of the line before it, and name its variable"


def unproved(root: str, finding: Mapping[str, Any], diff: str) -> str:
    """Return why the evidence proves nothing; empty when it is in the file or the diff."""
    path = os.path.normpath(finding["path"].strip())
    if os.path.isabs(path) or path.startswith(".."):
        return "path is outside the repository"
    evidence = _squeezed(finding["evidence"])
    text = read_text(os.path.join(root, path))
    if evidence in _squeezed(text):
        return ""
    bare = "\n".join(line[1:] for line in diff.split("\n"))
    if not text and not os.path.lexists(os.path.join(root, path)) and f" a/{path}\n" in diff:
        return "" if evidence in _squeezed(bare) else "the evidence is not in the deleted file"
    return "there is no such file" if not text else "the evidence is not in the file"


def _finding(root: str, finding: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored fields, with the line on which the evidence really begins."""
    kept = {name: finding[name].strip()[:LONGEST] for name in TEXTS}
    kept["path"] = os.path.normpath(finding["path"].strip())
    line = _line_of(read_text(os.path.join(root, kept["path"])), finding["evidence"], finding["line"])
    return {**kept, "line": line, "severity": finding["severity"]}


def _line_of(text: str, evidence: str, said: int) -> int:
    """Return the line on which the evidence begins, the nearest one to the reported line."""
    first = next((_squeezed(line) for line in evidence.strip().split("\n") if line.strip()), "")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if first and first in _squeezed(line)]
    return min(lines, key=lambda number: abs(number - said)) if lines else said


def _squeezed(text: str) -> str:
    return "".join(text.split())


def carried_on(project: Project, diff: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the earlier findings whose evidence still exists, with its line of today, and the ids of the others."""
    held, gone = [], []
    for one in _earlier(project):
        if unproved(project.root, one, diff):
            gone.append(str(one["id"]))
        else:
            text = read_text(os.path.join(project.root, os.path.normpath(one["path"])))
            held.append({**one, "line": _line_of(text, one["evidence"], one["line"])})
    return held, gone


def _earlier(project: Project) -> list[dict[str, Any]]:
    """Return the findings of the review, without those made from the brief: each review makes them again."""
    data = frontmatter.parse(read_if_any(project.path(file_of(review_fields.KIND))))
    document = parse(data.body, data.body_line)
    found = []
    for severity in SEVERITIES:
        section = document.section(SECTIONS[severity])
        for heading in document.below(section) if section else ():
            one = _earlier_finding(document, heading, severity)
            if one and one["rule"] not in (NOT_SHOWN, PARTLY_SHOWN):
                found.append(one)
    return found


def _earlier_finding(document: Document, heading: TextSection, severity: str) -> dict[str, Any] | None:
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
    said = texts["message"]
    texts["message"] = said.rpartition(FOUND_BY)[0] or said  # a message may have these words, too
    own = {"id": heading.title.strip(), **texts, "path": path, "line": int(line)}
    return {**own, "severity": severity, "reviewers": [EARLIER]}
