"""The findings of a review: read from the reviewers' answers, held against the files, and told once each."""

from __future__ import annotations

import os

from ultra_runtime.answer import RefusedError
from ultra_runtime.atomic import write_file
from ultra_runtime.brief_review import split_answer
from ultra_runtime.errors import UltraError
from ultra_runtime.finding import FindingError, finding_id
from ultra_runtime.jsontext import JsonError, read_object, write
from ultra_runtime.regular_file import UnreadableError, read_regular
from ultra_runtime.review_scope import DIFF_FILE, FINDINGS_FILE, LOGS
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ultra_runtime.project import Project

SEVERITIES = ("BLOCKER", "MAJOR", "MINOR", "SUGGESTION")
VERDICTS = {"BLOCKER": "BLOCK", "MAJOR": "WARN"}
CLEAN = "ALLOW"
TEXTS = ("path", "rule", "message", "evidence", "fix")
CONFORMANCE = "conformance-reviewer"
REVIEWERS = (
    "correctness-reviewer",
    CONFORMANCE,
    "security-reviewer",
    "test-reviewer",
    "maintainability-reviewer",
)
STATES = ("shown", "partly shown", "not shown")
LONGEST = 2000


class AnswerError(UltraError):
    """An answer that is not in the form its agent was asked for."""


class Kept:
    """What the reviewers have said so far."""

    def __init__(
        self, reviewers: list[str], findings: list[dict[str, Any]], criteria: list[dict[str, Any]]
    ) -> None:
        self.reviewers = reviewers
        self.findings = findings
        self.criteria = criteria


def answer_block(text: str, hint: str) -> dict[str, Any]:
    """Return the json block that an answer ends in; the block alone will do."""
    block = split_answer(text)[0]
    try:
        return read_object((block if block is not None else text).encode("utf-8", "replace")).values
    except JsonError as problem:
        raise RefusedError(f"the answer has no json block that can be read: {problem}", hint) from None


def read_kept(project: Project) -> Kept:
    """Return what is kept; nothing yet is an empty list."""
    try:
        values = read_object(read_regular(project.path(LOGS, FINDINGS_FILE))).values
    except (UnreadableError, JsonError):
        return Kept([], [], [])
    return Kept(values.get("reviewers", []), values.get("findings", []), values.get("criteria", []))


def keep(project: Project, kept: Kept) -> None:
    """Write what the reviewers said, one finding a line, for the coordinator to read."""
    parts = [
        f'"reviewers":{write(kept.reviewers)}',
        '"criteria":[' + ",".join("\n" + write(one) for one in kept.criteria) + "]",
        '"findings":[' + ",".join("\n" + write(one) for one in kept.findings) + "]",
    ]
    write_file(project.path(LOGS, FINDINGS_FILE), ("{" + ",\n".join(parts) + "}\n").encode())


def check_findings(
    project: Project, items: Sequence[object], reviewer: str
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Return the findings that hold, each with its id, and those that do not, each with the reason."""
    held, dropped = [], []
    diff = _text(project.path(LOGS, DIFF_FILE))
    for item in items:
        finding = item if isinstance(item, dict) else {}
        why = _fault(finding) or _unproved(project.root, finding, diff)
        told = one_line(str(finding.get("message") or finding.get("rule") or item), 100)
        if not why:
            try:
                held.append(
                    {"id": finding_id(finding), **_finding(project.root, finding), "reviewers": [reviewer]}
                )
                continue
            except FindingError as problem:
                why = str(problem)
        dropped.append({"finding": told, "why": why})
    return held, dropped


def _fault(finding: Mapping[str, Any]) -> str:
    for name in TEXTS:
        if not isinstance(finding.get(name), str) or not finding[name].strip():
            return f"{name} is missing"
    if finding.get("severity") not in SEVERITIES:
        return f"severity is none of {', '.join(SEVERITIES)}"
    if type(finding.get("line")) is not int or finding["line"] < 1:
        return "line is no number from 1 on"
    return ""


def _unproved(root: str, finding: Mapping[str, Any], diff: str) -> str:
    """Return why the evidence proves nothing; nothing when its words are in the file or the differences."""
    path = os.path.normpath(finding["path"])
    if os.path.isabs(path) or path.startswith(".."):
        return "path leads out of the repository"
    evidence = _squeezed(finding["evidence"])
    text = _text(os.path.join(root, path))
    if evidence in _squeezed(text):
        return ""
    bare = "\n".join(line[1:] for line in diff.split("\n"))
    if not text and not os.path.lexists(os.path.join(root, path)) and f" a/{path}\n" in diff:
        return "" if evidence in _squeezed(bare) else "the evidence stands nowhere in the deleted file"
    return "there is no such file" if not text else "the evidence does not stand in the file"


def _finding(root: str, finding: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields we keep, with the line on which the evidence really begins."""
    kept = {name: finding[name].strip()[:LONGEST] for name in TEXTS}
    kept["path"] = os.path.normpath(finding["path"].strip())
    line = _line_of(_text(os.path.join(root, kept["path"])), finding["evidence"], finding["line"])
    return {**kept, "line": line, "severity": finding["severity"]}


def _line_of(text: str, evidence: str, said: int) -> int:
    """Return the line nearest to the one that was said on which the evidence begins."""
    first = next((_squeezed(line) for line in evidence.strip().split("\n") if line.strip()), "")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if first and first in _squeezed(line)]
    return min(lines, key=lambda number: abs(number - said)) if lines else said


def merge(findings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Tell each id once, under its gravest severity, with everybody who found it; the gravest first."""
    found: dict[str, dict[str, Any]] = {}
    for one in findings:
        old = found.get(one["id"])
        if old is None:
            found[one["id"]] = dict(one)
            continue
        old["severity"] = min(old["severity"], one["severity"], key=SEVERITIES.index)
        old["reviewers"] = [*dict.fromkeys([*old["reviewers"], *one["reviewers"]])]
    return sorted(
        found.values(), key=lambda one: (SEVERITIES.index(one["severity"]), one["path"], one["line"])
    )


def without(findings: Sequence[Mapping[str, Any]], reviewer: str) -> list[dict[str, Any]]:
    """Return what is left when a reviewer takes back what he said."""
    others = [{**one, "reviewers": [who for who in one["reviewers"] if who != reviewer]} for one in findings]
    return [one for one in others if one["reviewers"]]


def coordinate(findings: list[dict[str, Any]], answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Do what the coordinator decided: findings of one cause become one, severities are set right."""
    by_id = {one["id"]: one for one in findings}
    for group in _objects(answer, "merge"):
        keeps, drops = group.get("keep"), group.get("drop")
        if not isinstance(drops, list):
            raise AnswerError("merge: drop is no list of ids")
        for name in [keeps, *drops]:
            if name not in by_id:
                raise AnswerError(
                    f"merge: there is no finding {one_line(str(name))}, or it was merged before"
                )
        for name in drops:
            if name != keeps:
                gone = by_id.pop(name)
                kept = by_id[keeps]
                kept["severity"] = min(kept["severity"], gone["severity"], key=SEVERITIES.index)
                kept["reviewers"] = [*dict.fromkeys([*kept["reviewers"], *gone["reviewers"]])]
    for change in _objects(answer, "severity"):
        name, severity = change.get("id"), change.get("to")
        if name not in by_id or severity not in SEVERITIES or not change.get("why"):
            raise AnswerError("severity: each change has an id that is there, one of the severities, and why")
        by_id[name]["severity"] = severity
    return merge(list(by_id.values()))


def _objects(answer: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    items = answer.get(name, [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise AnswerError(f"{name} is no list of objects")
    return items


def count(findings: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many findings each severity has."""
    return {severity: sum(one["severity"] == severity for one in findings) for severity in SEVERITIES}


def verdict(findings: Sequence[Mapping[str, Any]]) -> str:
    """Return what follows: the gravest finding decides."""
    present = {one["severity"] for one in findings}
    return next((word for severity, word in VERDICTS.items() if severity in present), CLEAN)


def read_criteria(answer: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return each success criterion with whether the work shows it."""
    criteria = []
    for item in _objects(answer, "criteria"):
        name, state, where = item.get("criterion"), item.get("state"), item.get("where", "")
        if not isinstance(name, str) or not name.strip() or state not in STATES:
            raise AnswerError(f"criteria: each has a criterion and a state, one of {', '.join(STATES)}")
        criteria.append(
            {"criterion": name.strip()[:LONGEST], "state": state, "where": str(where or "")[:LONGEST]}
        )
    return criteria


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _text(path: str) -> str:
    try:
        return read_regular(path).decode("utf-8", "replace")
    except UnreadableError:
        return ""
