"""Audit the run of a plan, at any time, from the plan, git and a clean checkout of its end.

The status is pass, drift, unfinished or nothing done; each drift says what was expected, what was found, and at which
step. If the run is over, its commands are run again. If that takes longer than --wait, the status is proving, and the
same call asks again.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer, RefusedError
from ultra_runtime.artifacts.places import number
from ultra_runtime.checkout.settings import read_settings, requiring, settings_of
from ultra_runtime.files.project import Project
from ultra_runtime.files.run_files import progress_files
from ultra_runtime.proof.background import AUDITING, background_of, make_job
from ultra_runtime.proof.drift import CLEAN
from ultra_runtime.rendered import verb
from ultra_runtime.run.life.audit import PASS, audit, open_case
from ultra_runtime.run.life.sessions import begun_with
from ultra_runtime.run.state.assignment import read_plan_bytes
from ultra_runtime.run.state.environment import other_variables
from ultra_runtime.run.state.run_place import find_run_place
from ultra_runtime.run.step.numbers import seconds
from ultra_runtime.run.tree.workspace import find_workspace
from ultra_runtime.standing.project_standing import ProjectStanding
from ultra_runtime.status.lines import next_data
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.tables.fields import settings_fields as fields
from ultra_runtime.tables.limits import FINISH_SECONDS
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, one_line, shell_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultra_runtime.proof.conditions import Tried

USAGE = "audit PATH [--project DIR] [--session N] [--wait SECONDS] [--json]"
FOR_PEOPLE = "look"
STAGE = "execute"
PROVING, AGAIN = "proving", "make the same call again"


def _without(tried: Tried | None) -> str:
    return " without a proof" if tried and tried.proof != CLEAN else ""


def _refuse_sessions(project: Project, plan: str) -> None:
    """Refuse a plan that only its sessions have run."""
    begun = [str(one) for one in progress_files(project.folder).values() if one is not None]
    if begun:
        error = f"{plan} was run by sessions ({listed(begun)}): there is no run of the whole plan"
        raise RefusedError(error, f"audit each: `{verb('audit')} {shell_word(plan)} --session N`")


def run(args: Args) -> Answer:
    """Answer with the verdict."""
    session = number(args, "--session", 1) if args.get("--session") else None
    wait = seconds(args, "--wait", 0)
    workspace = find_workspace()
    place = find_run_place(workspace, args.need("PATH"), args.get("--project"), session)
    place = begun_with(workspace.git, place, resuming=True)
    case = open_case(workspace.git, place, read_plan_bytes(place.plan))
    if case is None and place.project and session is None:
        _refuse_sessions(place.project, place.shown)
    tried = None
    if case and case.is_over and case.facts.has_ended:
        around = case.around()
        settings = requiring(settings_of(around.settings) if around else read_settings(place.root))
        background = background_of(workspace, place.slug, AUDITING)
        job = make_job(place, case.facts.end, case.conditions(), settings, around, AUDITING)
        tried = background.run(job, wait or settings.limits.get(fields.LIMITS_FINISH_SECONDS, FINISH_SECONDS))
        if tried is None:
            words = f"{background.standing()} have run"
            again = {"status": PROVING, "proof": words, "next": AGAIN}
            return Answer(again, f"{PROVING}: {words}; {AGAIN}", 1)
        background.stop()
    found = audit(case, tried)
    data: dict[str, Any] = {
        "status": found.verdict,
        "completed_steps": list(found.completed),
        progress_fields.MANIFEST_AUDIT_DRIFT_DETAILS: found.details(),
        "source": found.source,
    }
    steps = counted(sum(map(bool, found.completed)), "completed step")  # step 0 checks the sandbox
    if case and case.skipped:
        data["skipped_steps"] = case.skipped
        steps += f", {len(case.skipped)} skipped"
    head = f"{found.verdict}{_without(tried)}: {steps}, commits from {found.source}"
    if tried:
        data["proof"] = tried.proof
        head += f", proof: {tried.proof}"
    notes = list(found.notes)
    names = other_variables(workspace, place) if tried else ""
    if names:
        notes.append(f"the commands ran with other variables than those of the start: {names}")
    if notes:
        data["notes"] = notes
    lines = [head, *(f"  {one_line(str(drift), 600)}" for drift in found.drifts)]
    lines += [f"  note: {one_line(note, 400)}" for note in notes]
    if place.project:
        standing = ProjectStanding(place.project)
        data.update(next_data(standing))
        lines.append(f"Next: {data['next']}")
    return Answer(data, "\n".join(lines), 0 if found.verdict == PASS else 1)
