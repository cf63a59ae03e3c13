"""The Python modules that carry contracts, policy and names into the bundled runtime."""

from __future__ import annotations

from collections.abc import Iterator

from ultra_plugin.config import COMMON
from ultra_plugin.model import BundleFile, Plugin, Suite
from ultra_plugin.policy import COMMANDS, PATHS
from ultra_plugin.source import SourceTree
from ultra_plugin.tables.contract import common_module, contract_module
from ultra_plugin.tables.names import names_module
from ultra_plugin.tables.outputs import outputs_module
from ultra_plugin.tables.policy import policy_module
from ultra_plugin.tables.stages import stages_module

FOLDER = "runtime/ultra_runtime/tables"
_INIT = '"""Rendered from contracts and settings: what the runtime knows."""\n'


def table_files(tree: SourceTree, suite: Suite, plugin: Plugin) -> list[BundleFile]:
    """Return every rendered module of a plugin's runtime with the sources that it is made from."""
    return [
        BundleFile(f"{FOLDER}/{name}.py", text.encode(), sources=sources)
        for name, text, sources in _modules(tree, suite, plugin)
    ]


def _modules(tree: SourceTree, suite: Suite, plugin: Plugin) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    settings = (f"{plugin.folder}/plugin.yaml", "suite.yaml")
    yield "__init__", _INIT, ("suite.yaml",)
    yield "names", names_module(suite, plugin), settings
    made_from = tuple(f"contracts/{contract.artifact}.yaml" for contract in suite.contracts.values())
    yield "stages", stages_module(suite, plugin), (settings[0], *made_from)
    if suite.common_codes:
        yield "common", common_module(suite.common_codes), (COMMON,)
    if suite.policy:
        yield "policy", policy_module(suite.policy), (COMMANDS, PATHS)
    if suite.outputs:
        made_from = tuple(path for path in tree.files("outputs") if path.endswith(".yaml"))
        yield "outputs", outputs_module(suite.outputs), made_from
    for contract in suite.contracts.values():
        yield contract.key, contract_module(contract), (f"contracts/{contract.artifact}.yaml",)
