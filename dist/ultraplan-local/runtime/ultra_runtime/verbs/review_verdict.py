"""End a review: do what the coordinator decided, give the verdict, and write review.md.

The coordinator's answer comes on standard input and ends in a json block with summary, remediation, merge and
severity. The verdict is arithmetic: the gravest finding that is left decides.
"""

from __future__ import annotations

import time

from ultra_runtime import frontmatter
from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.artifact_place import FILES
from ultra_runtime.atomic import Folder, WriteError
from ultra_runtime.contract import load_contract
from ultra_runtime.given_text import as_text, read_given
from ultra_runtime.project import find_project
from ultra_runtime.regular_file import UnreadableError, read_regular
from ultra_runtime.rendered import names
from ultra_runtime.review_findings import (
    CLEAN,
    REVIEWERS,
    AnswerError,
    answer_block,
    coordinate,
    count,
    merge,
    read_kept,
    verdict,
)
from ultra_runtime.review_scope import BRIEF, read_scope
from ultra_runtime.review_text import REVIEW, Parts, review_text
from ultra_runtime.words import listed, shell_word
from ultra_runtime.write_check import check_write, in_words, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.project import Project
    from ultra_runtime.usage import Args

USAGE = "review verdict --project DIR [--json]"
HINT = "give the coordinator's whole answer on standard input, with its json block at the end"


def run(args: Args) -> Answer:
    """Answer with the verdict, the counts and where the review stands."""
    project = find_project(args.need("--project"))
    scope = read_scope(project)
    kept = read_kept(project)
    if not kept.reviewers:
        raise RefusedError("no reviewer has answered yet", "add their answers with `ultra review add`")
    answer = answer_block(as_text(read_given(None, HINT), HINT), HINT)
    try:
        findings = coordinate(merge(kept.findings), answer)
        summary, remedies = _words(answer)
        missing = [name for name in REVIEWERS if name not in kept.reviewers]
        if missing:
            summary = f"Not everything was looked at: {listed(missing)} gave no answer.\n\n{summary}"
        if scope.get("uncommitted"):
            summary = f"{scope['uncommitted']} of the files had changes that no commit holds.\n\n{summary}"
        parts = Parts(_head(project, verdict(findings)), scope, summary, remedies)
        text = review_text(parts, findings, kept.criteria)
        result = check_write(load_contract(REVIEW), text.encode(), project.path(FILES[REVIEW]))
        if result.errors:
            error = "the review would not keep its contract, so nothing was written"
            data = {"ok": False, "error": error, "errors": short(result.errors), "next": HINT}
            return Answer(data, "\n".join([f"ultra: {error}", *in_words(result.errors)]), 1)
        with Folder(project.folder) as folder:
            folder.lock()
            folder.write(FILES[REVIEW], text.encode())
    except (AnswerError, WriteError) as problem:
        raise RefusedError(str(problem), HINT) from None
    return _answer(project, parts, findings, len(kept.findings), missing)


def _answer(
    project: Project, parts: Parts, findings: list[dict[str, Any]], before: int, missing: list[str]
) -> Answer:
    decided = parts.head["verdict"]
    command = f"{names().commands['plan']} --brief {shell_word(project.show(FILES[REVIEW]))}"
    next_step = (
        "tell the user; nothing has to be mended" if decided == CLEAN else f"offer the user `{command}`"
    )
    data = {
        "ok": True,
        "verdict": decided,
        "counts": count(findings),
        "findings": [
            {
                "id": one["id"],
                "severity": one["severity"],
                "at": f"{one['path']}:{one['line']}",
                "message": one["message"],
            }
            for one in findings
        ],
        "merged": before - len(findings),
        "missing": missing,
        "path": project.show(FILES[REVIEW]),
        "next": next_step,
    }
    counts = ", ".join(f"{number} {name}" for name, number in data["counts"].items())
    return Answer(data, "\n".join([f"{decided}: {counts}", data["path"], next_step]))


def _words(answer: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the summary and what has to be done, which are the coordinator's own words."""
    summary, remedies = answer.get("summary"), answer.get("remediation")
    if not isinstance(summary, str) or not summary.strip():
        raise AnswerError("summary is missing: what the verdict rests on, in a few sentences")
    if not isinstance(remedies, list) or not all(isinstance(one, str) and one.strip() for one in remedies):
        raise AnswerError("remediation is no list of sentences; nothing to do is []")
    # A heading in it would end the section it stands in.
    lines = [
        line.lstrip("#").lstrip() if line.startswith("#") else line for line in summary.strip().split("\n")
    ]
    return "\n".join(lines), remedies


def _head(project: Project, decided: str) -> dict[str, str]:
    try:
        brief = frontmatter.parse(read_regular(project.path(BRIEF))).values or {}
    except UnreadableError:
        brief = {}
    slug = project.shown.rpartition("/")[2][11:]
    return {
        "task": str(brief.get("task") or slug),
        "slug": str(brief.get("slug") or slug),
        "project_dir": f"{project.shown}/",
        "brief_path": project.show(BRIEF),
        "created": time.strftime("%Y-%m-%d"),
        "verdict": decided,
    }
