"""Find out what to research: the topics of a brief, which of them are open, and which agents research each.

The brief's research_status becomes in_progress. With --project and --brief the topics come from FILE and the results
go to the project. With neither there is no brief, and the answer only lists the agents. With --guide it has the guide
for the agents.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError, Refusing
from ultra_runtime.contract.forms import is_slug
from ultra_runtime.contract.model import load_contract
from ultra_runtime.contract.stages import command_for, file_of, folder_of, need, stage_that_makes
from ultra_runtime.contract.validation import validate_file
from ultra_runtime.doctor.billing import billing
from ultra_runtime.files.atomic import locked
from ultra_runtime.files.guides import guide_text
from ultra_runtime.files.kept_answers import drop_answers
from ultra_runtime.files.price import price
from ultra_runtime.files.project import Project, find_project
from ultra_runtime.files.regular_file import read_regular
from ultra_runtime.files.root import PROJECTS, current_folder, find_root, from_here, seen_from
from ultra_runtime.rendered import verb
from ultra_runtime.research.topics import SUFFIX, Topic, file_number, research_files, topics_of, unanswered
from ultra_runtime.tables.agents import EXTERNAL_RESEARCHERS, LOCAL_RESEARCHERS, QUICK_RESEARCHERS
from ultra_runtime.tables.fields import brief_fields, research_fields
from ultra_runtime.tables.limits import TOKENS_RESEARCH
from ultra_runtime.text.document_edit import set_field
from ultra_runtime.typed import Any, Mapping
from ultra_runtime.usage import Args
from ultra_runtime.words import listed, one_line, shell_word

USAGE = "research begin [--project DIR] [--brief FILE] [--local|--external] [--quick] [--guide] [--json]"
STAGE = "research"

FIELD = brief_fields.RESEARCH_STATUS
PENDING, IN_PROGRESS = brief_fields.RESEARCH_STATUS_PENDING, brief_fields.RESEARCH_STATUS_IN_PROGRESS
BRIEF, RESEARCH = brief_fields.KIND, research_fields.KIND
LOCAL, EXTERNAL, BOTH = (
    brief_fields.TOPICS_SCOPE_LOCAL,
    brief_fields.TOPICS_SCOPE_EXTERNAL,
    brief_fields.TOPICS_SCOPE_BOTH,
)
AGENTS = {LOCAL: LOCAL_RESEARCHERS, EXTERNAL: EXTERNAL_RESEARCHERS}
SECOND_MODEL = "gemini"
NOWHERE = ""  # the research folder of a brief without a project


def run(args: Args) -> Answer:
    """Answer with the topics, the agents and what comes next."""
    need(RESEARCH)
    quick = args.flag("--quick")
    scope = LOCAL if args.flag("--local") else EXTERNAL if args.flag("--external") else ""
    data: dict[str, Any] = {"ok": True, "project": None}
    if args.get("--project") or args.get("--brief"):
        project, shown, path = _brief(args)
        parsed = _read(shown, path)
        folder = project.path(folder_of(RESEARCH)) if project else NOWHERE
        topics = topics_of(parsed, folder)
        left = unanswered(topics)
        data.update(
            project=project.shown if project else None, brief=shown, task=parsed.get(brief_fields.TASK)
        )
        own = project is not None and os.path.realpath(path) == project.path(file_of(BRIEF))
        data[FIELD] = _begin(project, parsed) if topics and own else parsed.get(FIELD)
        data["topics"] = [_topic(one, scope, quick) for one in topics]
        data["new_topic"] = _new_number(topics, folder)
        data["next"] = _next(project, data[FIELD], topics, left)
    else:
        data["next"] = f"run `{verb('guide')} research interview`"
    data["agents"] = _agents_for(scope or BOTH, quick)
    spawned = [one["agents"] for one in data.get("topics", ()) if "agents" in one] or [data["agents"]]
    every = [name for agents in spawned for name in agents]
    data["agents_in_all"] = len(every)
    data["second_model"] = None if quick else _has_second_model()
    data["price"] = price(every, TOKENS_RESEARCH * len(spawned), False) + f"; {billing()}"
    data["billing"] = billing()
    if args.flag("--guide"):
        drop_answers()
        data["guide"] = guide_text(stage_that_makes(RESEARCH), "agents")
        known = ("billing", "agents_in_all", "task", *(("agents", "brief", FIELD) if data["project"] else ()))
        data = {name: value for name, value in data.items() if name not in known}
    lines = [f"{one['topic']}: {one['question']}" for one in data.get("topics", ()) if not one["answered"]]
    return Answer(data, "\n".join([*lines, data["next"]]))


def _brief(args: Args) -> tuple[Project | None, str, str]:
    """Return the project, if any, and the brief: the path to show and the path to open."""
    given = args.get("--brief")
    if given is None:
        project = find_project(args.get("--project") or "")
        return project, project.show(file_of(BRIEF)), project.path(file_of(BRIEF))
    root = find_root(current_folder())
    if root is None:
        raise RefusedError("this folder is not in a repository", "start in the repository that you work on")
    path = from_here(given)
    parent, name = os.path.split(os.path.realpath(path))
    inside = os.path.dirname(parent) == os.path.join(root, PROJECTS) and name == file_of(BRIEF)
    around = Project(root, os.path.basename(parent)) if inside else None
    named = args.get("--project")
    return (find_project(named) if named else around), seen_from(root, path), path


def _read(shown: str, path: str) -> Mapping[str, Any]:
    result = validate_file(load_contract(BRIEF), path, soft=True)
    if result.errors or result.parsed is None:
        told = "; ".join(f"{one.code}: {one.message}" for one in result.errors[:5])
        hint = f"tell the user to run {command_for(BRIEF)} first, and stop"
        raise RefusedError(f"{one_line(shown)} is not a valid brief: {told}", hint)
    return result.parsed


def _begin(project: Project | None, parsed: Mapping[str, Any]) -> str:
    """Set the status to in progress if research has not begun; return the status."""
    if project is None or parsed.get(FIELD) != PENDING:
        return str(parsed.get(FIELD))
    with Refusing("fix this and retry"), locked(project.folder) as folder:
        data = read_regular(project.path(file_of(BRIEF)))
        folder.write(file_of(BRIEF), set_field(data, FIELD, IN_PROGRESS))
    return str(IN_PROGRESS)


def _topic(topic: Topic, scope: str, quick: bool) -> dict[str, Any]:
    data: dict[str, Any] = {
        "topic": topic.number,
        "title": topic.title,
        "question": topic.question,
        "answered": topic.fits,
    }
    if topic.fits:
        return {**data, "file": topic.file, "confidence": topic.confidence, "enough": topic.enough}
    if topic.file:
        data["replaces"] = topic.file
    where = scope or topic.scope or BOTH
    return {
        **data,
        "plan_steps": topic.steps,
        "scope": where,
        "confidence_needed": topic.needed,
        "cost": topic.cost,
        "slug": _slug(topic),
        "agents": _agents_for(where, quick or topic.cost == brief_fields.TOPICS_ESTIMATED_COST_QUICK),
    }


def _slug(topic: Topic) -> str:
    """Return the slug of a topic's file: that of the file it replaces, or one made from its title."""
    old = topic.file.partition("-")[2][: -len(SUFFIX)]
    if is_slug(old):
        return old
    letters = "".join(sign if sign.isascii() and sign.isalnum() else " " for sign in topic.title.lower())
    made = "-".join(letters.split()[:5])[:40].strip("-")
    return made if is_slug(made) else f"topic-{topic.number}"


def _new_number(topics: list[Topic], folder: str) -> int:
    numbers = [topic.number for topic in topics]
    if folder:
        numbers += [file_number(name) or 0 for name in research_files(folder)]
    return max(numbers, default=0) + 1


def _next(project: Project | None, status: object, topics: list[Topic], left: list[Topic]) -> str:
    if left:
        told = listed([str(topic.number) for topic in left])
        old = [topic.file for topic in left if topic.file]
        more = f"; {listed(old)} answers a different question and will be replaced" if old else ""
        order = ", one after the other" if len(left) > 1 else ""
        return f"research topic {told}{order}{more}"
    if topics and project and status == IN_PROGRESS:
        return (
            f"every topic has an answer: run `{verb('brief status')} {shell_word(project.shown)}"
            f" {brief_fields.RESEARCH_STATUS_COMPLETE}`"
        )
    return "no topic is open: research the user's question, if any, as `new_topic`; otherwise say so and stop"


def _agents_for(scope: str, quick: bool) -> list[str]:
    """Return the agents of a scope, without the plugin prefix."""
    sides = (scope,) if scope in AGENTS else tuple(AGENTS)
    return [name for side in sides for name in AGENTS[side] if name in QUICK_RESEARCHERS or not quick]


def _has_second_model() -> bool:
    """Return whether the program of the second model is on the PATH."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return any(os.access(os.path.join(folder, SECOND_MODEL), os.X_OK) for folder in folders if folder)
