"""Find out what a plan is made from: brief or review, research, architecture notes, size of the repository.

The answer lists their weak parts, the explorers that suit the repository, how many agents run and who pays for them,
and the guide to follow; with --guide also the text of that guide.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.contract.agent_output import known_outputs
from ultra_runtime.contract.stages import command_for, draft_of, file_of, stage_that_makes
from ultra_runtime.doctor.billing import billing
from ultra_runtime.files.atomic import WriteError
from ultra_runtime.files.guides import guide_text
from ultra_runtime.files.kept_answers import drop_answers
from ultra_runtime.files.price import price
from ultra_runtime.planning import gate as plan_gate
from ultra_runtime.planning.basis import (
    BRIEF,
    Source,
    architecture_of,
    explorers,
    find_source,
    is_reviewed,
    research_of,
    under_way,
    weak_dimensions,
)
from ultra_runtime.rendered import names, verb
from ultra_runtime.review.remediation import goals_of, is_taken_up
from ultra_runtime.standing.project_standing import ProjectStanding
from ultra_runtime.tables.agents import CRITICS
from ultra_runtime.tables.fields import plan_fields, review_fields
from ultra_runtime.tables.limits import TOKENS_PLAN
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args

USAGE = "plan begin [--project DIR|--brief FILE] [--quick] [--guide] [--json]"
STAGE = "plan"
FROM_BRIEF, FROM_REVIEW = "orchestrator", "remediation"
NOTHING = (
    "tell the user that no finding of this review has to be fixed and no command is left to run, then stop"
)
NOT_REVIEWED = "not reviewed: no gate let this brief through as it is now"
OVER = "a run of a plan that fixes all these findings has completed since the review"


def run(args: Args) -> Answer:
    """Answer with everything to plan from."""
    if args.get("--project") is None and args.get("--brief") is None:
        raise args.usage.error("missing --project DIR or --brief FILE")
    try:
        source = find_source(args.get("--project"), args.get("--brief"))
    except (WriteError, OSError) as problem:
        raise RefusedError(str(problem), "fix this and retry") from None
    project = source.project
    plan_gate.forget(project)
    drop_answers()
    size, wanted = explorers(project, source.kind, args.flag("--quick"))
    there = [
        name
        for name in (file_of(plan_fields.KIND), draft_of(plan_fields.KIND))
        if os.path.lexists(project.path(name))
    ]
    data: dict[str, Any] = {
        "ok": True,
        "source": source.kind,
        "path": source.shown,
        "project": project.shown,
        "warnings": [f"{one.code}: {one.sentence}" for one in source.result.warnings] + under_way(project),
        "exists": there,
        "files": size,
        "explorers": [f"{names().plugin}:{name}" for name in wanted],
        **(_from_brief(source) if source.kind == BRIEF else _from_review(source)),
    }
    data["warnings"] += data.pop("told")
    agents = [
        *wanted,
        *_critics(args.flag("--quick")),
        *([_reviewer()] if data.get("reviewed") is False else ()),
    ]
    data["agents"] = len(agents)
    data["price"] = f"{price(agents, TOKENS_PLAN)}; {billing()}"
    data["billing"] = billing()
    following = data.pop("next")
    guide = data.pop("guide", "")
    if guide and args.flag("--guide"):
        data["guide"] = guide_text(stage_that_makes(plan_fields.KIND), guide)
        following = "follow `guide`"
        known = ("billing", "files", "agents")
        data = {name: value for name, value in data.items() if name not in known and value not in ([], {})}
    data["next"] = following
    warnings = data.get("warnings", [])
    lines = [f"{source.kind}: {source.shown}", f"project: {project.shown}", *warnings, following]
    return Answer(data, "\n".join(lines))


def _from_brief(source: Source) -> dict[str, Any]:
    research, told = research_of(source)
    architecture, odd = architecture_of(source.project)
    reviewed = is_reviewed(source)
    if not reviewed:
        told = [NOT_REVIEWED, *told]
    return {
        "reviewed": reviewed,
        "assumptions": weak_dimensions(source.path),
        "research": research,
        "architecture": architecture,
        "told": [*told, *odd],
        "next": f"run `{verb('guide')} plan {FROM_BRIEF}`",
        "guide": FROM_BRIEF,
    }


def _from_review(source: Source) -> dict[str, Any]:
    goals = goals_of(source.path)
    told, next_step, guide = [], f"run `{verb('guide')} plan {FROM_REVIEW}`", FROM_REVIEW
    if not goals:
        next_step, guide = NOTHING, ""
    elif _is_fixed(source):
        told = [OVER]
        review = command_for(review_fields.KIND, source.project.shown)
        next_step = f"tell the user that {OVER}, that `{review}` reviews the work as it is now, and stop"
        guide = ""
    return {"goals": goals, "told": told, "next": next_step, "guide": guide}


def _is_fixed(source: Source) -> bool:
    """Return whether a plan that fixes all of this review has been run since."""
    project = source.project
    is_own = os.path.realpath(source.path) == os.path.realpath(project.path(file_of(review_fields.KIND)))
    return (
        is_own
        and is_taken_up(project)
        and ProjectStanding(project).coming.stage == stage_that_makes(review_fields.KIND)
    )


def _critics(quick: bool) -> list[str]:
    """Return the critics that are spawned if every round is needed."""
    outputs = known_outputs()
    gates = [(name, outputs[name].scores) for name in CRITICS]
    return [name for name, gate in gates if gate for _ in range(1 if quick else gate.rounds)]


def _reviewer() -> str:
    """Return the agent that reviews a brief."""
    return next(name for name, output in known_outputs().items() if output.gate == BRIEF)
