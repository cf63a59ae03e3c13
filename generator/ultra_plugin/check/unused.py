"""Find sources that nothing uses: fragments, agents, and contracts without fixtures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ultra_plugin.check.codes import warning
from ultra_plugin.check.protocol import FIXTURES
from ultra_plugin.errors import Problem
from ultra_plugin.limits import LIMITS
from ultra_plugin.model import Bundle, Plugin, Suite
from ultra_plugin.source import SourceTree

_WORD = re.compile(r"[\w.-]*\w")
_LIMIT = re.compile(r"\b(?:[A-Z][A-Z0-9_]+\b|(?<=limit\.)\w+|(?<=limit_word\(')\w+)")
"""A constant, which the runtime may import from the limits, or a limit as templates and YAML files name it."""


def unused_problems(tree: SourceTree, suite: Suite, bundles: Sequence[Bundle]) -> Iterator[Problem]:
    """Yield a problem for each source outside the plugins that nothing uses."""
    used = {source for bundle in bundles for source in bundle.sources}
    for path in tree.files("fragments"):
        if path not in used and tree.owns(path):
            yield warning(tree.shown(path), 0, "unused-fragment", "no template includes it")
    used_forms = {form.output for form in suite.outputs.values()}
    for path in tree.files("outputs"):
        form = path.rpartition("/")[2].removesuffix(".yaml")
        if path.endswith(".yaml") and form not in used_forms and tree.owns(path):
            yield warning(tree.shown(path), 0, "unused-output", "no agent uses this output")
    yield from _unused_limits(tree, suite)
    covered = tree.folders(FIXTURES)
    for contract in suite.contracts.values() if covered else ():
        if contract.artifact not in covered:
            shown = tree.shown(f"contracts/{contract.artifact}.yaml")
            message = f"no fixtures in {tree.shown(FIXTURES)}/{contract.artifact}"
            yield warning(shown, 0, "untested-contract", message)


def _unused_limits(tree: SourceTree, suite: Suite) -> Iterator[Problem]:
    """Yield the limits that neither the runtime imports nor a text names: to change such a number changes nothing."""
    asked = asked_limits(tree, tree.files()) if suite.limits and tree.owns(LIMITS) else set()
    for name, limit in suite.limits.items() if asked else ():
        if name not in asked:
            message = f"nothing uses the limit '{name}'"
            yield warning(tree.shown(LIMITS), limit.line, "unused-limit", message)


def asked_limits(tree: SourceTree, paths: Iterable[str]) -> set[str]:
    """Return the names of limits that some sources may use."""
    asked: set[str] = set()
    for path in paths:
        if path.endswith((".py", ".j2", ".yaml")) and path != LIMITS:
            asked.update(map(str.lower, _LIMIT.findall(tree.text(path))))
    return asked


def unused_agents(tree: SourceTree, suite: Suite, plugin: Plugin, bundle: Bundle) -> Iterator[Problem]:
    """Yield the agents of a plugin that no prompt spawns or whose answer has no form."""
    prompts = {path: file.text for path, file in bundle.files.items() if _is_prompt(path)}
    called = {key: f"{bundle.name}:{name}" for key, name in plugin.agents.items()}
    spawned: dict[str, set[str]] = {}
    """Name -> the prompts that spawn it."""
    for path, text in prompts.items():
        for name in (*_names_after(f"{bundle.name}:", text), *_names_after("guide agent ", text)):
            spawned.setdefault(name, set()).add(path)
    for key, name in plugin.agents.items():
        own = f"agents/{name}.md"
        shown = tree.shown(next(iter(bundle.files[own].sources), own) if own in bundle.files else own)
        if not spawned.get(name, set()) - {own}:
            yield warning(shown, 0, "unused-agent", f"no prompt spawns {called[key]}")
        if tree.files("outputs") and key not in suite.outputs:
            yield warning(shown, 0, "agent-without-output", "its header has no 'output:'")


def _is_prompt(path: str) -> bool:
    return path.endswith(".md") and path.startswith(("commands/", "agents/", "skills/", "guides/"))


def _names_after(prefix: str, text: str) -> Iterator[str]:
    """Yield the words that follow a prefix in a text."""
    for part in text.split(prefix)[1:]:
        if word := _WORD.match(part):
            yield word.group()
