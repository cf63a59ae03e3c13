"""Find verbs in prompts that need a role which no agent has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ultra_plugin.agents import agents_with
from ultra_plugin.declared import Role
from ultra_plugin.errors import Problem
from ultra_plugin.model import Bundle, Plugin

NEEDED: Mapping[str, tuple[Role, ...]] = {
    "review add": ("reviewer", "conformance"),
    "review verdict": ("coordinator",),
    "plan begin": ("explorer", "critic"),
    "gate plan": ("critic",),
    "research begin": ("researcher",),
    "sessions put": ("decomposer",),
}
"""Verb of the runtime -> the roles that it looks up in its tables."""


def role_problems(plugin: Plugin, bundle: Bundle) -> Iterator[Problem]:
    """Yield a problem at the first call of each verb whose role no agent has."""
    for verb, roles in NEEDED.items() if plugin.launcher else ():
        missing = [role for role in roles if not agents_with(plugin.roles, role)]
        call = f"{plugin.launcher} {verb}"
        place = _first_call(bundle, re.compile(rf"\b{re.escape(call)}\b")) if missing else None
        if place is None:
            continue
        for role in missing:
            message = f"`{call}` needs an agent with the role '{role}', but none has it"
            remedy = f"add 'role: {role}' to the header of an agent, or drop the call"
            yield Problem(*place, "role-without-agent", message, remedy)


def _first_call(bundle: Bundle, call: re.Pattern[str]) -> tuple[str, int] | None:
    for path, file in bundle.files.items():
        if path.startswith(("commands/", "guides/")):
            for number, line in enumerate(file.text.split("\n"), 1):
                if call.search(line):
                    return path, number
    return None
