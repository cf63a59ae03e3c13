"""Judge the agents that a work in progress spawns: only those that the runtime has dispatched and still waits for."""

from __future__ import annotations

import os

from ultra_runtime.files.json_file import read_json
from ultra_runtime.guard.policy import Verdict
from ultra_runtime.guard.site import FOLDER, Site
from ultra_runtime.rendered import names
from ultra_runtime.typed import Any, Mapping

RULE = "work_agent"


def verdict_for_spawn(site: Site, tool_input: Mapping[str, Any]) -> Verdict | None:
    """Return the refusal of an agent that no open dispatch asks for, or whose dispatch another agent has."""
    work = str(site.lock.get("work"))
    folder = os.path.join(site.git_dir, FOLDER, "works", os.path.basename(work))
    kind, prompt = tool_input.get("subagent_type"), str(tool_input.get("prompt"))
    state = read_json(f"{folder}.json")
    waiting = [one for one in state.get("dispatches", ()) if one.get("state") == "open"]
    reason = f"{work} waits for {len(waiting)} dispatches, and this agent is not among them"
    for one in waiting:
        if kind == f"{names().plugin}:{one.get('agent')}" and f"{one.get('call')} " in prompt:
            if not _is_taken(os.path.join(folder, f"{one.get('number')}-taken.xml"), str(one.get("times"))):
                return None
            reason = f"an agent is at work on dispatch {one.get('number')} of {work}"
    return Verdict("block", RULE, reason, f"do exactly what `{state.get('next')}` answers")


def _is_taken(path: str, times: str) -> bool:
    """Tell whether an agent has begun since the dispatch was handed out for the last time."""
    try:
        with open(path, encoding="ascii") as file:
            return file.read() == times
    except (OSError, ValueError):
        return False
