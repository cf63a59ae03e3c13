"""Audit the run of a plan, at any time, from the plan, git and the files alone.

The status is pass or drift; each drift says what was expected, what was found, and at which step.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.artifacts.places import number
from ultra_runtime.run.life.audit import PASS, audit
from ultra_runtime.run.life.sessions import begun_with
from ultra_runtime.run.state.assignment import read_plan_bytes
from ultra_runtime.run.state.run_place import find_run_place
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.standing.project_standing import ProjectStanding
from ultra_runtime.status.lines import next_data
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import one_line

USAGE = "audit PATH [--project DIR] [--session N] [--json]"
STAGE = "execute"


def run(args: Args) -> Answer:
    """Answer with the verdict."""
    session = number(args, "--session", 1) if args.get("--session") else None
    workspace = find_workspace()
    place = find_run_place(workspace, args.need("PATH"), args.get("--project"), session)
    place = begun_with(workspace.git, place, resuming=True)
    found = audit(workspace.git, place, read_plan_bytes(place.plan))
    data: dict[str, Any] = {
        "status": found.status,
        "completed_steps": found.completed,
        "drift_details": found.details(),
        "source": found.source,
    }
    head = f"{found.status}: {len(found.completed)} completed steps, commits from {found.source}"
    lines = [head, *(f"  {one_line(str(drift), 500)}" for drift in found.drifts)]
    if place.project:
        standing = ProjectStanding(place.project)
        data.update(next_data(standing))
        lines.append(f"Next: {data['next']}")
    return Answer(data, "\n".join(lines), 0 if found.status == PASS else 1)
