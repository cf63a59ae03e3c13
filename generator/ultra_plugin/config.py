"""Load a source tree: suite, plugins, contracts and verbs, typed and frozen, every fault at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from ultra_plugin import __version__
from ultra_plugin.document import nearest, read_document
from ultra_plugin.errors import Problem, ProblemsFound
from ultra_plugin.model import Contract, Plugin, PluginSettings, Suite, SuiteSettings
from ultra_plugin.source import SourceTree
from ultra_plugin.verbs import read_verbs

T = TypeVar("T")
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
        if path.endswith(".yaml")
    ]
    plugins = [attempt(partial(load_plugin, tree, name)) for name in tree.folders("plugins")]
    verbs = attempt(partial(read_verbs, tree))
    known = [contract for contract in contracts if contract]
    problems += _contract_problems(tree, known)
    if not plugins:
        problems.append(Problem(tree.shown("plugins"), 0, "no-plugin", "there is no plugin to build"))
    if problems or settings is None or verbs is None:
        raise ProblemsFound(problems)
    return Suite(
        settings=settings,
        version=settings.version or __version__,
        plugins=tuple(plugin for plugin in plugins if plugin),
        contracts={contract.key: contract for contract in sorted(known, key=lambda c: c.handover)},
        verbs=verbs,
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
    commands = {key: settings.pipeline.get(key, key) for key in _keys(tree, f"{folder}/commands")}
    agents = {key: key for key in _keys(tree, f"{folder}/agents")}
    problems = [
        Problem(
            tree.shown(path), 0, "bad-name", f"'{word}' cannot be a name", "use a-z, 0-9 and single hyphens"
        )
        for word in (settings.name, *settings.pipeline, *commands.values(), *agents)
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


def _contract_problems(tree: SourceTree, contracts: list[Contract]) -> list[Problem]:
    """Find what only shows when contracts are looked at together, or against their own parts."""
    problems: list[Problem] = []
    owner: dict[str, Contract] = {}
    for contract in contracts:
        path = tree.shown(f"contracts/{contract.artifact}.yaml")
        if tree.find(f"contracts/{contract.artifact}.yaml") is None:
            message = f"the contract of '{contract.artifact}' is not in contracts/{contract.artifact}.yaml"
            problems.append(
                Problem(path, contract.line, "bad-name", message, "name the file after the artifact")
            )
        for name, code in contract.codes.items():
            if name in owner:
                message = f"{name} is a code of '{owner[name].artifact}' as well"
                problems.append(Problem(path, code.line, "duplicate-code", message, "rename one"))
            elif not re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+", name):
                problems.append(
                    Problem(path, code.line, "bad-code", f"{name} is not a code", "use WORDS_LIKE_THIS")
                )
            owner.setdefault(name, contract)
        if contract.version.field not in contract.fields:
            remedy = nearest(contract.version.field, contract.fields)
            message = f"the version's field '{contract.version.field}' is not a field"
            problems.append(Problem(path, contract.line, "bad-value", message, remedy))
    return problems
