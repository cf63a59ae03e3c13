"""Write the review from counts and decisions; only the summaries are a model's words."""

from __future__ import annotations

from ultra_runtime.contract.body import AROUND_A_VALUE
from ultra_runtime.contract.model import load_contract
from ultra_runtime.plan.spec_text import quoted
from ultra_runtime.review.merge import is_goal, other_voices
from ultra_runtime.review.severities import GOALS, SECTIONS, SEVERITIES
from ultra_runtime.review.triage import DEPTHS, SKIPPED
from ultra_runtime.struct import Struct
from ultra_runtime.tables.fields import review_fields as fields
from ultra_runtime.typed import Any, Mapping, Sequence


class Parts(Struct):
    """The contents of a review besides its findings and criteria."""

    head: Mapping[str, Any]
    scope: Mapping[str, Any]
    summary: str
    remedies: Sequence[str]


def review_text(
    parts: Parts, findings: Sequence[Mapping[str, Any]], criteria: Sequence[Mapping[str, str]]
) -> str:
    """Return the whole artifact."""
    lines = ["---", *_front_matter(parts, findings), "---", f"# Review: {parts.head[fields.TASK]}"]
    lines += ["", f"## {fields.SECTION_EXECUTIVE_SUMMARY}", "", parts.summary]
    if criteria:
        lines += ["", "Success criteria:", ""]
        lines += [f"- {one['state']}: {one['criterion']}{_where(one['where'])}" for one in criteria]
    lines += ["", f"## {fields.SECTION_COVERAGE}", "", *_coverage(parts.scope["files"])]
    for severity in SEVERITIES:
        own = [one for one in findings if one["severity"] == severity]
        if own:
            lines += ["", f"## {SECTIONS[severity]}"]
            lines += [line for one in own for line in _finding(one)]
    lines += [
        "",
        f"## {fields.SECTION_REMEDIATION_SUMMARY}",
        "",
        *_remedies(parts.remedies),
        *_goals(findings),
    ]
    return "\n".join(lines) + "\n"


def _front_matter(parts: Parts, findings: Sequence[Mapping[str, Any]]) -> list[str]:
    version = load_contract(fields.KIND).version
    scope, head = parts.scope, parts.head
    looked = sum(one["depth"] != SKIPPED for one in scope["files"])
    lines = [
        f"{fields.TYPE}: {fields.TYPE_ULTRAREVIEW}",
        f'{fields.REVIEW_VERSION}: "{version.current if version else ""}"',
        f"{fields.CREATED}: {head[fields.CREATED]}",
        f"{fields.TASK}: {quoted(head[fields.TASK])}",
        f"{fields.SLUG}: {head[fields.SLUG]}",
        f"{fields.PROJECT_DIR}: {head[fields.PROJECT_DIR]}",
        f"{fields.BRIEF_PATH}: {head[fields.BRIEF_PATH]}",
        f"{fields.SCOPE_SHA_START}: {scope[fields.SCOPE_SHA_START] or 'null'}",
        f"{fields.SCOPE_SHA_END}: {scope[fields.SCOPE_SHA_END]}",
        f"{fields.REVIEWED_FILES_COUNT}: {looked}",
        f"{fields.FINDINGS}:" if findings else f"{fields.FINDINGS}: []",
    ]
    return [*lines, *(f"  - {one['id']}" for one in findings), f"{fields.VERDICT}: {head[fields.VERDICT]}"]


def _coverage(files: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for depth in DEPTHS:
        own = [one for one in files if one["depth"] == depth]
        told = [f"`{one['path']}` ({one['reason']})" for one in own]
        if len(told) > 1:
            lines += [f"- **{depth}:**", *(f"  - {text}" for text in told)]
        else:
            lines.append(f"- **{depth}:** {''.join(told) or 'none'}")
    return lines


def _finding(one: Mapping[str, Any]) -> list[str]:
    return [
        "",
        f"### {one['id']}",
        "",
        f"- **{fields.DETAILS_RULE}:** {_line(one['rule'])}",
        f"- **{fields.DETAILS_LOCATION}:** {one['path']}:{one['line']}",
        f"- **{fields.DETAILS_MESSAGE}:** {_line(one['message'])} (found by {', '.join(one['reviewers'])})",
        *_also(one),
        *_evidence(one["evidence"]),
        f"- **{fields.DETAILS_FIX}:** {_line(one['fix'])}{'.' if _is_odd(one['fix']) else ''}",
    ]


def _also(one: Mapping[str, Any]) -> list[str]:
    """Return what other reviewers said about the same cause, so that merging loses nothing."""
    return [
        f"  - {_line(voice['message'])} ({voice['at']}, found by {voice['by']}) Fix: {_line(voice['fix'])}"
        for voice in other_voices(one)
    ]


def _evidence(text: str) -> list[str]:
    """Return the evidence: one line as a code span, other text as a block below the item."""
    fence = "```"
    while fence in text:
        fence += "`"
    if "\n" in text or "`" in text or _is_odd(text):
        block = [f"  {line}".rstrip() for line in [fence, *text.split("\n"), fence]]
        return [f"- **{fields.DETAILS_EVIDENCE}:**", "", *block, ""]
    return [f"- **{fields.DETAILS_EVIDENCE}:** `{text}`"]


def _is_odd(text: str) -> bool:
    """Tell whether a text is only signs that may surround a value, or may be a placeholder for one."""
    return text.strip(AROUND_A_VALUE)[:1] in ("", "{")


def _remedies(remedies: Sequence[str]) -> list[str]:
    told = [f"{number}. {_line(text)}" for number, text in enumerate(remedies, 1)]
    return told or ["Nothing has to be fixed."]


def _goals(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return which findings a plan made from the review fixes, and which it leaves."""
    goals, rest = (
        ", ".join(f"`{one['id'][:8]}`" for one in findings if is_goal(one) is taken)
        for taken in (True, False)
    )
    lines = ["", f"Goals of a plan made from this review ({GOALS}): {goals}."] if goals else []
    return [*lines, *(["", f"Not goals of a plan, so left as they are: {rest}."] if rest else [])]


def _where(text: str) -> str:
    return f" ({_line(text)})" if text else ""


def _line(text: str) -> str:
    return " ".join(text.split())
