"""What hooks tell the session that runs a plan: that the run is not finished, and how to continue it."""

from __future__ import annotations

import os

from ultra_runtime.files.atomic import WriteError, write_file
from ultra_runtime.files.json_file import read_json
from ultra_runtime.guard.site import FOLDER
from ultra_runtime.rendered import verb
from ultra_runtime.run.state.standing import read_standing
from ultra_runtime.text.jsontext import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ultra_runtime.guard.site import Site

MARK = os.path.join(FOLDER, "reminded.json")
MAIN = "main"
LARGEST_TRANSCRIPT = 16 * 1024 * 1024
OF_A_RUN = tuple(verb(word).encode() for word in ("step ", "run "))


def reminder(site: Site, payload: dict[str, Any]) -> str:
    """Return the reminder for a session or agent about to stop; empty when it had one or has another task."""
    if payload.get("stop_hook_active") or _waits_for_agents(payload):
        return ""
    who = MAIN
    if payload.get("hook_event_name") == "SubagentStop":
        # Compaction comes as a sub-agent without a type; an agent with another task stops without a reminder.
        if not payload.get("agent_type") or not _runs(payload.get("agent_transcript_path")):
            return ""
        who = str(payload.get("agent_id") or payload["agent_type"])
    standing = read_standing(site.root, site.git_dir, site.lock)
    owner = site.lock.get("owner") or {}
    run = [site.lock.get("slug"), site.lock.get("mode"), owner.get("session"), standing.started_at]
    if not _note(os.path.join(site.git_dir, MARK), "|".join(map(str, run)), who):
        return ""
    return (
        f"The run of {standing.plan} is not finished: {standing.words}, and `{verb('run finish')}` has not been called."
        f" Continue with `{standing.next}`. If you need the user, say so and stop; `{verb('run abort')}` ends the run as it"
        " is. This reminder comes once."
    )


def renewal(site: Site) -> str:
    """Return how to edit on after a message of the user, which ended the permissions of the command; empty without steps."""
    standing = read_standing(site.root, site.git_dir, site.lock)
    command, _, words = standing.resume.partition(" ")
    if standing.step is None or not command.startswith("/"):
        return ""
    return (
        f"The run of {standing.plan} is in progress: {standing.words}. If you continue it, first call the Skill tool with"
        f" skill {command[1:]} and args `{words}`: the permissions of that command ended with your last turn."
    )


def _waits_for_agents(payload: dict[str, Any]) -> bool:
    """Say whether agents still work in the background; the client wakes the session when they report."""
    tasks = payload.get("background_tasks")
    return isinstance(tasks, list) and any(
        isinstance(task, dict) and (task.get("type"), task.get("status")) == ("subagent", "running")
        for task in tasks
    )


def _note(path: str, run: str, who: str) -> bool:
    """Record the reminder and return whether it is new; without a record there is no reminder."""
    mark = read_json(path)
    told = mark.get("told")
    known = told if mark.get("run") == run and isinstance(told, list) else []
    if who in known:
        return False
    try:
        write_file(
            path, (write({"run": run, "told": [*known, who]}) + "\n").encode("utf-8", "surrogateescape")
        )
    except WriteError:
        return False
    return True


def _runs(transcript: object) -> bool:
    """Return whether a sub-agent called verbs of a run itself."""
    if not isinstance(transcript, str):
        return False
    try:
        with open(os.path.expanduser(transcript), "rb") as file:
            said = file.read(LARGEST_TRANSCRIPT)
    except (OSError, ValueError):
        return False
    return any(words in said for words in OF_A_RUN)
