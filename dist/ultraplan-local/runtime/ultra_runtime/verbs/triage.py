"""Say for every changed file whether it is reviewed closely, in summary or not at all, and why.

The scope begins at --since, else where the run of the project began, else (by the times of the files) when its brief
was written. Without --project the project that was worked on last is taken. The differences go to the project's logs.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.atomic import WriteError
from ultra_runtime.review_scope import (
    BRIEF,
    LOGS,
    SCOPE_FILE,
    choose_project,
    find_scope,
    keep_scope,
    uncommitted,
)
from ultra_runtime.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.review_scope import Scope
    from ultra_runtime.usage import Args

USAGE = "triage [--since SHA] [--project DIR] [--json]"


def run(args: Args) -> Answer:
    """Answer with the scope and the depth of each file."""
    project = choose_project(args.get("--project"))
    scope = find_scope(project, args.get("--since"))
    try:
        diff = keep_scope(project, scope)
    except WriteError as problem:
        raise RefusedError(str(problem), "see to it and call again") from None
    next_step = _next(scope)
    data = {
        "ok": True,
        "project": project.shown,
        "brief": project.show(BRIEF),
        "scope_sha_start": scope.start,
        "scope_sha_end": scope.end,
        "source": scope.source,
        "uncommitted": uncommitted(project.root, scope),
        "counts": scope.counts(),
        "files": [one.as_data() for one in scope.files],
        "scope_file": project.show(LOGS, SCOPE_FILE),
        "diff": diff,
        "next": next_step,
    }
    lines = [f"{one.depth:<13}  {one_line(one.path)}  ({one.reason})" for one in scope.files]
    begin = scope.start or "the writing of the brief, by the times of the files"
    return Answer(data, "\n".join([f"From {begin} to {scope.end}", *lines, next_step]))


def _next(scope: Scope) -> str:
    if not scope.files:
        return "nothing changed in this scope: tell the user, and that --since SHA names another start; then stop"
    if not any(one.depth != "skipped" for one in scope.files):
        return "no file of this scope is to be read: tell the user the reasons, then stop"
    return "spawn the reviewers with the paths of brief, diff and scope_file"
