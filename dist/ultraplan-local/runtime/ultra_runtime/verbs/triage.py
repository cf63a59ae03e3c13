"""Decide how closely each changed file is reviewed, and why; write the scope and the diffs for the reviewers.

The scope begins at --since. Without it, the first of these decides: the end of the review whose findings the plan
fixes, the start of the project's run, and the time when the brief was written. Without --project it uses the project
that was worked on last. Scope, diffs and the earlier findings whose evidence is still in the files are
written to the project's logs. With --short the answer lists only the skipped files: the scope file has them all.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, Refusing, brief_answer
from ultra_runtime.contract.stages import need
from ultra_runtime.doctor.billing import billing
from ultra_runtime.files.kept_answers import drop_answers
from ultra_runtime.files.price import price
from ultra_runtime.files.project import Project
from ultra_runtime.files.run_files import LOGS
from ultra_runtime.review.criteria import basis_of
from ultra_runtime.review.findings import Kept, carried_on, keep, read_kept
from ultra_runtime.review.scope import (
    DIFF_FILE,
    FINDINGS_FILE,
    SCOPE_FILE,
    Scope,
    choose_project,
    differences,
    find_scope,
    is_kept,
    is_under_way,
    keep_scope,
    scope_data,
    spared,
    uncommitted,
)
from ultra_runtime.review.triage import SKIPPED
from ultra_runtime.tables.agents import COORDINATOR, REVIEWERS
from ultra_runtime.tables.fields import review_fields
from ultra_runtime.tables.limits import TOKENS_REVIEW
from ultra_runtime.usage import Args
from ultra_runtime.words import listed, one_line

USAGE = "triage [--since SHA] [--project DIR] [--short] [--json]"
STAGE = "review"


def run(args: Args) -> Answer:
    """Answer with the scope and the depth of each file."""
    need(review_fields.KIND)
    project = choose_project(args.get("--project"))
    scope = find_scope(project, args.get("--since"))
    with Refusing("fix this and retry"):
        kept, removed, earlier, gone = _keep(project, scope)
    drop_answers()
    next_step = _next(scope, kept)
    agents = [name for name in (*REVIEWERS, COORDINATOR) if name not in (*kept, *spared(scope))]
    data = {
        "ok": True,
        "project": project.shown,
        "brief": project.show(basis_of(project)),
        review_fields.SCOPE_SHA_START: scope.start,
        review_fields.SCOPE_SHA_END: scope.end,
        "source": scope.source,
        "uncommitted": uncommitted(project.root, scope),
        "counts": scope.counts(),
        "files": [one.as_data() for one in scope.files],
        "scope_file": project.show(LOGS, SCOPE_FILE),
        "diff": project.show(LOGS, DIFF_FILE),
        "findings_file": project.show(LOGS, FINDINGS_FILE),
        "earlier": {"carried": earlier, "gone": gone},
        "kept": kept,
        "removed": removed,
        "spared": spared(scope),
        "agents": len(agents),
        "price": price(agents, TOKENS_REVIEW, False) + f"; {billing()}",
        "billing": billing(),
        "next": next_step,
    }
    if args.flag("--short"):
        own = f"{project.shown}/"
        skipped = dict.fromkeys(
            f"{own if one.path.startswith(own) else one.path}: {one.reason}"
            for one in scope.files
            if one.depth == SKIPPED
        )
        known = (
            "files",
            "findings_file",
            review_fields.SCOPE_SHA_START,
            review_fields.SCOPE_SHA_END,
            "agents",
            "spared",
            "kept",
        )
        data = {name: value for name, value in data.items() if name not in (*known, "billing")}
        data.update(skipped=list(skipped), range=f"{(scope.start or '')[:10]}..{scope.end[:10]}")
        data = dict(brief_answer(Answer(data, "")).data)
    lines = [f"{one.depth:<13}  {one_line(one.path)}  ({one.reason})" for one in scope.files]
    begin = scope.start or "the time of the brief, by the times of the files"
    return Answer(data, "\n".join([f"From {begin} to {scope.end}", *lines, next_step]))


def _keep(project: Project, scope: Scope) -> tuple[list[str], list[str], int, int]:
    """Write the scope, unless its review is under way.

    Return whose answers are kept, whose are removed, and how many earlier findings are kept and are gone.
    """
    diff = differences(project.root, scope)
    held, gone = carried_on(project, diff.decode("utf-8", "replace"))
    there = read_kept(project)
    if is_kept(project, scope, diff):
        return there.reviewers, [], len(held), len(gone)
    removed = there.reviewers if is_under_way(project) else []
    keep_scope(project, scope_data(project, scope, gone), diff)
    if held:
        keep(project, Kept([], held, []))
    return [], removed, len(held), len(gone)


def _next(scope: Scope, kept: list[str]) -> str:
    if not scope.files:
        return "nothing changed in this scope: tell the user this and that --since SHA sets another start, then stop"
    if not any(one.depth != SKIPPED for one in scope.files):
        return "no file of this scope needs a review: tell the user the reasons and that no command is left to run, then stop"
    missing = [name for name in REVIEWERS if name not in (*kept, *spared(scope))]
    if not missing:
        return "all reviewers have answered for this scope: continue with the coordinator"
    if kept:
        return f"{listed(kept)} answered for this scope: spawn only {listed(missing)}"
    if spared(scope):
        return f"a small change: spawn only {listed(missing)}"
    return "spawn the reviewers"
