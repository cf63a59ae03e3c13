"""Audit the finished runs of a project now, for those who want to know more than what the last finish found."""

from __future__ import annotations

from ultra_runtime.errors import UltraError
from ultra_runtime.run.state.statuses import COMPLETED, ENDED, PARTIAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.files.project import Project
    from ultra_runtime.run.life.run_facts import RunFacts

FINISHED = (COMPLETED, PARTIAL, *ENDED)


def add_audit(project: Project, plan: str, run: RunFacts) -> None:
    """Audit a finished run now, without running commands: what they showed at its finish counts; else keep its audit."""
    if run.status not in FINISHED:
        return
    from ultra_runtime.proof.drift import OF_COMMANDS, Drift
    from ultra_runtime.run.life.audit import audit, open_case
    from ultra_runtime.run.life.sessions import begun_with
    from ultra_runtime.run.state.assignment import read_plan_bytes
    from ultra_runtime.run.state.run_place import RunPlace
    from ultra_runtime.run.tree.workspace import find_workspace

    try:
        workspace = find_workspace(project.root)
        place = RunPlace(workspace.root, project.path(plan), project, run.session)
        place = begun_with(workspace.git, place, resuming=True)
        case = open_case(workspace.git, place, read_plan_bytes(place.plan))
        known = [Drift.of(one) for one in run.drifts if one.get("check") in OF_COMMANDS]
        found = audit(case, known=known)
    except UltraError:
        return
    run.audit, run.audit_source = found.verdict, f"checked now, commits from {found.source}"
    run.drifts = found.details()
    for step in run.own:
        if step.state == COMPLETED and step.number not in found.completed:
            step.note = "git has no record that it is completed"
