"""Show where the last session ended and which command comes next.

The project is the one whose session state (`.claude/projects/*/.session-state.local.json`) was written last, or the one
of --project DIR. If that one is complete or no run has a state, it is the newest project before its run. The command is the one that `status` names for it. With --short the answer has only what to tell the
user and what to run.
"""

from __future__ import annotations

import os

from ultra_runtime.answer import Answer, RefusedError, brief_answer
from ultra_runtime.contract.stages import Next, command, file_of, stage_that_makes
from ultra_runtime.files.project import Project
from ultra_runtime.files.root import PROJECTS, current_folder, find_root, working_root
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.session_state import (
    KIND,
    SessionState,
    States,
    find_states,
    has_state,
    session_number,
)
from ultra_runtime.standing.project_standing import ProjectStanding, find_projects
from ultra_runtime.tables.fields import progress_fields
from ultra_runtime.tables.fields import session_state_fields as state_fields
from ultra_runtime.typed import Any
from ultra_runtime.usage import Args
from ultra_runtime.words import listed, one_line

USAGE = "continue [--project DIR] [--short] [--json]"
FOR_PEOPLE = "look"
STAGE = "continue"
NO_RUN = "no run has started"
READ_ONLY = True


def run(args: Args) -> Answer:
    """Answer with the command that continues the work."""
    project = args.get("--project")
    waiting = _waiting(project)
    states = _states_of_repository() if not project else States() if waiting else _states_of_project(project)
    if len(states.newest) > 1:
        return _ambiguous(states)
    if waiting and not any(_coming(state).command for state in states.newest) and not states.broken:
        found = _before_its_run(waiting)
    elif states.newest:
        found = _found(states, states.newest[0])
    else:
        return _only_broken(states) if states.broken else _none()
    return _short(found) if args.flag("--short") else found


def _short(found: Answer) -> Answer:
    known = ("brief", "found", "skill", "args")  # the last two are the parts of `command`
    told = {name: value for name, value in brief_answer(found).data.items() if name not in known}
    if "carried" in told and "warnings" not in told:
        del told["next"]
    return Answer(told, found.text)


def _waiting(given: str | None) -> ProjectStanding | None:
    """Return the newest project that has begun and has no session state, or the given one if it is such a project."""
    root = find_root(current_folder())
    wanted = [os.path.realpath(os.path.join(start, given)) for start in ("", root or "")] if given else []
    for project in find_projects(root) if root else ():
        if has_state(project.folder) or (given and os.path.realpath(project.folder) not in wanted):
            continue
        standing = ProjectStanding(project)
        if standing.coming.command and any(part.has_begun for part in standing.parts):
            return standing
    return None


def _before_its_run(standing: ProjectStanding) -> Answer:
    coming, shown = standing.coming, standing.project.shown
    skill, _, words = coming.command.partition(" ")
    data = {
        "ok": True, "found": True, "project": shown, "status": NO_RUN, "label": coming.reason, "stage": coming.stage,
        "command": coming.command, "carried": True, "skill": skill[1:], "args": words, "next": _next(coming, False),
    }  # fmt: skip
    rows = [("Project", shown), ("Status", NO_RUN), ("Why", coming.reason), ("Next", coming.command)]
    return Answer(data, "\n".join(f"{title:8} {one_line(text, 500)}" for title, text in rows))


def _states_of_repository() -> States:
    root = find_root(current_folder())
    return find_states(root) if root else States()


def _states_of_project(project: str) -> States:
    root = working_root()
    folder = project if os.path.isdir(project) else os.path.join(root, project)
    hint = f"Run `{verb('continue')}` without --project to look at every project."
    if not os.path.isdir(folder):
        raise RefusedError(f"there is no project folder {one_line(project)}", hint)
    if not has_state(folder):
        raise RefusedError(f"{one_line(project)} has no {file_of(KIND)}: no run of it has started", hint)
    states = States()
    states.read(find_root(folder) or root, folder)
    return states


def _none() -> Answer:
    data = {"ok": True, "found": False, "next": f"run `{verb('guide')} continue none`"}
    text = f"No session state here: no run of a project has started. `{verb('status')}` shows all projects."
    return Answer(data, text)


def _only_broken(states: States) -> Answer:
    error = "every session state is broken" if len(states.broken) > 1 else "the session state is broken"
    data = {
        "ok": False, "found": False, "error": error, "ignored": _ignored(states),
        "next": f"run `{verb('guide')} continue broken`",
    }  # fmt: skip
    return Answer(data, "\n".join(["Cannot continue: " + error + ".", *map(str, states.broken)]), 1)


def _ambiguous(states: States) -> Answer:
    choices = [
        {
            "project": state.project,
            "status": state.status,
            "label": _coming(state).reason,
            "command": command(STAGE, state.project),
        }
        for state in states.newest
    ]
    data: dict[str, Any] = {
        "ok": True, "found": False, "choices": choices, state_fields.UPDATED_AT: states.newest[0].updated_at,
        "ignored": _ignored(states), "next": f"run `{verb('guide')} continue ambiguous`",
    }  # fmt: skip
    lines = [f"{len(choices)} session states were written at the same moment; choose one:"]
    lines += [f"  {one_line(choice['command'], 500)}  ({choice['status']})" for choice in choices]
    return Answer(data, "\n".join(lines + _notes(states, [])))


def _coming(state: SessionState) -> Next:
    """Return what comes next in the project of a session state; outside a project only the state decides."""
    folder = os.path.join(working_root(), state.project)
    name = os.path.basename(folder)
    root = folder[: -len(os.path.join(PROJECTS, name)) - 1]
    if folder != os.path.join(root, PROJECTS, name):
        return state.coming()
    return ProjectStanding(Project(root, name)).coming


def _found(states: States, state: SessionState) -> Answer:
    coming = _coming(state)
    carried = bool(coming.command)
    others = [other.project for other in states.valid if other.unfinished and other is not state]
    data: dict[str, Any] = {
        "ok": True, "found": True, "project": state.project, "status": state.status, "means": state.means,
        "label": coming.reason, state_fields.UPDATED_AT: state.updated_at, "brief": state.brief, "stage": coming.stage,
        "command": coming.command, "carried": carried, "ignored": _ignored(states), "others": others,
    }  # fmt: skip
    skill, _, words = coming.command.partition(" ")
    if skill.startswith("/"):
        data.update(skill=skill[1:], args=words)
    warnings = [issue.as_data() for issue in state.warnings]
    if warnings:
        data["warnings"] = warnings
    data["next"] = _next(coming, bool(warnings))
    lines = [*_rows(state, coming), *map(str, state.warnings)]
    return Answer(data, "\n".join(lines + _notes(states, others)))


def _rows(state: SessionState, coming: Next) -> list[str]:
    rows = [
        ("Project", state.project),
        ("Status", f"{state.status}: {state.means}"),
        ("Why", coming.reason),
        ("When", state.updated_at),
        ("Read", "" if _is_outdated(state, coming) else state.brief),
        ("Next", coming.command),
    ]
    return [f"{title:8} {one_line(text, 500)}" for title, text in rows if text]


def _is_outdated(state: SessionState, coming: Next) -> bool:
    """Tell whether the state names the spec of a session, but another command comes next: the plan was replaced."""
    number = session_number(state.brief)
    is_run = coming.command.startswith("/") and coming.stage == stage_that_makes(progress_fields.KIND)
    return bool(number) and is_run and f"--session {number}" not in coming.command


def _next(coming: Next, warned: bool) -> str:
    steps = ["tell the user the warnings"] if warned else []
    if not coming.command:
        steps.append(f"tell the user that {coming.reason}, and stop")
    elif coming.command.startswith("/"):
        steps.append("offer `command` to the user")
    else:
        steps.append(f"offer to run `{coming.command}`")
    return ", then ".join(steps)


def _ignored(states: States) -> list[dict[str, Any]]:
    names = ("path", "line", "code", "message", "remedy")
    return [{name: getattr(issue, name) for name in names} for issue in states.broken]


def _notes(states: States, others: list[str]) -> list[str]:
    lines = [f"Ignored: {issue}" for issue in states.broken]
    if others:
        lines.append(f"Also unfinished: {one_line(listed(others), 500)}.")
    return lines
