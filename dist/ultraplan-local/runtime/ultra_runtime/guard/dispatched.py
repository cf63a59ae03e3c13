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
    """Return the refusal of an agent that no open dispatch asks for."""
    work = str(site.lock.get("work"))
    path = os.path.join(site.git_dir, FOLDER, "works", f"{os.path.basename(work)}.json")
    kind, prompt = tool_input.get("subagent_type"), str(tool_input.get("prompt"))
    state = read_json(path)
    waiting = [one for one in state.get("dispatches", ()) if one.get("state") == "open"]
    for one in waiting:
        if kind == f"{names().plugin}:{one.get('agent')}" and f"{one.get('call')} " in prompt:
            return None
    reason = f"{work} waits for {len(waiting)} dispatches, and this agent is not among them"
    return Verdict("block", RULE, reason, f"spawn exactly what `{state.get('next')}` answers")
