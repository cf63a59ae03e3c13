"""End a review: apply the coordinator's decisions, compute the verdict, and write review.md.

The coordinator's answer comes from standard input and ends in a json block. The most severe remaining finding decides
the verdict. With --degraded the review says that no agents were available. With --kept the answer is the one that the
plugin has kept from this session. With --data a line of statistics is written.
"""

from __future__ import annotations

import time

from ultra_runtime.answer import Answer, RefusedError, Refusing, brief_answer
from ultra_runtime.contract.agent_output import answer_block
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.stages import command_for, file_of, need, stage_that_makes
from ultra_runtime.contract.write_check import check_write, in_words, short
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.given_text import as_text, read_given
from ultra_runtime.files.kept_answers import drop_answers, need_answers
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.regular_file import read_if_any
from ultra_runtime.rendered import launcher, verb
from ultra_runtime.review.criteria import SHOWN, basis_of
from ultra_runtime.review.findings import read_kept
from ultra_runtime.review.merge import coordinate, count, is_goal, merge, verdict
from ultra_runtime.review.remediation import taken_up
from ultra_runtime.review.scope import asked, read_scope
from ultra_runtime.review.severities import CLEAN, GOALS
from ultra_runtime.review.text import Parts, review_text
from ultra_runtime.review.triage import SKIPPED
from ultra_runtime.run.life.stats import count as count_line
from ultra_runtime.standing.project_standing import ProjectStanding
from ultra_runtime.tables.agents import COORDINATOR, REVIEWERS
from ultra_runtime.tables.fields import brief_fields, plan_fields, review_fields
from ultra_runtime.text import frontmatter
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.usage import Args
from ultra_runtime.words import listed, one_line

USAGE = "review verdict --project DIR [--kept] [--degraded] [--data DIR] [--json]"
STAGE = "review"
HINT = "have the coordinator fix its block, and give its whole answer on standard input, with that block at the end"
DEGRADED = (
    "Degraded: no agent could be spawned, so one model did the work of the reviewers and the coordinator."
)


def run(args: Args) -> Answer:
    """Answer with the verdict, the counts and the path of the review."""
    need(review_fields.KIND)
    project = find_project(args.need("--project"))
    scope = read_scope(project)
    kept = read_kept(project)
    if not kept.reviewers:
        raise RefusedError("no reviewer has answered yet", f"add their answers with `{verb('review add')}`")
    given = need_answers([COORDINATOR]) if args.flag("--kept") else as_text(read_given(None, HINT), HINT)
    answer = answer_block(COORDINATOR, given, HINT)
    with Refusing(HINT):
        findings, settled = coordinate(merge(kept.findings), answer)
        missing = [name for name in asked(scope) if name not in kept.reviewers]
        notes = _notes(scope, settled, missing, args.flag("--degraded"))
        told = {*(one["id"] for one in findings), *(name for name, _ in settled), *scope.get("gone", ())}
        fixed = [f"`{name[:8]}`" for name in taken_up(project) if name not in told]
        if fixed:
            notes.append(f"Fixed by the plan and not found again: {', '.join(fixed)}.")
        summary = "\n\n".join([*notes, _without_headings(answer["summary"])])
        parts = Parts(_head(project, verdict(findings)), scope, summary, answer["remediation"])
        text = review_text(parts, findings, kept.criteria)
        result = check_write(
            load_contract(review_fields.KIND), text.encode(), project.path(file_of(review_fields.KIND))
        )
        if result.errors:
            error = "the review would not follow its contract, so nothing was written"
            data = {"ok": False, "error": error, "errors": short(result.errors), "next": HINT}
            return Answer(data, "\n".join([f"{launcher()}: {error}", *in_words(result.errors)]), 1)
        with locked(project.folder) as folder:
            folder.keep_earlier(file_of(review_fields.KIND), text.encode())
            folder.write(file_of(review_fields.KIND), text.encode())
    drop_answers([COORDINATOR])
    _count(project, scope, parts, findings, args.get("--data"))
    merged = len(kept.findings) - len(findings) - len(settled)
    unshown = [f"{one['state']}: {one['criterion']}" for one in kept.criteria if one["state"] != SHOWN]
    ended = _answer(project, parts, findings, unshown, merged, missing)
    if not args.flag("--kept"):
        return ended
    for one in ended.data["findings"]:
        one["id"] = one["id"][:8]  # what the user is told; the review has the whole ids
    known = {**ended.data, "skipped": []}  # the triage has named them
    return brief_answer(Answer(known, ended.text))


def _count(
    project: Project, scope: Mapping[str, Any], parts: Parts, findings: list[dict[str, Any]], data: str | None
) -> None:
    """Write a line of statistics."""
    read = [one for one in scope["files"] if one["depth"] != SKIPPED]
    values = {
        review_fields.STATS_SLUG: project.slug,
        review_fields.STATS_FILES: len(read),
        review_fields.STATS_FINDINGS: count(findings),
        review_fields.STATS_VERDICT: parts.head[review_fields.VERDICT],
    }
    count_line(review_fields.KIND, values, data)


def _answer(
    project: Project,
    parts: Parts,
    findings: list[dict[str, Any]],
    unshown: list[str],
    merged: int,
    missing: list[str],
) -> Answer:
    decided = parts.head[review_fields.VERDICT]
    files = [one for one in parts.scope["files"] if one["depth"] == SKIPPED]
    skipped = [f"{one_line(one['path'])} ({one['reason']})" for one in files]
    next_step = _next(project, decided, missing)
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
        "criteria": unshown,
        "goals": sum(map(is_goal, findings)),
        "merged": merged,
        "missing": missing,
        "skipped": skipped,
        "path": project.show(file_of(review_fields.KIND)),
        "next": next_step,
    }
    counts = ", ".join(f"{number} {name}" for name, number in data["counts"].items())
    rest = [f"not reviewed: {'; '.join(skipped)}"] if skipped else []
    return Answer(data, "\n".join([f"{decided}: {counts}", *rest, data["path"], next_step]))


def _next(project: Project, decided: str, missing: list[str]) -> str:
    coming = ProjectStanding(project).coming
    if decided != CLEAN and coming.command:
        plans = f"it plans fixes for {GOALS} and leaves the other findings as they are"
        is_plan = coming.stage == stage_that_makes(plan_fields.KIND)
        return f"offer the user `{coming.command}`: {plans if is_plan else coming.reason}"
    if missing:
        command = command_for(review_fields.KIND, project.shown)
        return f"tell the user that nothing has to be fixed in what was reviewed, and that `{command}` reviews again"
    return "tell the user that the project is complete: nothing has to be fixed and no command is left to run"


def _notes(
    scope: Mapping[str, Any], settled: list[tuple[str, str]], missing: list[str], degraded: bool
) -> list[str]:
    """Return the notes that precede the summary."""
    notes = [DEGRADED] if degraded else []
    if scope.get("uncommitted"):
        notes.append(f"{scope['uncommitted']} of the files had uncommitted changes.")
    if missing:
        notes.append(f"Not everything was reviewed: {listed(missing)} gave no answer.")
    spared = [name for name in scope.get("spared", ()) if name in REVIEWERS]
    if spared:
        notes.append(f"A small change, so {listed(spared)} were not asked.")
    if settled:
        told = "; ".join(f"`{name[:8]}`, {' '.join(why.split())}" for name, why in settled)
        notes.append(f"Settled since the previous review: {told}")
    if scope.get("gone"):
        told = ", ".join(f"`{name[:8]}`" for name in scope["gone"])
        notes.append(f"Evidence of the previous review that is no longer in the files: {told}.")
    return notes


def _without_headings(summary: str) -> str:
    """Return the summary without headings, which would end its section."""
    lines = summary.strip().split("\n")
    return "\n".join(line.lstrip("#").lstrip() if line.startswith("#") else line for line in lines)


def _head(project: Project, decided: str) -> dict[str, str]:
    brief = frontmatter.parse(read_if_any(project.path(basis_of(project)))).values or {}
    slug = project.shown.rpartition("/")[2][11:]
    return {
        review_fields.TASK: str(brief.get(brief_fields.TASK) or slug),
        review_fields.SLUG: str(brief.get(brief_fields.SLUG) or slug),
        review_fields.PROJECT_DIR: f"{project.shown}/",
        review_fields.BRIEF_PATH: project.show(basis_of(project)),
        review_fields.CREATED: time.strftime("%Y-%m-%d"),
        review_fields.VERDICT: decided,
    }
