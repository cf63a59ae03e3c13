"""Render the Python modules that carry contracts, policy and names into the runtime."""

from __future__ import annotations

from collections.abc import Iterator

from ultra_plugin.config import COMMON
from ultra_plugin.guard import KINDS, WRAPPERS
from ultra_plugin.limits import LIMITS
from ultra_plugin.model import BundleFile, Plugin, RuntimeSettings, Suite
from ultra_plugin.policy import COMMANDS, ENVIRONMENT, PATHS
from ultra_plugin.source import SourceTree
from ultra_plugin.tables.constants import (
    agents_module,
    help_module,
    limits_module,
    names_module,
    stages_module,
)
from ultra_plugin.tables.contract import common_module, contract_module
from ultra_plugin.tables.fields import fields_module, used_names
from ultra_plugin.tables.first_look import first_look_module
from ultra_plugin.tables.literal import literal
from ultra_plugin.tables.outputs import outputs_module
from ultra_plugin.tables.policy import environment_module, policy_module

FOLDER = "runtime/ultra_runtime/tables"
_INIT = '"""Rendered from contracts and settings: what the runtime knows."""\n\n'


def table_files(tree: SourceTree, suite: Suite, plugin: Plugin) -> list[BundleFile]:
    """Return every rendered module of a plugin's runtime, with its sources."""
    return [
        BundleFile(f"{FOLDER}/{name}.py", text.encode(), sources=sources)
        for name, text, sources in _modules(tree, suite, plugin)
    ]


def _modules(tree: SourceTree, suite: Suite, plugin: Plugin) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    settings = (plugin.file, "suite.yaml")
    yield "__init__", _INIT + _constants(plugin), settings
    agents = tuple(f"{plugin.folder}/agents/{key}.md.j2" for key in plugin.roles)
    yield "names", names_module(suite, plugin), (*settings, *agents)
    verbs = tuple(
        f"runtime/ultra_runtime/{verb.module.replace('.', '/')}.py" for verb in plugin.verbs.values()
    )
    yield "help", help_module(plugin), verbs or settings
    made_from = tuple(f"contracts/{contract.artifact}.yaml" for contract in suite.contracts.values())
    yield "stages", stages_module(suite, plugin), (settings[0], *made_from)
    if suite.common_codes:
        yield "common", common_module(suite.common_codes), (COMMON,)
    if suite.policy:
        yield "policy", policy_module(suite.policy), (COMMANDS, PATHS)
        yield "environment", environment_module(suite.policy.environment), (ENVIRONMENT,)
        yield (
            "first_look",
            first_look_module(suite.policy),
            (COMMANDS, KINDS, WRAPPERS, *suite.policy.guard.files),
        )
    yield "limits", limits_module(suite.limits), (LIMITS,) if suite.limits else ("suite.yaml",)
    yield "agents", agents_module(plugin), agents or settings
    outputs = {key: suite.outputs[key] for key in plugin.roles if key in suite.outputs}
    if outputs:
        forms = tuple(path for path in tree.files("outputs") if path.endswith(".yaml"))
        yield "outputs", outputs_module(outputs), (*forms, *agents)
    for contract in suite.contracts.values():
        source = (f"contracts/{contract.artifact}.yaml",)
        yield contract.key, contract_module(contract), source
    yield "fields", fields_module(suite.contracts, used_names(tree)), made_from or ("suite.yaml",)


def _constants(plugin: Plugin) -> str:
    """Return what every call of the runtime needs; in the package itself, so that a hook reads no second file."""
    runtime = plugin.settings.runtime or RuntimeSettings("")
    values = {
        "LAUNCHER": plugin.launcher,
        "PROJECTS": runtime.projects,
        "RECORDS": runtime.records,
        "VERBS": dict(runtime.verbs),
    }
    return "".join(f"{name} = {literal(value)}\n" for name, value in values.items())
