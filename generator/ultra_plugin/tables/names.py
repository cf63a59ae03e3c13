"""Render the names of the bundle, the verbs that only read, and the programs that each agent may run."""

from __future__ import annotations

from ultra_plugin.agents import programs_of
from ultra_plugin.model import Plugin, Suite
from ultra_plugin.tables.literal import literal


def names_module(suite: Suite, plugin: Plugin) -> str:
    """Return the module with the names of this bundle."""
    values = {
        "PLUGIN": plugin.settings.name,
        "VERSION": suite.version,
        "OLDEST_CLIENT": suite.settings.oldest_client,
        "READING": tuple(sorted(verb.name for verb in suite.verbs.values() if verb.reads_only)),
        "PROGRAMS": programs_of(plugin),
    }
    body = "".join(f"{name} = {literal(value)}\n" for name, value in values.items())
    return f'"""Rendered from plugin.yaml, suite.yaml and the headers of agents/*.md.j2: edit those files, not this one."""\n\n{body}'
