"""Render the agents of each role and the programs that each agent may run."""

from __future__ import annotations

from ultra_plugin.agents import agents_with, programs_of
from ultra_plugin.model import Plugin
from ultra_plugin.tables.literal import literal


def agents_module(plugin: Plugin) -> str:
    """Return the module with the agents of every role."""
    roles = plugin.roles
    researchers = agents_with(roles, "researcher")
    explorers = agents_with(roles, "explorer")
    remedial = {name: place for name in explorers if (place := roles[name].remediation) is not None}
    values = {
        "REVIEWERS": tuple(agents_with(roles, "reviewer")),
        "CONFORMANCE": next(iter(agents_with(roles, "conformance")), ""),
        "COORDINATOR": next(iter(agents_with(roles, "coordinator")), ""),
        "EXPLORERS": tuple(explorers),
        "REMEDIATION_EXPLORERS": tuple(sorted(remedial, key=lambda name: remedial[name])),
        "LOCAL_RESEARCHERS": tuple(name for name in researchers if roles[name].scope == "local"),
        "EXTERNAL_RESEARCHERS": tuple(name for name in researchers if roles[name].scope == "external"),
        "QUICK_RESEARCHERS": tuple(name for name in researchers if roles[name].quick),
        "SECOND_MODEL": next(iter(agents_with(roles, "second-model")), ""),
        "CRITICS": tuple(agents_with(roles, "critic")),
        "DECOMPOSER": next(iter(agents_with(roles, "decomposer")), ""),
        "PROGRAMS": programs_of(plugin),
    }
    body = "".join(f"{name} = {literal(value)}\n" for name, value in values.items())
    return f'"""Rendered from the headers of agents/*.md.j2: edit those files, not this one."""\n\n{body}'
