"""Load a source tree (suite, plugins, contracts, verbs) as frozen values, and report all faults at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ultra_plugin import __version__
from ultra_plugin.agents import agent_problems, outputs_of, read_agent
from ultra_plugin.artifact import CommonCodes, Contract, Output
from ultra_plugin.contracts import contract_problems, output_problems, reader_problems, with_values
from ultra_plugin.declared import Limit
from ultra_plugin.document import line_of, read_document, top_keys
from ultra_plugin.errors import Problem, ProblemsFound, UltraError, refuse
from ultra_plugin.limits import load_limits, with_limits
from ultra_plugin.model import Plugin, PluginSettings, Suite, SuiteSettings
from ultra_plugin.parts import carried_verbs, read_modules, room_problems, same_launcher_problems
from ultra_plugin.policy import load_policy
from ultra_plugin.source import PLUGINS, SourceTree
from ultra_plugin.stages import place_problems, stage_problems
from ultra_plugin.verbs import read_verbs

T = TypeVar("T")
COMMON = "contracts/common.yaml"
# These become file names in a bundle, so they must not leave the folder.
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SAFE_NAME = re.compile(r"(?!\.)[^/\\\s\x00-\x1f]+")
MANIFEST = ".claude-plugin/plugin.json"
_EXACT_KEYS = ("name", "exact", "copy", "skip", "profile", "allow", "deny", "entry", "targets")
"""Settings of a plugin that ships its own manifest."""


def load(tree: SourceTree) -> Suite:
    """Return the suite that a source tree describes, or raise every problem found in it."""
    problems: list[Problem] = []

    def attempt(action: Callable[[], T]) -> T | None:
        try:
            return action()
        except ProblemsFound as error:
            problems.extend(error.problems)
            return None

    if not tree.find("suite.yaml") and (tree.root / MANIFEST).is_file():
        sentence = f"is a plugin, not a source tree; to make one from it: ultra-plugin adopt {tree.root}"
        raise UltraError(f"{tree.root}: {sentence}")
    settings = attempt(partial(read, tree, "suite.yaml", SuiteSettings))
    limits = attempt(partial(load_limits, tree))
    contracts = [
        attempt(partial(read, tree, path, Contract, limits))
        for path in tree.files("contracts")
        if path.endswith(".yaml") and path.count("/") == 1 and path != COMMON
    ]
    outputs = [
        attempt(partial(read, tree, path, Output, limits))
        for path in tree.files("outputs")
        if path.endswith(".yaml")
    ]
    common = (
        attempt(partial(read, tree, COMMON, CommonCodes, limits)) if tree.find(COMMON) else CommonCodes({})
    )
    plugins = [attempt(partial(load_plugin, tree, name, settings)) for name in tree.folders(PLUGINS)]
    verbs = attempt(partial(read_verbs, tree))
    policy = attempt(partial(load_policy, tree))
    known = [contract for contract in contracts if contract]
    if common is not None:  # or every code of it would be missing
        problems += contract_problems(tree, known, common, _stages(plugins))
    by_name = {contract.artifact: contract for contract in known}
    problems += place_problems(tree, by_name)
    if None not in contracts:  # or a stage's contract would be reported as missing
        for plugin in filter(None, plugins):
            problems += stage_problems(tree, plugin, by_name)
    forms = [with_values(output, known) for output in outputs if output]
    problems += output_problems(tree, forms, known, None not in contracts)
    loaded = [plugin for plugin in plugins if plugin]
    if None not in outputs:  # or the form of some agent would be missing
        problems += agent_problems(tree, loaded, [form.output for form in forms])
    if not plugins:
        problems.append(
            tree.problem("plugins", 0, "no-plugin", "no plugin to build", "add plugins/NAME/plugin.yaml")
        )
    modules = read_modules(tree)
    problems += reader_problems(tree, known, modules)
    problems += [*same_launcher_problems(tree, loaded)]
    problems += [problem for plugin in loaded for problem in room_problems(tree, modules, plugin)]
    if problems or settings is None or verbs is None or common is None or limits is None:
        raise ProblemsFound(problems)
    return Suite(
        settings=settings,
        version=settings.version or __version__,
        plugins=tuple(
            replace(plugin, verbs=carried_verbs(modules, plugin.settings.runtime, plugin.stages, verbs))
            for plugin in loaded
        ),
        contracts={contract.key: contract for contract in sorted(known, key=lambda c: c.handover)},
        verbs=verbs,
        common_codes=common.codes,
        policy=policy,
        limits=limits,
        outputs=outputs_of(loaded, forms),
        modules=modules,
    )


def _stages(plugins: Sequence[Plugin | None]) -> set[str]:
    """Return the stages of all plugins, or none if one could not be read."""
    found = {stage for one in plugins if one for stage in one.settings.pipeline or one.commands}
    return set() if None in plugins else found


def read(tree: SourceTree, path: str, into: type[T], limits: Mapping[str, Limit] | None = None) -> T:
    """Read one YAML file of the tree into its dataclass, with the limits that it names."""
    shown, data = tree.shown(path), tree.read(path)
    return read_document(shown, data if limits is None else with_limits(shown, data, limits), into)


def load_plugin(tree: SourceTree, name: str, suite: SuiteSettings | None = None) -> Plugin:
    """Load one plugin's settings and find its commands and agents."""
    folder = f"{PLUGINS}/{name}"
    file, settings = _settings(tree, name, folder)
    stages = settings.pipeline
    commands = {
        key: stages[key].command if key in stages else key.replace("/", ":")
        for key in _keys(tree, f"{folder}/commands")
    }
    agents = {key: key for key in _keys(tree, f"{folder}/agents")}
    sources = {key: f"{folder}/agents/{key}.md.j2" for key in agents if not settings.exact}
    roles = {key: read_agent(tree, path) for key, path in sources.items() if tree.find(path)}
    launchers = [settings.runtime.launcher] if settings.runtime else []
    is_strict = (settings.profile or (suite.profile if suite else "strict")) == "strict"
    words = [settings.name, *stages, *commands.values(), *agents, *launchers] if is_strict else []
    problems = [
        tree.problem(file, 0, "bad-name", f"'{word}' cannot be a name", "use a-z, 0-9 and single hyphens")
        for word in words
        if not all(map(NAME.fullmatch, word.replace("/", ":").split(":")))
    ]
    if not is_strict and not SAFE_NAME.fullmatch(settings.name):
        message = f"'{settings.name}' cannot be the name of a plugin"
        problems.append(tree.problem(file, 0, "bad-name", message, "use letters, digits and hyphens"))
    if settings.name != name:
        message = f"the plugin '{settings.name}' is in a folder called '{name}'"
        problems.append(tree.problem(file, 0, "bad-name", message, "use the same name for both"))
    if settings.options and "userConfig" in settings.more:
        line, message = line_of(tree.read(file), "userConfig"), "'options' and 'userConfig' say the same"
        problems.append(tree.problem(file, line, "two-sources", message, "move all options to 'userConfig'"))
    problems += [
        tree.problem(file, 0, "two-sources", f"{count} commands are called '{word}'", "rename one")
        for word, count in Counter(commands.values()).items()
        if count > 1
    ]
    refuse(problems)
    return Plugin(settings, folder, file, commands, agents, roles)


def _settings(tree: SourceTree, name: str, folder: str) -> tuple[str, PluginSettings]:
    """Return the file of a plugin's settings, and the settings; a folder with a manifest alone is exact."""
    found = [path for path in (f"{folder}.yaml", f"{folder}/plugin.yaml") if tree.find(path)]
    own = f"{folder}/{MANIFEST}"
    if not found and tree.find(own):
        return own, PluginSettings(name, exact=True)
    if not found:
        raise ProblemsFound([tree.problem(folder, 0, "no-manifest", "has no plugin.yaml", "add it")])
    settings = read(tree, found[0], PluginSettings)
    if settings.exact:
        refuse(_exact_problems(tree, found[0]))
    return found[0], settings


def _exact_problems(tree: SourceTree, path: str) -> Iterator[Problem]:
    """Yield the settings that an exact plugin cannot have."""
    content = tree.read(path)
    for key in top_keys(content):
        if key not in _EXACT_KEYS:
            message = f"'{key}' has no effect, because with 'exact: true' the plugin ships its own manifest"
            remedy = f"move it to {MANIFEST}, or remove 'exact'"
            yield tree.problem(path, line_of(content, key), "exact-plugin", message, remedy)


def _keys(tree: SourceTree, folder: str) -> list[str]:
    names = [path[len(folder) + 1 :] for path in tree.files(folder)]
    return [
        name.removesuffix(".j2").removesuffix(".md") for name in names if name.endswith((".md.j2", ".md"))
    ]
