"""Render the modules of plain constants: names, stages, limits and agents."""

from __future__ import annotations

from collections.abc import Mapping

from ultra_plugin.agents import agents_with, programs_of
from ultra_plugin.declared import Limit
from ultra_plugin.model import Plugin, Suite, branches_of
from ultra_plugin.tables.literal import literal, table_of


def _module(source: str, values: Mapping[str, object]) -> str:
    body = "".join(f"{name} = {literal(value)}\n" for name, value in values.items())
    return f'"""Rendered from {source}, not this one."""\n\n{body}'


def limits_module(limits: Mapping[str, Limit]) -> str:
    """Return the module that holds every limit as a plain number."""
    return _module("limits.yaml: edit that file", {name.upper(): one.value for name, one in limits.items()})


def names_module(suite: Suite, plugin: Plugin) -> str:
    """Return the module with the names of this bundle, the verbs that only read, and what agents may run."""
    values = {
        "PLUGIN": plugin.settings.name,
        "BRANCHES": branches_of(plugin.settings.name),
        "VERSION": suite.version,
        "OLDEST_CLIENT": suite.settings.oldest_client,
        "READING": tuple(sorted(verb.name for verb in suite.verbs.values() if verb.reads_only)),
        "PROGRAMS": programs_of(plugin),
        "GRANTED": {key: agent.verbs for key, agent in plugin.roles.items() if agent.verbs},
    }
    return _module("plugin.yaml, suite.yaml and the headers of agents/*.md.j2: edit those files", values)


def help_module(plugin: Plugin) -> str:
    """Return the module with usage, summary and use of every verb; importing the verbs takes five times as long."""
    verbs = sorted(plugin.verbs.values(), key=lambda verb: verb.module)
    values = {
        "VERBS": {
            verb.name: (verb.usage, verb.summary, verb.for_people or verb.stage or "") for verb in verbs
        }
    }
    return _module("the modules of verbs/: edit those files", values)


def agents_module(plugin: Plugin) -> str:
    """Return the module with the agents of every role."""
    roles = plugin.roles
    researchers = agents_with(roles, "researcher")
    explorers = agents_with(roles, "explorer")
    remedial = {name: place for name in explorers if (place := roles[name].remediation) is not None}
    values = {
        "REVIEWERS": tuple(agents_with(roles, "reviewer")),
        "SMALL_REVIEWERS": tuple(name for name in agents_with(roles, "reviewer") if roles[name].quick),
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
    }
    return _module("the headers of agents/*.md.j2: edit those files", values)


def stages_module(suite: Suite, plugin: Plugin) -> str:
    """Return the module with the stages, and the place of each artifact in a project."""
    stages = {
        name: (f"/{plugin.settings.name}:{stage.command}", stage.makes or "", stage.next or "")
        for name, stage in plugin.settings.pipeline.items()
    }
    contracts = suite.contracts.values()
    files = {one.artifact: one.project_files for one in contracts if one.project_files}
    texts = tuple(one.artifact for one in contracts if one.is_text)
    return (
        '"""Rendered from plugin.yaml and contracts/*.yaml: edit those files, not this one."""\n\n'
        f"# Stage -> command, the artifact that it makes, the stage that follows.\nSTAGES = {table_of(stages)}\n"
        f"# Artifact -> its places in a project directory, the usual one first.\nFILES = {table_of(files)}\n"
        f"# Artifacts that a model writes, by `put`.\nTEXTS = {literal(texts)}\n"
    )
