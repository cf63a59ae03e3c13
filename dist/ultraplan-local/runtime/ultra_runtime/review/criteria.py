"""The success criteria of a brief: a reviewer judges each, and one that is not shown becomes a finding."""

from __future__ import annotations

import os

from ultra_runtime.contract.stages import file_if_any
from ultra_runtime.files.project import Project
from ultra_runtime.files.regular_file import read_if_any
from ultra_runtime.files.secret_scan import find_secrets
from ultra_runtime.review.finding import finding_id
from ultra_runtime.review.findings import LONGEST, QUOTED, AnswerError
from ultra_runtime.review.merge import LEAST
from ultra_runtime.review.severities import NOT_SHOWN, PARTLY_SHOWN, SEVERITIES
from ultra_runtime.tables.agents import CONFORMANCE
from ultra_runtime.tables.fields import brief_fields, plan_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.text.markdown import Document, parse, split_marker
from ultra_runtime.typed import Any, Mapping, Sequence
from ultra_runtime.words import listed, one_line

SECTION = brief_fields.SECTION_SUCCESS_CRITERIA
SHOWN = "shown"
RULES = {"not shown": NOT_SHOWN, "partly shown": PARTLY_SHOWN}
WEIGHT = dict(zip(RULES, SEVERITIES))


class Criterion:
    """One list item of the section: its line number, its first line, and its whole text."""

    __slots__ = ("first", "line", "text")

    def __init__(self, line: int, rows: list[str]) -> None:
        self.line = line
        self.first = split_marker(rows[0]) or rows[0]
        self.text = " ".join([self.first, *rows[1:]])


def basis_of(project: Project) -> str:
    """Return the file that says what was wanted: the brief, or without one the plan of a small task."""
    brief, plan = (file_if_any(kind) for kind in (brief_fields.KIND, plan_fields.KIND))
    there = [name for name in (brief, plan) if name and os.path.lexists(project.path(name))]
    return there[0] if there else brief


def criteria_of(project: Project) -> list[Criterion]:
    """Return the success criteria of the project's brief in order; none when it cannot be read."""
    data = frontmatter.parse(read_if_any(project.path(basis_of(project))))
    document = parse(data.body, data.body_line)
    section = document.section(SECTION)
    if section is None:
        return []
    items = [item for part in (section, *document.below(section)) for item in part.items]
    return [
        Criterion(line, _rows(document, line, section.end))
        for line in dict.fromkeys(one.line for one in items)
    ]


def _rows(document: Document, line: int, end: int) -> list[str]:
    """Return the lines of a list item, up to a blank line, a heading or the next item."""
    first, *rest = (row.strip() for row in document.slice(line, end))
    rows = [first]
    for row in rest:
        if not row or row.startswith("#") or split_marker(row) is not None:
            break
        rows.append(row)
    return rows


def read_criteria(project: Project, answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return each success criterion of the brief with its state."""
    told = [
        {name: str(one[name]).strip()[:LONGEST] for name in ("criterion", "state", "where")}
        for one in answer["criteria"]
    ]
    for one in told:
        found = find_secrets(f"{one['criterion']}\n{one['where']}")
        if found:
            raise AnswerError(f"criteria: {QUOTED} {found[0][1]}")
    wanted = criteria_of(project)
    if not told:
        raise AnswerError("criteria is empty: give the state of every success criterion of the brief")
    if not wanted:
        return [{**one, "first": one["criterion"], "line": 1} for one in told]
    pairs = _pairs(wanted, told)
    if len(told) != len(wanted):
        lost = [one_line(one.text) for one in wanted if one not in pairs]
        names = f"; missing: {listed(lost)}" if lost else ""
        raise AnswerError(
            f"the brief has {len(wanted)} success criteria, but criteria has {len(told)}{names}"
        )
    left = [one for one in told if not any(one is other for other in pairs.values())]
    pairs.update(zip([one for one in wanted if one not in pairs], left))
    return [{**pairs[one], "criterion": one.text, "first": one.first, "line": one.line} for one in wanted]


def with_criteria(
    project: Project, findings: Sequence[Mapping[str, Any]], criteria: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the reviewer's findings plus one for each criterion that is not shown or only partly shown.

    A finding at the place where the proof is missing, or one that quotes the criterion, already covers it.
    """
    brief = project.show(basis_of(project))
    found = [dict(one) for one in findings]
    for one in criteria:
        if one["state"] == SHOWN:
            continue
        weight = WEIGHT[one["state"]]
        own = next((item for item in found if _covers(item, one, brief)), None)
        if own is None:
            own = _finding(brief, one)
            found.append(own)
        own["severity"] = min(own["severity"], weight, key=SEVERITIES.index)
        own[LEAST] = min(own.get(LEAST, weight), weight, key=SEVERITIES.index)
    return found


def _finding(brief: str, one: Mapping[str, Any]) -> dict[str, Any]:
    where = f" ({one['where']})" if one["where"] else ""
    secret = bool(find_secrets(one["criterion"]))
    words = "" if secret else f": {one['criterion']}"
    finding = {
        "rule": RULES[one["state"]],
        "path": brief,
        "line": one["line"],
        "evidence": SECTION if secret else one["first"],
        "message": f"This success criterion is {one['state']}{where}{words}",
        "fix": "Do what is missing, and prove it with a test or command.",
        "severity": WEIGHT[one["state"]],
        "reviewers": [CONFORMANCE],
    }
    return {"id": finding_id(finding), **finding}


def _covers(finding: Mapping[str, Any], one: Mapping[str, Any], brief: str) -> bool:
    place = str(one["where"]).split(" ", 1)[0].rstrip(",;:")
    if place == f"{finding['path']}:{finding['line']}":
        return True
    return finding["path"] == brief and _alike(finding["evidence"], one["criterion"])


def _pairs(wanted: Sequence[Criterion], told: Sequence[dict[str, Any]]) -> dict[Criterion, dict[str, Any]]:
    """Return the answer for each criterion that can be matched by its words."""
    pairs: dict[Criterion, dict[str, Any]] = {}
    taken: set[int] = set()
    for one in wanted:
        for number, other in enumerate(told):
            if number not in taken and _alike(one.text, other["criterion"]):
                pairs[one] = other
                taken.add(number)
                break
    return pairs


def _alike(one: str, other: str) -> bool:
    """Return whether one text contains the letters and digits of the other."""
    first, second = ("".join(filter(str.isalnum, text.casefold())) for text in (one, other))
    return bool(first and second) and (first in second or second in first)
