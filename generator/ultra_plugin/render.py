"""Render a suite: every plugin as a bundle in memory, without writing anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ultra_plugin.agents import agents_with, programs_of
from ultra_plugin.artifact import Output
from ultra_plugin.declared import Role
from ultra_plugin.document import nearest
from ultra_plugin.errors import NotKnown, Problem, ProblemsFound, problem, refuse
from ultra_plugin.excerpts import TABLE, reference_problems, references_table
from ultra_plugin.fill import fill
from ultra_plugin.limits import limit_word, number_word
from ultra_plugin.manifest import LISTING, MANIFEST, listing, manifest, version_of
from ultra_plugin.model import Bundle, BundleFile, Plugin, Suite, branches_of
from ultra_plugin.overview import agents_table, commands_table, pipeline_table
from ultra_plugin.pages import CommandPage, stage_of
from ultra_plugin.parts import FOLDER, LAUNCHER, carried_modules, module_of
from ultra_plugin.per_plugin import own_suite
from ultra_plugin.prompt import finish
from ultra_plugin.schema import json_schema
from ultra_plugin.shipping import leaves_plugin, matches, own_version
from ultra_plugin.source import SourceTree
from ultra_plugin.tables import table_files
from ultra_plugin.templates import Templates
from ultra_plugin.views import (
    AgentView,
    ContractView,
    OutputView,
    PolicyView,
    codes_table,
    contracts_table,
    limits_table,
    stability_table,
    verbs_table,
)

_LICENCE = "LICENSE"
_READ_BY_MODELS = ("commands/", "agents/", "skills/", "guides/", "templates/")
_LITERAL = frozenset({"templates", "examples"})
"""Folders whose texts are not filled."""


def render(tree: SourceTree, suite: Suite, kept: Mapping[str, Bundle] | None = None) -> list[Bundle]:
    """Return the bundle of every plugin, or raise all problems; `kept` has those that need no rendering."""
    bundles = []
    problems = [*_licence_problems(tree, suite)]
    for plugin in suite.plugins:
        if kept and plugin.settings.name in kept:
            bundles.append(replace(kept[plugin.settings.name], targets=plugin.settings.targets))
            continue
        own = own_suite(suite, plugin)
        made, carried = runtime_of(tree, own, plugin)
        if not plugin.settings.exact:
            made.insert(0, manifest(own, plugin))
        targets = [*_runtime_targets(tree, plugin, carried), *_targets(tree, plugin)]
        files, faults = _collect(tree, plugin, made, targets, templates_of(tree, own, plugin))
        problems += faults
        if plugin.settings.references:
            problems += reference_problems(tree.shown(f"{plugin.folder}/plugin.yaml"), plugin, files)
            files[TABLE] = references_table(plugin, files)
        bundles.append(_sealed(tree, own, plugin, files))
    refuse(problems)
    return bundles


def _licence_problems(tree: SourceTree, suite: Suite) -> Iterator[Problem]:
    """Find a licence that is named but has no text."""
    if suite.settings.license and tree.find(_LICENCE) is None:
        lines = tree.text("suite.yaml").split("\n")
        line = next((number for number, text in enumerate(lines, 1) if text.startswith("license:")), 1)
        message = "the text of the licence is missing"
        yield tree.problem("suite.yaml", line, "license-missing", message, f"add {tree.shown(_LICENCE)}")


def templates_of(tree: SourceTree, suite: Suite, plugin: Plugin) -> Templates:
    """Return the templates; a template may show other rendered files."""
    made: list[Templates] = []

    prompts: list[Bundle] = []

    def command_page(stage: str) -> CommandPage:
        _namer("command", plugin.commands)(stage)
        if not prompts:
            prompts.append(_prompts(tree, suite, plugin, made[0]))
        return CommandPage(suite, plugin, prompts[0], stage, tree.shown)

    tables = {
        "command_page": command_page,
        "commands_table": lambda: commands_table(plugin, tree, made[0].render),
        "pipeline_table": lambda: pipeline_table(suite, plugin, tree, made[0].render),
        "agents_table": lambda: agents_table(suite, plugin, made[0].render),
    }
    made.append(Templates(tree, {**names(suite, plugin), **tables}))
    return made[0]


def _prompts(tree: SourceTree, suite: Suite, plugin: Plugin, templates: Templates) -> Bundle:
    """Return the prompts of a bundle, for pages that describe them."""
    files = {
        target: _file(tree, plugin, source, target, templates)
        for source, target in _targets(tree, plugin)
        if target.startswith(_READ_BY_MODELS)
    }
    return Bundle(plugin.settings.name, suite.version, dict(sorted(files.items())))


def names(suite: Suite, plugin: Plugin) -> dict[str, Any]:
    """Return the names that a template may use."""
    name = plugin.settings.name
    views = {key: ContractView(contract) for key, contract in suite.contracts.items()}
    stages = {*plugin.settings.pipeline}
    shown = [one for one in suite.contracts.values() if not stages or stages & {one.producer, *one.consumers}]
    return {
        "suite": suite.settings,
        "version": suite.version,
        "plugin": plugin.settings,
        "contract": views,
        "contracts": [views[one.key] for one in shown],
        "contracts_table": lambda: contracts_table(shown),
        "stability_table": lambda: stability_table(shown),
        "common_codes_table": lambda: codes_table(suite.common_codes),
        "common_code": _namer("common code", {code: f"`{code}`" for code in suite.common_codes}),
        **({"policy": PolicyView(suite.policy)} if suite.policy else {}),
        "verbs_table": lambda: verbs_table(suite.verbs.values(), plugin.launcher),
        "command": _namer("command", {key: f"/{name}:{typed}" for key, typed in plugin.commands.items()}),
        "agent": _namer("agent", {key: f"{name}:{typed}" for key, typed in plugin.agents.items()}),
        "agent_programs": programs_of(plugin),
        "agents_with": lambda role: _agents_with(plugin, role),
        "limit": {name: limit.value for name, limit in suite.limits.items()},
        "limit_word": partial(limit_word, suite.limits),
        "number_word": number_word,
        "limits_table": lambda: limits_table(suite.limits),
        "output": lambda agent: OutputView(_known(agent, suite.outputs), suite.contracts),
        **({"launcher": plugin.launcher} if plugin.launcher else {}),
        "branches": branches_of(name),
        "verb": _namer("verb", {verb: f"{plugin.launcher} {verb}" for verb in suite.verbs}),
    }


def _second(tree: SourceTree, target: str, source: str, first: str) -> Problem:
    """Return the problem that two sources make one file; in a fork it is that of the fork's own source."""
    remedy = "rename or remove one"
    if tree.owns(first) and not tree.owns(source):
        source, first, remedy = first, source, "rename it, or remove the upstream's with a file PATH.remove"
    message = f"'{target}' is already built from {tree.shown(first)}"
    return tree.problem(source, 0, "two-sources", message, remedy)


def _namer(kind: str, known: Mapping[str, str]) -> Callable[[str], str]:
    words = frozenset(known)

    def spell(key: str) -> str:
        if key not in known:
            raise NotKnown(f"unknown {kind} '{key}'", nearest(key, words))
        return known[key]

    return spell


def _known(agent: str, outputs: Mapping[str, Output]) -> Output:
    if agent not in outputs:
        raise NotKnown(f"no agent '{agent}' has an 'output:' in its header", nearest(agent, outputs))
    return outputs[agent]


def _agents_with(plugin: Plugin, role: Role) -> list[AgentView]:
    found = [AgentView(plugin, key) for key in agents_with(plugin.roles, role)]
    if not found:
        known = {role for agent in plugin.roles.values() for role in agent.roles}
        raise NotKnown(f"no agent has the role '{role}'", nearest(role, known))
    return found


def runtime_of(tree: SourceTree, suite: Suite, plugin: Plugin) -> tuple[list[BundleFile], set[str]]:
    """Return the rendered tables of a plugin's runtime, and the modules that its bundle carries."""
    if plugin.settings.runtime is None:
        return [], set()
    tables = {module_of(file.path): file for file in table_files(tree, suite, plugin)}
    texts = {name: file.text for name, file in tables.items()}
    contracts = {f"tables.{contract.key}": contract for contract in suite.contracts.values()}
    carried = carried_modules(suite.modules, plugin, texts, contracts)
    schemas = [
        BundleFile(
            f"schemas/{one.artifact}.schema.json",
            json_schema(one),
            sources=(f"contracts/{one.artifact}.yaml",),
        )
        for name, one in contracts.items()
        if name in carried
    ]
    return [*(file for name, file in tables.items() if name in carried), *schemas], carried


def _runtime_targets(tree: SourceTree, plugin: Plugin, carried: set[str]) -> Iterator[tuple[str, str]]:
    """Yield source and target of the launcher and of each module that is carried."""
    if plugin.launcher:
        yield LAUNCHER, f"bin/{plugin.launcher}"
    yield from ((path, path) for path in tree.files(FOLDER) if module_of(path) in carried)


def _targets(tree: SourceTree, plugin: Plugin) -> Iterator[tuple[str, str]]:
    """Yield source and target of every rendered or copied file outside the runtime."""
    settings = plugin.settings
    if tree.find(_LICENCE) and not settings.exact:
        yield _LICENCE, _LICENCE
    start = len(plugin.folder) + 1
    asked = [path for path in tree.left(plugin.folder) if matches(path[start:], settings.copy)]
    for path in (*tree.files(plugin.folder), *asked):
        inner = path[start:]
        if (path == plugin.file and inner != MANIFEST) or matches(inner, settings.skip):
            continue
        if not matches(inner, settings.copy):
            inner = inner.removesuffix(".j2")
        if target := inner if settings.exact else _place(plugin, inner):
            yield path, target


def _place(plugin: Plugin, inner: str) -> str:
    """Return where a file of the source folder is in the bundle; empty if it does not ship."""
    folder, _, name = inner.partition("/")
    if folder == "commands" and (typed := plugin.commands.get(name.removesuffix(".md"))):
        return f"commands/{typed.replace(':', '/')}.md"
    if stage := stage_of(inner, plugin):
        return f"docs/commands/{plugin.commands[stage]}.md"
    if folder == "icon":
        return f".claude-plugin/{name}" if name.endswith(".png") else ""
    return inner


def _collect(
    tree: SourceTree,
    plugin: Plugin,
    made: list[BundleFile],
    targets: Iterable[tuple[str, str]],
    templates: Templates,
) -> tuple[dict[str, BundleFile], list[Problem]]:
    """Render or copy every source to its target; two sources for one target are a problem."""
    files = {file.path: file for file in made}
    problems: list[Problem] = []
    for source, target in targets:
        if target in files:
            problems.append(_second(tree, target, source, files[target].sources[0]))
            continue
        try:
            files[target] = _file(tree, plugin, source, target, templates)
        except ProblemsFound as error:
            problems += error.problems
    return files, problems


def _file(tree: SourceTree, plugin: Plugin, source: str, target: str, templates: Templates) -> BundleFile:
    settings = plugin.settings
    if tree.is_link(source):
        if leaves_plugin(target, link := tree.text(source)):
            message, remedy = f"links to '{link}', outside the plugin", "copy the file into the plugin"
            raise problem(tree.shown(source), 0, "link-outside", message, remedy)
        return BundleFile(target, tree.read(source), sources=(source,), symlink=True)
    # The client runs the scripts of eval cases with bash.
    is_program = target.startswith("bin/") or (target.endswith(".sh") and not target.startswith("evals/"))
    executable = tree.is_executable(source) or (is_program and not settings.exact)
    if not source.endswith(".j2") or matches(source[len(plugin.folder) + 1 :], settings.copy):
        return BundleFile(target, tree.read(source), executable, (source,))
    rendered = templates.render(source)
    sources = templates.sources(source)
    if settings.exact or not target.endswith(".md"):
        return BundleFile(target, rendered.encode(), executable, sources)
    prompt = finish(tree.shown(source), rendered, settings.fill)
    file = BundleFile(
        target,
        prompt.text.encode(),
        executable,
        sources,
        budget=prompt.budget,
        source_lines=prompt.lines,
        budget_line=prompt.budget_line,
    )
    return _filled(file) if settings.fill and not _LITERAL & {*target.split("/")} else file


def _filled(file: BundleFile) -> BundleFile:
    filled = fill(file.text)
    lines = tuple(file.source_lines[line] for line in filled.lines if line < len(file.source_lines))
    return replace(file, content=filled.text.encode(), source_lines=lines, unfilled=file)


def _sealed(tree: SourceTree, suite: Suite, plugin: Plugin, files: dict[str, BundleFile]) -> Bundle:
    """Return the bundle with its listing; an exact plugin gets none."""
    name, version = plugin.settings.name, version_of(suite, plugin)
    if plugin.settings.exact:
        version = own_version(files.get(MANIFEST))
    else:
        digest = tree.digest({source for file in files.values() for source in file.sources})
        files[LISTING] = listing(suite, name, version, files, digest)
    return Bundle(name, version, dict(sorted(files.items())), plugin.settings.targets)
