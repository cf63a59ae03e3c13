"""Find out what a plan is made from: brief or review, research, architecture notes, size of the repository.

Answers with what is weak in them, which explorers the repository is worth, and the guide to follow.
"""

from __future__ import annotations

import os

from ultra_runtime import plan_gate
from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.atomic import WriteError
from ultra_runtime.plan_source import (
    BRIEF,
    architecture_of,
    explorers,
    find_source,
    goals_of,
    research_of,
    under_way,
    weak_dimensions,
)
from ultra_runtime.rendered import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.usage import Args

USAGE = "plan begin [--project DIR] [--brief FILE] [--quick] [--json]"


def run(args: Args) -> Answer:
    """Answer with all that is there to plan from."""
    if args.get("--project") is None and args.get("--brief") is None:
        raise args.usage.error("--project DIR or --brief FILE is missing")
    try:
        source = find_source(args.get("--project"), args.get("--brief"))
    except (WriteError, OSError) as problem:
        raise RefusedError(str(problem), "see to it and call again") from None
    project = source.project
    plan_gate.forget(project)
    size, wanted = explorers(project, args.flag("--quick"))
    there = [name for name in (plan_gate.PLAN, plan_gate.DRAFT) if os.path.lexists(project.path(name))]
    data: dict[str, Any] = {
        "ok": True,
        "source": source.kind,
        "path": source.shown,
        "project": project.shown,
        "warnings": [f"{one.code}: {one.sentence}" for one in source.result.warnings] + under_way(project),
        "exists": there,
        "files": size,
        "explorers": [f"{names().plugin}:{name}" for name in wanted],
    }
    if source.kind == BRIEF:
        data["assumptions"] = weak_dimensions(source)
        data["research"], told = research_of(project)
        data["warnings"] += told
        data["architecture"], told = architecture_of(project)
        data["warnings"] += told
        data["next"] = "run `ultra guide plan orchestrator`"
    else:
        data["goals"] = goals_of(source)
        data["next"] = (
            "run `ultra guide plan remediation`"
            if data["goals"]
            else "tell the user that no finding of this review has to be mended, and stop"
        )
    lines = [f"{source.kind}: {source.shown}", f"project: {project.shown}", *data["warnings"], data["next"]]
    return Answer(data, "\n".join(lines))
