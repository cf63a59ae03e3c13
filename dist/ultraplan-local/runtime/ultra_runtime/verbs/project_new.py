"""Create the folder of a new project, with its research folder and a .gitignore.

It is `.claude/projects/{date}-{slug}/` at the root of the repository; the date is today unless --date is given.
With --guide the answer has the guide for the draft of the brief.
"""

from __future__ import annotations

from ultra_runtime.answer import Answer
from ultra_runtime.artifacts.new_project import create, project_for
from ultra_runtime.brief.interview import read_interview
from ultra_runtime.contract.agent_output import known_outputs
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.stages import stage_that_makes
from ultra_runtime.doctor.billing import billing
from ultra_runtime.files.guides import guide_text
from ultra_runtime.files.kept_answers import drop_answers
from ultra_runtime.files.price import price
from ultra_runtime.files.project import Project
from ultra_runtime.rendered import has_verb, launcher, verb
from ultra_runtime.tables.fields import brief_fields
from ultra_runtime.tables.limits import TOKENS_BRIEF
from ultra_runtime.usage import Args
from ultra_runtime.words import counted, listed, one_line, shell_word

USAGE = "project new SLUG [--date YYYY-MM-DD] [--guide] [--json]"

BRIEF = brief_fields.KIND


def run(args: Args) -> Answer:
    """Answer with the path of the directory, or say why it cannot be created."""
    project, there = project_for(args.need("SLUG"), args.get("--date"), USAGE)
    if there:
        return _exists(project, there, args)
    create(project)
    next_step = "hold the interview, then put the draft of the brief"
    data = {"ok": True, "path": project.shown, **(_told(args) or {"billing": billing()}), "next": next_step}
    return Answer(data, project.shown)


def _told(args: Args) -> dict[str, str]:
    """Return price and guide of the interview, for a command that asks for them."""
    if not args.flag("--guide"):
        return {}
    drop_answers()
    outputs = known_outputs().items()
    gate = load_contract(BRIEF).gate
    reviewers = [name for name, output in outputs if output.gate == BRIEF] * (gate.rounds if gate else 1)
    return {
        "price": f"{price(reviewers, TOKENS_BRIEF)}; {billing()}",
        "guide": guide_text(stage_that_makes(BRIEF), "draft"),
    }


def _exists(project: Project, there: list[str], args: Args) -> Answer:
    error = f"{project.shown} exists and is not empty: it has {one_line(listed(there), 300)}"
    next_step = "ask the user: continue in this directory and replace its brief, choose another slug, or stop"
    data = {
        "ok": False,
        "error": error,
        "path": project.shown,
        "billing": billing(),
        **_told(args),
        "next": next_step,
    }
    asked = len(read_interview(project))
    if asked and has_verb("brief note"):
        error = f"{error}, and {counted(asked, 'question')} of an unfinished interview"
        note = f"{verb('brief note')} --project {shell_word(project.shown)}"
        next_step = f"{next_step}; or continue that interview, which `{note}` shows"
        data.update({"error": error, brief_fields.INTERVIEW_TURNS: asked, "next": next_step})
    return Answer(data, f"{launcher()}: {error}\n{next_step}", 1)
