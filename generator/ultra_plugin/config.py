"""Load a source tree: suite, plugins, contracts and verbs, typed and frozen, every fault at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from ultra_plugin import __version__
from ultra_plugin.contracts import contract_problems, output_problems, with_values
from ultra_plugin.document import read_document
from ultra_plugin.errors import Problem, ProblemsFound
from ultra_plugin.model import CommonCodes, Contract, Output, Plugin, PluginSettings, Suite, SuiteSettings
from ultra_plugin.policy import load_policy
from ultra_plugin.source import SourceTree
from ultra_plugin.stages import place_problems, stage_problems
from ultra_plugin.verbs import read_verbs

T = TypeVar("T")
COMMON = "contracts/common.yaml"
# What becomes a file name in a bundle can only be a plain word: nothing that leaves the folder.
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def load(tree: SourceTree) -> Suite:
    """Return the suite that a source tree describes, or raise every problem found in it."""
    problems: list[Problem] = []

    def attempt(action: Callable[[], T]) -> T | None:
        try:
            return action()
        except ProblemsFound as error:
            problems.extend(error.problems)
            return None

    settings = attempt(partial(read, tree, "suite.yaml", SuiteSettings))
    contracts = [
        attempt(partial(read, tree, path, Contract))
        for path in tree.files("contracts")
        if path.endswith(".yaml") and path != COMMON
    ]
    outputs = [
        attempt(partial(read, tree, path, Output)) for path in tree.files("outputs") if path.endswith(".yaml")
    ]
    common = attempt(partial(read, tree, COMMON, CommonCodes)) if tree.find(COMMON) else CommonCodes({})
    plugins = [attempt(partial(load_plugin, tree, name)) for name in tree.folders("plugins")]
    verbs = attempt(partial(read_verbs, tree))
    policy = attempt(partial(load_policy, tree))
    known = [contract for contract in contracts if contract]
    if common is not None:  # or every code of it would be missing
        problems += contract_problems(tree, known, common)
    by_name = {contract.artifact: contract for contract in known}
    problems += place_problems(tree, by_name)
    if None not in contracts:  # or a stage would be told that its contract is missing
        for plugin in filter(None, plugins):
            problems += stage_problems(tree, plugin, by_name)
    forms = [with_values(output, known) for output in outputs if output]
    problems += output_problems(tree, forms, known, None not in contracts)
    if not plugins:
        problems.append(
            Problem(
                tree.shown("plugins"),
                0,
                "no-plugin",
                "there is no plugin to build",
                "add plugins/NAME/plugin.yaml",
            )
        )
    if problems or settings is None or verbs is None or common is None:
        raise ProblemsFound(problems)
    return Suite(
        settings=settings,
        version=settings.version or __version__,
        plugins=tuple(plugin for plugin in plugins if plugin),
        contracts={contract.key: contract for contract in sorted(known, key=lambda c: c.handover)},
        verbs=verbs,
        common_codes=common.codes,
        policy=policy,
        outputs={agent: output for output in forms for agent in output.agents},
    )


def read(tree: SourceTree, path: str, into: type[T]) -> T:
    """Read one YAML file of the tree into its dataclass."""
    return read_document(tree.shown(path), tree.read(path), into)


def load_plugin(tree: SourceTree, name: str) -> Plugin:
    """Load one plugin's settings and find its commands and agents."""
    folder = f"plugins/{name}"
    path = f"{folder}/plugin.yaml"
    if tree.find(path) is None:
        raise ProblemsFound([Problem(tree.shown(folder), 0, "no-manifest", "has no plugin.yaml", "add one")])
    settings = read(tree, path, PluginSettings)
    stages = settings.pipeline
    commands = {
        key: stages[key].command if key in stages else key for key in _keys(tree, f"{folder}/commands")
    }
    agents = {key: key for key in _keys(tree, f"{folder}/agents")}
    problems = [
        Problem(
            tree.shown(path), 0, "bad-name", f"'{word}' cannot be a name", "use a-z, 0-9 and single hyphens"
        )
        for word in (settings.name, *stages, *commands.values(), *agents)
        if not _NAME.fullmatch(word)
    ]
    if settings.name != name:
        message = f"the plugin '{settings.name}' stands in a folder called '{name}'"
        problems.append(Problem(tree.shown(path), 0, "bad-name", message, "make the two agree"))
    problems += [
        Problem(tree.shown(path), 0, "two-sources", f"{count} commands are called '{word}'", "rename one")
        for word, count in Counter(commands.values()).items()
        if count > 1
    ]
    if problems:
        raise ProblemsFound(problems)
    return Plugin(settings, folder, commands, agents)


def _keys(tree: SourceTree, folder: str) -> list[str]:
    names = [path[len(folder) + 1 :] for path in tree.files(folder)]
    return [
        name.removesuffix(".j2").removesuffix(".md") for name in names if name.endswith((".md.j2", ".md"))
    ]
